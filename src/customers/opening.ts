// An opening: an account that a business asked for, written before its rail is asked for a number. Whatever dies after
// that, the row knows that there may be a number: who asks for the same again goes on with it, and what nobody goes on
// with is given back. Pure; the drawing of its states is docs/states.md.

import { minuteMs } from '#base/durations.ts'
import type { NewAccount } from '#rails/rail-accounts.ts'
import type { VirtualAccount } from './account.ts'

export type Opening = Pick<
  VirtualAccount,
  | 'lane'
  | 'tenantId'
  | 'id'
  | 'type'
  | 'reference'
  | 'accountName'
  | 'narration'
  | 'metadata'
  | 'order'
  | 'customer'
  | 'rail'
  | 'createdAt'
> & {
  /** Null: the rail's choice, as it is for every dynamic account. */
  bankSlug: string | null
  /** From then on it never becomes an account. */
  givenUpAt: Date | null
  dueAt: Date
}

/** What a business asks for, before it is written. */
export type Wanted = Omit<Opening, 'lane' | 'tenantId' | 'givenUpAt' | 'dueAt'>

export type OpeningOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  | { kind: 'exists' }
  | { kind: 'unknown-customer' }
  | { kind: 'erased-customer' }
  | { kind: 'unknown-bank' }
  | Declined

/** Why its rail does not open it. */
export type Declined = Exclude<NewAccount, { kind: 'created' | 'unavailable' }>

/**
 * So long after somebody was last at it, an opening is given up. Longer than any call of a rail can take, so that nobody
 * still waits for its number then, and long enough for a client that tries again after a restart of ours.
 */
const resumableMs = 10 * minuteMs

/** How long whoever goes on with it at this moment has it. */
export function resumableUntil(nowMs: number): Date {
  return new Date(nowMs + resumableMs)
}

/** An account for one payment that is born expired helps nobody. */
export function isResumable({ givenUpAt, order }: Opening, nowMs: number): boolean {
  return givenUpAt === null && (order === null || order.expiresAt.getTime() > nowMs)
}

/** The claim is the same already: it is how the one was found for the other. */
export function haveSameTerms(opening: Opening, wanted: Wanted): boolean {
  return (
    opening.accountName === wanted.accountName &&
    opening.narration === wanted.narration &&
    opening.metadata === wanted.metadata &&
    opening.order?.amount === wanted.order?.amount &&
    opening.order?.policy === wanted.order?.policy &&
    lifetimeMsOf(opening) === lifetimeMsOf(wanted)
  )
}

function lifetimeMsOf({ order, createdAt }: Wanted): number | undefined {
  return order === null ? undefined : order.expiresAt.getTime() - createdAt.getTime()
}

/** It never becomes an account, and giving it back is due at once. */
export function givenUp(opening: Opening, nowMs: number): Opening {
  const now = new Date(nowMs)
  return { ...opening, givenUpAt: opening.givenUpAt ?? now, dueAt: now }
}
