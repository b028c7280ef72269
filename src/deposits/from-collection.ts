// Money that was collected from a wallet: at once a deposit, SUCCESSFUL and credited, in the transaction in which the
// collection succeeds. Its business is told of the collection, so no event of a deposit goes out.

import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import type { Kobo } from '#platform/money.ts'
import { bookOf } from '#ledger/post.ts'
import { receivedPostings } from '#ledger/chart.ts'
import { depositFeeOf, depositReference, type Deposit, type DepositFees } from './deposit.ts'
import { positionsOf } from './record.ts'
import { depositList } from './list.ts'
import { insertDeposits, type NewDeposit } from './queries.ts'

/** What a payment knows of the money that it collected. Provider and its id name it once and for all. */
export type Inflow = Pick<
  Deposit,
  | 'tenantId'
  | 'currency'
  | 'amount'
  | 'fee'
  | 'provider'
  | 'providerId'
  | 'senderAccountName'
  | 'senderAccountNumber'
  | 'senderBankName'
  | 'narration'
> & {
  /** The deposit is not dated before this. */
  atMs: number
}

export type Inflows = {
  /** What the business is charged for an inflow. */
  feeOf(amount: Kobo): Kobo
  /** Resolves when inflows of these tenants, whose locks are held, can be recorded in this transaction. */
  expect(tx: Tx, tenantIds: Iterable<Uuid>): Promise<void>
  /** Makes the deposit and credits it. */
  record(tx: Tx, inflow: Inflow): { id: Uuid; reference: string; atMs: number }
}

const newKey = Symbol('deposits of collections of this transaction')

export function createInflows(ctx: Context, fees: DepositFees): Inflows {
  /** They leave as one statement. */
  function newOnes(tx: Tx): NewDeposit[] {
    return tx.shared(newKey, () => {
      const rows: NewDeposit[] = []
      tx.beforeCommit(() => insertDeposits(tx, rows))
      return rows
    })
  }

  return {
    feeOf: (amount) => depositFeeOf(fees, amount),
    async expect(tx, tenantIds) {
      positionsOf(tx).add(await depositList.lastOfTenants(tx, [...tenantIds]))
    },
    record(tx, { atMs, ...inflow }) {
      const book = bookOf(tx)
      const { tenantId, currency, amount, fee } = inflow
      const nowMs = Math.max(atMs, ctx.clock.now())
      const { ordinal, createdAt } = positionsOf(tx).next(book, tenantId, currency, nowMs)
      const id = newUuid(createdAt.getTime())
      const cause = { id, reference: depositReference(id), atMs: createdAt.getTime() }
      book.post(tenantId, currency, cause, receivedPostings(amount, fee))
      newOnes(tx).push({
        ...inflow,
        ...noAccount,
        lane: tx.lane,
        id,
        ordinal,
        status: 'SUCCESSFUL',
        returnReason: null,
        held: false,
        dueAt: null,
        paidAt: createdAt,
        createdAt,
        updatedAt: createdAt,
      })
      return cause
    },
  }
}

/** It came by no virtual account. */
const noAccount = { accountNumber: '', accountName: '', bankName: '', customerReference: null }
