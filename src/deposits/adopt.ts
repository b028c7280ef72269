// Adopts a notice: an operator names the business that owns money for an unknown account, or allows a credit that
// exceeded the ledger's limit when the money came. The money then goes through record.ts like any other notice.

import { environments, type Actor, type Context, type Environment } from '#platform/context.ts'
import type { Lane, Operation, Writer } from '#platform/db/lane.ts'
import type { ReturnReason, OwnedNotice, ReceiveCommand, ReceiveOutcome, Deposit } from './deposit.ts'
import { createOwners, type Owners } from '#virtual-accounts/account-owners.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { depositFees } from './fees.ts'
import { receiveOperation } from './record.ts'
import { findDepositOfNotice } from './provider-lookup.ts'
import { findStoredNotices, type NoticeId } from './notice-claims.ts'

export type Adoption = { noticeId: NoticeId; accountNumber: string; note: string; by: Actor }

export type AdoptOutcome =
  | { kind: 'adopted'; deposit: Deposit }
  /** The money is already a deposit of this account. */
  | { kind: 'unchanged'; deposit: Deposit }
  | { kind: 'no-notice' }
  /** The provider has reported failure, or has not reported success yet. */
  | { kind: 'not-paid'; said: OwnedNotice['status'][] }
  | { kind: 'unknown-account' }
  | { kind: 'taken' }
  | { kind: 'would-be-returned'; reason: ReturnReason }
  | { kind: 'no-room' }

/** Parses `production:acme:8842`, as `exceptions list` shows it. The provider's own id may contain any character. */
export function parseNoticeId(unchecked: string): NoticeId | undefined {
  const [, environment, provider = '', providerId = ''] = /^([a-z]+):([^:]+):(.+)$/s.exec(unchecked) ?? []
  const known = environments.find((name): name is Environment => name === environment)
  return known === undefined ? undefined : { environment: known, provider, providerId }
}

export function createAdopting(
  ctx: Context,
  laneOf: (lane: number) => Lane,
): (wish: Adoption) => Promise<AdoptOutcome> {
  const receiving = receiveOperation({ ctx, fees: depositFees, events: createEventOutbox(ctx.clock) })
  const adopter = { ctx, owners: createOwners(ctx), laneOf, receiving }
  return (wish) => adoptNotice(adopter, wish)
}

type Adopter = Writer & {
  owners: Owners
  receiving: Operation<ReceiveCommand, ReceiveOutcome>
}

export async function adoptNotice(
  { ctx, owners, laneOf, receiving }: Adopter,
  { noticeId, accountNumber, note, by }: Adoption,
): Promise<AdoptOutcome> {
  const known = await findDepositOfNotice(ctx.db, noticeId)
  if (known !== undefined && (known.status === 'SUCCESSFUL' || known.returnReason !== null)) {
    // Applying the notice to its own account again credits nothing and resolves its stored notice.
    const { lane, tenantId: id, paidAt } = known
    const tenant = { lane, id, environment: noticeId.environment }
    const notice = { ...known, occurredAtMs: paidAt.getTime() }
    await laneOf(lane).submit(receiving, { kind: 'notice', tenant, notice, adopted: { note, by } })
    return known.accountNumber === accountNumber ? { kind: 'unchanged', deposit: known } : { kind: 'taken' }
  }
  const kept = await findStoredNotices(ctx.db, noticeId)
  const paid = kept.find(({ status }) => status === 'SUCCESSFUL')
  if (kept.length === 0) return { kind: 'no-notice' }
  const said = kept.map(({ status }) => status)
  if (paid === undefined || said.includes('FAILED')) return { kind: 'not-paid', said }
  const account = { number: accountNumber }
  const owner = await owners.find(noticeId.environment, { account, atMs: paid.occurredAtMs })
  if (owner === undefined) return { kind: 'unknown-account' }
  const { tenant, openedAt } = owner
  const notice = { ...paid, accountNumber, occurredAtMs: Math.max(paid.occurredAtMs, openedAt.getTime()) }
  const outcome = await laneOf(tenant.lane).submit(receiving, { kind: 'notice', tenant, notice, adopted: { note, by } })
  switch (outcome.kind) {
    case 'recorded':
    case 'settled':
      return { kind: 'adopted', deposit: outcome.deposit }
    case 'unchanged':
    case 'would-be-returned':
    case 'taken':
      return outcome
    case 'contradicted':
      return { kind: 'taken' }
    case 'too-much':
    case 'waits-for-room':
      return { kind: 'no-room' }
    case 'not-found':
    case 'ask':
      return { kind: 'unknown-account' }
  }
}
