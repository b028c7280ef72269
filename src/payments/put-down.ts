// Putting payments down, many at once: when each is looked at next, what its rail said, and whether that waits for a person.

import type { Context, Environment } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { raise } from '#exceptions/raise.ts'
import { bookOf } from '#ledger/post.ts'
import { concernAbout, type Concern } from './concern.ts'
import { isFinal } from './payment.ts'
import { lockPayments, postponePayments, type Postponement } from './sql.ts'
import { keepTries, type Try } from './tries.ts'

export type PutDown = Postponement & {
  environment: Environment
  concern?: Concern | undefined
  /** What its rail answered, where that is to be kept. */
  tried?: { id: Uuid; tries: readonly Try[] } | undefined
}

export type PuttingDown = Operation<PutDown, void>

export function putDownOperation(ctx: Context): PuttingDown {
  return {
    name: 'payments.postpone',
    async run(tx, rows) {
      // Tenants first, like all that shares a transaction with this: a payment that is held by who still waits for its
      // tenant would deadlock with whoever settles it.
      await bookOf(tx).lock(rows.map(({ tenantId }) => tenantId)).sent
      postponePayments(tx, rows)
      for (const { tenantId, tried } of rows)
        if (tried !== undefined) keepTries(tx, { tenantId, id: tried.id }, tried.tries)
      const worrying = rows.filter(({ concern }) => concern !== undefined)
      if (worrying.length > 0) await raiseFor(ctx, tx, worrying)
      return rows.map(() => undefined)
    },
  }
}

/** In a round trip of its own, because it is rare. The payment may have ended since it was looked at. */
async function raiseFor(ctx: Context, tx: Tx, rows: PutDown[]): Promise<void> {
  const payments = new Map((await lockPayments(tx, rows)).map((one) => [`${one.tenantId} ${one.reference}`, one]))
  for (const { tenantId, reference, environment, concern } of rows) {
    const payment = payments.get(`${tenantId} ${reference}`)
    if (payment === undefined) continue
    if (concern !== undefined && !isFinal(payment.status)) raise(ctx, tx, concernAbout(payment, environment, concern))
  }
}
