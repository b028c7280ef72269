// What the audit log says: who did what, to what, from where. No secret ever stands in it.

import type { Actor } from '#base/context.ts'
import { sha256 } from '#base/secret.ts'
import type { Uuid } from '#base/ids.ts'

export type Act =
  | 'authentication.refused'
  | 'business.created'
  | 'customer.erased'
  | 'customer.shown'
  | 'deposit.adopted'
  | 'exception.closed'
  | 'key.created'
  | 'key.revoked'
  | 'key.rolled'
  | 'limits.set'
  | 'payment.settled'
  | 'payouts.paused'
  | 'payouts.resumed'
  | 'rail.break-closed'
  | 'rail.resumed'
  | 'rail.stopped'
  | 'webhook.changed'
  | 'webhook.created'
  | 'webhook.deleted'
  | 'webhook.secret-rotated'

/** What else is worth knowing, as plain values: what was set, and never a secret. */
export type Details = Record<string, string | number | boolean | readonly string[] | null>

export type Entry = {
  by: Actor
  act: Act
  /** Absent: it concerns no tenant, or all of them. */
  tenantId?: Uuid
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
}

/** Before the first entry. */
export const firstHash = Buffer.alloc(32)

/** Over the whole entry and the hash of the one before it. Written as JSON, so that no two entries have one text. */
export function hashOf(previous: Buffer, entry: NumberedEntry): Buffer {
  const { number, at, actorKind, actor, address, act, tenantId, subject, details } = entry
  const said = [number.toString(), at.toISOString(), actorKind, actor, address, act, tenantId, subject, details]
  return sha256(JSON.stringify([previous.toString('hex'), ...said]))
}
