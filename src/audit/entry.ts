// An entry of the audit log: the actor, the act, the record, and the origin of the request. An entry never contains a
// secret.

import type { Actor } from '#platform/context.ts'
import { sha256 } from '#platform/secrets.ts'
import type { Uuid } from '#platform/ids.ts'

export type Act =
  | 'archive.brought-back'
  | 'archive.removed'
  | 'archive.sealed'
  | 'audit.exported'
  | 'authentication.refused'
  | 'business.changed'
  | 'business.created'
  | 'currencies.set'
  | 'customer.erased'
  | 'customer.shown'
  | 'dashboard.asked'
  | 'data.exported'
  | 'deposit.adopted'
  | 'exception.closed'
  | 'go-live.waived'
  | 'invitation.accepted'
  | 'invitation.made'
  | 'invitation.withdrawn'
  | 'key.created'
  | 'key.revoked'
  | 'key.rolled'
  | 'limits.set'
  | 'ledger.adjusted'
  | 'low-balance.set'
  | 'notice.retried'
  | 'payment.settled'
  | 'payout.approved'
  | 'payout.discarded'
  | 'payout.proposed'
  | 'payout.rejected'
  | 'payout.scheduled'
  | 'payout.withdrawn'
  | 'payout-policy.proposed'
  | 'payout-policy.set'
  | 'payout-schedule.ended'
  | 'payout-schedule.paused'
  | 'payout-schedule.resumed'
  | 'payout-schedule.run'
  | 'payout-schedule.run-late'
  | 'payout-schedule.skipped'
  | 'payouts.paused'
  | 'payouts.resumed'
  | 'person.created'
  | 'person.factor-added'
  | 'person.factor-removed'
  | 'person.operator-set'
  | 'person.passkey-renamed'
  | 'person.password-changed'
  | 'person.recovery-codes-made'
  | 'person.removed'
  | 'person.renamed'
  | 'person.reset'
  | 'person.reset-link-made'
  | 'person.role-changed'
  | 'sign-in.ended'
  | 'sign-in.made'
  | 'sign-in.stepped-up'
  | 'welcome.link-made'
  | 'rail.book-adjusted'
  | 'rail.break-closed'
  | 'rail.resumed'
  | 'rail.stopped'
  | 'receipt-link.made'
  | 'receipt-link.revoked'
  | 'recipient.changed'
  | 'recipient.removed'
  | 'recipient.saved'
  | 'recipients.imported'
  | 'refund.resolved'
  | 'webhook.changed'
  | 'webhook.created'
  | 'webhook.deleted'
  | 'webhook.forgery-sent'
  | 'webhook.secret-rotated'

/** Further values, such as new settings. Never a secret. */
export type Details = Record<string, string | number | boolean | readonly string[] | null>

/** `asked` is written before an action, and a second entry says how the action ended. */
export const outcomes = ['asked', 'done', 'refused', 'failed'] as const
export type AuditOutcome = (typeof outcomes)[number]

export type AuditEntry = {
  by: Actor
  act: Act
  /** Absent if the act concerns no tenant, or all of them. */
  tenantId?: Uuid
  /** Set if the act concerns a business as a whole. */
  businessId?: Uuid
  outcome?: AuditOutcome
  subject?: string
  details?: Details
}

export type NumberedEntry = {
  number: bigint
  at: Date
  actorKind: Actor['kind']
  actor: string
  address: string | null
  act: string
  tenantId: Uuid | null
  subject: string | null
  /** JSON, as it was hashed. */
  details: string
} & OfPerson

/** For other actors than dashboard users, `personId`, `role`, `device` and `requestId` are null. */
type OfPerson = {
  businessId: Uuid | null
  personId: Uuid | null
  role: string | null
  device: string | null
  requestId: string | null
  outcome: string | null
}

export const firstHash = Buffer.alloc(32)

/** Hashes the fields as JSON, because the JSON of two different entries always differs. */
export function hashOf(previous: Buffer, entry: NumberedEntry): Buffer {
  const { number, at, actorKind, actor, address, act, tenantId, subject, details } = entry
  const fields = [number.toString(), at.toISOString(), actorKind, actor, address, act, tenantId, subject, details]
  const { businessId, personId, role, device, requestId, outcome } = entry
  const ofPerson = [businessId, personId, role, device, requestId, outcome]
  // These fields are left out if all are null, because the hashes of older entries do not cover them.
  const hashed = ofPerson.every((value) => value === null) ? fields : [...fields, ofPerson]
  return sha256(JSON.stringify([previous.toString('hex'), ...hashed]))
}
