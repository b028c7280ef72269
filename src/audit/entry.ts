// What the audit log says: who did what, to what, from where. No secret ever stands in it.

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
  | 'payouts.paused'
  | 'payouts.resumed'
  | 'person.created'
  | 'person.factor-added'
  | 'person.factor-removed'
  | 'person.operator-set'
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
  | 'rail.break-closed'
  | 'rail.resumed'
  | 'rail.stopped'
  | 'refund.resolved'
  | 'webhook.changed'
  | 'webhook.created'
  | 'webhook.deleted'
  | 'webhook.forgery-sent'
  | 'webhook.secret-rotated'

/** What else is worth knowing, as plain values: what was set, and never a secret. */
export type Details = Record<string, string | number | boolean | readonly string[] | null>

/** `asked`: it was about to be done, and nothing else was written if it was. */
export const outcomes = ['asked', 'done', 'refused', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

export type Entry = {
  by: Actor
  act: Act
  /** Absent: it concerns no tenant, or all of them. */
  tenantId?: Uuid
  /** Of what concerns a business as a whole, and no tenant of it. */
  businessId?: Uuid
  /** How it ended. Absent: it was done. */
  outcome?: Outcome
  /** What it was done to, by the id that people see. */
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
  /** JSON, exactly as it was hashed. */
  details: string
} & OfPerson

/** What is known of a person's act alone; all null where none did it, as in all entries from before there were people. */
type OfPerson = {
  businessId: Uuid | null
  personId: Uuid | null
  role: string | null
  device: string | null
  requestId: string | null
  outcome: string | null
}

/** Before the first entry. */
export const firstHash = Buffer.alloc(32)

/** Over the whole entry and the hash of the one before it. Written as JSON, so that no two entries have one text. */
export function hashOf(previous: Buffer, entry: NumberedEntry): Buffer {
  const { number, at, actorKind, actor, address, act, tenantId, subject, details } = entry
  const said = [number.toString(), at.toISOString(), actorKind, actor, address, act, tenantId, subject, details]
  const { businessId, personId, role, device, requestId, outcome } = entry
  const more = [businessId, personId, role, device, requestId, outcome]
  // Left out where there is nothing of it, so that entries from before have the hash that they were given.
  const told = more.every((value) => value === null) ? said : [...said, more]
  return sha256(JSON.stringify([previous.toString('hex'), ...told]))
}
