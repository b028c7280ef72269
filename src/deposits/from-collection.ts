// Records money collected from a wallet as a SUCCESSFUL, credited deposit, in the transaction in which the collection
// succeeds. The business gets the event of the collection and none for the deposit.

import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'
import { bookOf } from '#ledger/post.ts'
import { receivedPostings } from '#ledger/chart.ts'
import { depositReference, type Deposit } from './deposit.ts'
import { depositFeeOf, type DepositFees } from './fees.ts'
import { positionsOf } from './record.ts'
import { depositList } from './list.ts'
import { insertDeposits, type NewDeposit } from './queries.ts'

/** `provider` and `providerId` identify the money forever. */
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
  feeOf(amount: Money, currency: Currency): Money
  /**
   * Resolves when deposits of these tenants can be recorded in this transaction, which must have locked the tenants.
   */
  expect(tx: Tx, tenantIds: Iterable<Uuid>): Promise<void>
  record(tx: Tx, inflow: Inflow): { id: Uuid; reference: string; atMs: number }
}

const newKey = Symbol('deposits of collections of this transaction')

export function createInflows(ctx: Context, fees: DepositFees): Inflows {
  function newOnes(tx: Tx): NewDeposit[] {
    return tx.shared(newKey, () => {
      const rows: NewDeposit[] = []
      tx.beforeCommit(() => insertDeposits(tx, rows))
      return rows
    })
  }

  return {
    feeOf: (amount, currency) => depositFeeOf(fees, amount, currency),
    async expect(tx, tenantIds) {
      positionsOf(tx).add(await depositList.lastOfTenants(tx, [...tenantIds]))
    },
    record(tx, { atMs, ...inflow }) {
      const book = bookOf(tx)
      const { tenantId, currency, amount, fee } = inflow
      const nowMs = Math.max(atMs, ctx.clock.now())
      const { ordinal, createdAt } = positionsOf(tx).next(book, tenantId, nowMs)
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

const noAccount = { accountNumber: '', accountName: '', bankName: '', customerReference: null }
