// Money that was collected from a wallet: at once a deposit, SUCCESSFUL and credited, in the transaction in which the
// collection succeeds. Its business is told of the collection, so no event of a deposit goes out.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { newUuid, type Uuid } from '#base/ids.ts'
import type { Currency, Kobo } from '#base/money.ts'
import { bookOf } from '#ledger/post.ts'
import { receivedPostings } from '#ledger/posting.ts'
import { depositFeeOf, depositReference, type DepositFees } from './deposit.ts'
import { placesOf } from './places.ts'
import { insertDeposits, lastDeposits, type NewDeposit } from './sql.ts'

/** What payments know of it. */
export type Collected = {
  tenantId: Uuid
  currency: Currency
  amount: Kobo
  fee: Kobo
  provider: string
  providerId: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  atMs: number
}

export type Collections = {
  feeOf(amount: Kobo): Kobo
  expect(tx: Tx, lane: number, tenantIds: Iterable<Uuid>): Promise<void>
  record(tx: Tx, lane: number, collected: Collected): { id: Uuid; reference: string; atMs: number }
}

const newKey = Symbol('deposits of collections of this transaction')

export function createCollections(ctx: Context, fees: DepositFees): Collections {
  /** Leave as one statement. */
  function newOnes(tx: Tx, lane: number): NewDeposit[] {
    return tx.shared(newKey, () => {
      const rows: NewDeposit[] = []
      tx.beforeCommit(() => insertDeposits(tx, lane, rows))
      return rows
    })
  }

  return {
    feeOf: (amount) => depositFeeOf(fees, amount),
    async expect(tx, lane, tenantIds) {
      placesOf(tx).add(await lastDeposits(tx, lane, [...tenantIds]))
    },
    record(tx, lane, { atMs, ...collected }) {
      const book = bookOf(tx, lane)
      const { tenantId, currency, amount, fee } = collected
      const nowMs = Math.max(atMs, ctx.clock.now())
      const { ordinal, createdAt } = placesOf(tx).next(book, tenantId, currency, nowMs)
      const id = newUuid(createdAt.getTime())
      const cause = { id, reference: depositReference(id), atMs: createdAt.getTime() }
      book.post(tenantId, currency, cause, receivedPostings(amount, fee))
      newOnes(tx, lane).push({
        ...collected,
        ...noAccount,
        lane,
        id,
        ordinal,
        status: 'SUCCESSFUL',
        returnReason: null,
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
