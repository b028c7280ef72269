// Recording and settling deposits, many at once: what a provider says becomes a row, a verdict, movements and an event,
// in one commit. All of it is one operation of the lane: two in one transaction would each decide without seeing what the
// other has just accepted, and an account that waits for one payment could be paid twice.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Operation } from '#base/lane.ts'
import { completePaidAccounts, lockPaidAccounts } from '#customers/paid.ts'
import type { EventPipe } from '#events/pipe.ts'
import { countFigure } from '#figures/count.ts'
import type { Happening } from '#figures/figure.ts'
import { withTenants } from '#ledger/lock.ts'
import { bookOf } from '#ledger/post.ts'
import type { BatchState } from './accept.ts'
import type { NoticeCommand, ReceiveCommand, ReceiveOutcome } from './command.ts'
import type { Deposit, DepositFees } from './deposit.ts'
import { hear, paidKeyOf, wouldBeReturned } from './hear.ts'
import { lookAfter } from './look-after.ts'
import { positionsOf } from './positions.ts'
import { settleKnown } from './settle.ts'
import { depositList } from './sql-lists.ts'
import { insertRefunds } from './sql-refunds.ts'
import { findDeposits, findDepositsOfNotices, insertDeposits, settleDeposits } from './sql.ts'
import { findKept, findOwners, noticeText, subjectOf, takeFor } from './whose-notice.ts'

export type ReceiveOptions = { ctx: Context; fees: DepositFees; events: EventPipe }

export function receiveOperation(options: ReceiveOptions): Operation<ReceiveCommand, ReceiveOutcome> {
  return {
    name: 'deposits.receive',
    async run(tx, commands) {
      const state = await openBatchState(options, tx, commands)
      const outcomes = commands.map((command) => decide(state, command))
      writeBatch(state)
      return outcomes
    },
  }
}

function decide(state: BatchState, command: ReceiveCommand): ReceiveOutcome {
  switch (command.kind) {
    case 'notice':
      return hear(state, command)
    case 'settle':
      return settleKnown(state, command)
    case 'look':
      return lookAfter(state, command)
  }
}

function writeBatch(state: BatchState): void {
  const { tx, deposits, added, changed, completed, returned } = state
  const inserted = [...added].flatMap(([id, { ordinal }]) => {
    const deposit = deposits.get(id)
    return deposit === undefined ? [] : [{ ...deposit, ordinal }]
  })
  if (inserted.length > 0) insertDeposits(tx, inserted)
  const moved = [...changed].filter((id) => !added.has(id)).flatMap((id) => deposits.get(id) ?? [])
  if (moved.length > 0) settleDeposits(tx, moved)
  if (completed.length > 0) completePaidAccounts(tx, completed)
  if (returned.length > 0) insertRefunds(tx, returned)
  for (const deposit of inserted) count(tx, deposit, { outcome: 'accepted', at: deposit.createdAt })
  // Nothing moves a deposit that has ended, so whatever is written about one is its end.
  for (const deposit of [...inserted, ...moved]) countEnd(tx, deposit)
}

function countEnd(tx: Tx, deposit: Deposit): void {
  const { status, fee, returnReason, updatedAt: at } = deposit
  if (status === 'SUCCESSFUL') count(tx, deposit, { outcome: 'succeeded', at, fee })
  if (status === 'FAILED') count(tx, deposit, { outcome: 'failed', at, reason: returnReason ?? '' })
}

type End = Pick<Happening, 'outcome' | 'at' | 'fee' | 'reason'>

function count(tx: Tx, { tenantId, currency, amount }: Deposit, end: End): void {
  countFigure(tx, { tenantId, kind: 'deposit', currency, amount, ...end })
}

/** Everything that the decisions need, in one round trip after the locks. */
async function openBatchState(options: ReceiveOptions, tx: Tx, commands: ReceiveCommand[]): Promise<BatchState> {
  const { events } = options
  const notices = commands.filter((command) => command.kind === 'notice')
  const others = commands.filter((command) => command.kind !== 'notice')
  const noticeKeys = notices.map(({ tenant, notice }) => ({ ...notice, tenantId: tenant.id }))
  const otherKeys = others.map(({ tenant, deposit }) => ({ ...deposit, tenantId: tenant.id }))
  const [heardOf, asked, last, accounts, owners, kept] = await withTenants(
    tx,
    commands.map(({ tenant }) => tenant.id),
    (tenantIds) => {
      events.expect(tx, tenantIds)
      return Promise.all([
        noticeKeys.length === 0 ? [] : findDepositsOfNotices(tx, noticeKeys),
        otherKeys.length === 0 ? [] : findDeposits(tx, otherKeys),
        depositList.lastOfTenants(tx, tenantIds),
        lockPaidAccounts(tx, [...notices.map(({ tenant, notice }) => paidKeyOf(tenant, notice)), ...otherKeys]),
        // After the tenants' locks and with the reads, so that it costs no round trip of its own.
        takeFor(tx, notices.filter(comesByItself)),
        findKept(tx, notices),
      ])
    },
  )
  const positions = positionsOf(tx)
  positions.add(last)
  const known = [...heardOf, ...asked]
  const state: BatchState = {
    ...options,
    tx,
    book: bookOf(tx),
    accounts,
    positions,
    deposits: new Map(known.map((deposit) => [deposit.id, deposit])),
    ids: new Map(known.map((deposit) => [noticeText(deposit), deposit.id])),
    owners,
    kept,
    added: new Map(),
    changed: new Set(),
    completed: [],
    returned: [],
  }
  await learnOwners(state, notices)
  return state
}

/** What a tester makes up has an id of ours, and what a person adopts is not taken before it is known to be accepted. */
function comesByItself({ simulated, adopted }: NoticeCommand): boolean {
  return simulated === undefined && adopted === undefined
}

/** In round trips of their own, because both are rare: what a person adopts, and what somebody has taken before. */
async function learnOwners(state: BatchState, notices: NoticeCommand[]): Promise<void> {
  const { tx, ids, owners } = state
  const unheard = notices.filter(({ tenant, notice }) => !ids.has(noticeText({ ...notice, tenantId: tenant.id })))
  const adopted = unheard.filter((one) => one.adopted !== undefined && wouldBeReturned(state, one) === undefined)
  for (const [subject, tenantId] of await takeFor(tx, adopted)) owners.set(subject, tenantId)
  const unclear = unheard.filter((one) => one.simulated === undefined && !owners.has(subjectOf(one)))
  for (const [subject, tenantId] of await findOwners(tx, unclear)) owners.set(subject, tenantId)
}
