// Money added to a staging balance by hand.

import type { Context, Tenant } from '#base/context.ts'
import { newUuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { add, amountMax, type Currency, type Kobo } from '#base/money.ts'
import { openBook } from './post.ts'
import { fundingPostings } from './posting.ts'

export type FundCommand = { tenant: Tenant; amount: Kobo; currency: Currency }

export type FundOutcome = { kind: 'funded'; available: Kobo } | { kind: 'too-much' }

/** A balance beyond 2^53 - 1 kobo could not be shown as a JSON integer. */
export function fundOperation(ctx: Context): Operation<FundCommand, FundOutcome> {
  return {
    name: 'ledger.fund',
    async run(tx, commands) {
      const book = await openBook(tx, new Set(commands.map(({ tenant }) => tenant.id)))
      return commands.map(({ tenant, amount, currency }) => {
        const available = add(book.available(tenant.id, currency), amount)
        if (available > balanceMax) return { kind: 'too-much' }
        const atMs = book.timeMs(tenant.id, currency, ctx.clock.now())
        const cause = { id: newUuid(atMs), reference: 'sandbox funding', atMs }
        book.post(tenant.id, currency, cause, fundingPostings(amount))
        return { kind: 'funded', available }
      })
    },
  }
}

/** Half of what JSON carries, so that what is reserved beside it still adds up to a safe integer. */
const balanceMax = amountMax / 2n
