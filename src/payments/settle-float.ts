// What settling a payment does to the float book of its rail, in the same commit. The simulator has none.

import type { Environment } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { zero } from '#base/money.ts'
import { bookFloat } from '#ledger/float.ts'
import { holdsMoney } from '#rails/real.ts'
import { railReferenceOf } from '#rails/reference.ts'
import { kinds } from './kinds.ts'
import type { Payment, Result } from './payment.ts'

type Settled = {
  payment: Payment
  result: Result
  environment: Environment
  /** What was returned is in the company's own bank account. */
  toBank: boolean
  nowMs: number
}

export function bookAtRail(tx: Tx, { payment, result, environment, toBank, nowMs }: Settled): void {
  const { rail, currency, amount, id, lane, kind } = payment
  if (!holdsMoney(rail)) return
  const cause = { environment, rail, currency, subject: id, reference: railReferenceOf(id), lane, at: new Date(nowMs) }
  if (result.kind === 'reversed') {
    bookFloat(tx, 'reversal', cause, amount)
    // Each return is a reversal, which `ledger verify` looks for; money that went to the bank leaves the balance again.
    if (toBank) bookFloat(tx, 'withdrawal', cause, amount)
  }
  if (result.kind !== 'succeeded') return
  bookFloat(tx, kinds[kind].direction === 'out' ? 'payout' : 'deposit', cause, amount)
  bookFloat(tx, kinds[kind].direction === 'out' ? 'payout_cost' : 'deposit_cost', cause, result.cost ?? zero)
}
