// Records and settles deposits in batches. One commit has the deposit, its movements, its event, its refund and its
// figures; apply-notice.ts decides.

import type { EventOutbox } from '#events/outbox.ts'
import { type Book, withTenants, bookOf } from '#ledger/post.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Operation } from '#platform/db/lane.ts'
import { positionAfter, type Position } from '#platform/db/numbered-list.ts'
import type { Uuid } from '#platform/ids.ts'
import { countFigure, type Happening } from '#stats/stats.ts'
import { completePaidAccounts, lockPaidAccounts } from '#virtual-accounts/account-owners.ts'
import {
  type BatchState,
  applyNotice,
  paidKeyOf,
  refusalOfAdoption,
  schedulePoll,
  applyTestersStatus,
} from './apply-notice.ts'
import type { NoticeCommand, ReceiveCommand, ReceiveOutcome, Deposit } from './deposit.ts'
import type { DepositFees } from './fees.ts'
import { depositList } from './list.ts'
import { findStoredSubjects, findOwners, noticeText, subjectOf, claimNotices } from './notice-claims.ts'
import { findDeposits, findDepositsOfNotices, insertDeposits, settleDeposits } from './queries.ts'
import { insertRefunds } from './refund-queries.ts'

export type Positions = {
  /**
   * Adds the number and time of the last deposit in each tenant's list, which must be read under the tenants' locks.
   * Keeps those that the transaction already has.
   */
  add(read: Map<Uuid, Position>): void
  /** The next number, dated no earlier than the position before it. */
  next(book: Book, tenantId: Uuid, nowMs: number): Position
}

const key = Symbol('positions of deposits in this transaction')

export function positionsOf(tx: Tx): Positions {
  return tx.shared(key, createPositions)
}

function createPositions(): Positions {
  const last = new Map<Uuid, Position>()
  return {
    add(read) {
      for (const [tenantId, position] of read) if (!last.has(tenantId)) last.set(tenantId, position)
    },
    next(book, tenantId, nowMs) {
      const position = positionAfter(last.get(tenantId), book.timeMs(tenantId, nowMs))
      last.set(tenantId, position)
      return position
    },
  }
}

type ReceiveOptions = { ctx: Context; fees: DepositFees; events: EventOutbox }

/**
 * One operation of the lane does everything: two operations in one transaction would not see what the other has
 * accepted, and an account that expects one payment could be paid twice.
 */
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
      return applyNotice(state, command)
    case 'settle':
      return applyTestersStatus(state, command)
    case 'poll':
      return schedulePoll(state, command)
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
  // A deposit that has ended never changes, so every deposit written with a final status has just ended.
  for (const deposit of [...inserted, ...moved]) countEnd(tx, deposit)
}

function countEnd(tx: Tx, deposit: Deposit): void {
  const { status, fee, returnReason, updatedAt: at } = deposit
  if (status === 'SUCCESSFUL') count(tx, deposit, { outcome: 'succeeded', at, fee })
  if (status === 'FAILED') count(tx, deposit, { outcome: 'failed', at, reason: returnReason ?? '' })
}

type DepositFigure = Pick<Happening, 'outcome' | 'at' | 'fee' | 'reason'>

function count(tx: Tx, { tenantId, currency, amount }: Deposit, end: DepositFigure): void {
  countFigure(tx, { tenantId, kind: 'deposit', currency, amount, ...end })
}

/** Reads what the decisions need in one round trip with the locks. */
async function openBatchState(options: ReceiveOptions, tx: Tx, commands: ReceiveCommand[]): Promise<BatchState> {
  const { events } = options
  const notices = commands.filter((command) => command.kind === 'notice')
  const others = commands.filter((command) => command.kind !== 'notice')
  const noticeKeys = notices.map(({ tenant, notice }) => ({ ...notice, tenantId: tenant.id }))
  const otherKeys = others.map(({ tenant, deposit }) => ({ ...deposit, tenantId: tenant.id }))
  const [ofNotices, ofOthers, last, accounts, owners, stored] = await withTenants(
    tx,
    commands.map(({ tenant }) => tenant.id),
    (tenantIds) => {
      events.expect(tx, tenantIds)
      return Promise.all([
        noticeKeys.length === 0 ? [] : findDepositsOfNotices(tx, noticeKeys),
        otherKeys.length === 0 ? [] : findDeposits(tx, otherKeys),
        depositList.lastOfTenants(tx, tenantIds),
        lockPaidAccounts(tx, [...notices.map(({ tenant, notice }) => paidKeyOf(tenant, notice)), ...otherKeys]),
        claimNotices(tx, notices.filter(isFromProvider)),
        findStoredSubjects(tx, notices),
      ])
    },
  )
  const positions = positionsOf(tx)
  positions.add(last)
  const known = [...ofNotices, ...ofOthers]
  const state: BatchState = {
    ...options,
    tx,
    book: bookOf(tx),
    accounts,
    positions,
    deposits: new Map(known.map((deposit) => [deposit.id, deposit])),
    ids: new Map(known.map((deposit) => [noticeText(deposit), deposit.id])),
    owners,
    stored,
    added: new Map(),
    changed: new Set(),
    completed: [],
    returned: [],
  }
  await addOwners(state, notices)
  return state
}

/**
 * Only notices of a provider are claimed in the first round trip. A simulated notice has an id of ours, and `addOwners`
 * claims an adopted one, if its account and business can take the money.
 */
function isFromProvider({ simulated, adopted }: NoticeCommand): boolean {
  return simulated === undefined && adopted === undefined
}

/**
 * Adopted notices, and notices that are claimed but have no deposit here, are rare, so they take round trips of their
 * own.
 */
async function addOwners(state: BatchState, notices: NoticeCommand[]): Promise<void> {
  const { tx, ids, owners } = state
  const withoutDeposit = notices.filter(
    ({ tenant, notice }) => !ids.has(noticeText({ ...notice, tenantId: tenant.id })),
  )
  const adopted = withoutDeposit.filter(
    (one) => one.adopted !== undefined && refusalOfAdoption(state, one) === undefined,
  )
  for (const [subject, tenantId] of await claimNotices(tx, adopted)) owners.set(subject, tenantId)
  const unclear = withoutDeposit.filter((one) => one.simulated === undefined && !owners.has(subjectOf(one)))
  for (const [subject, tenantId] of await findOwners(tx, unclear)) owners.set(subject, tenantId)
}
