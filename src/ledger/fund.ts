// Money added to a staging balance by hand.

import type { Context, Tenant } from '#base/context.ts'
import { newUuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import type { Currency, Kobo } from '#base/money.ts'
import { openBook } from './post.ts'
import { fundingPostings } from './posting.ts'

export type FundCommand = { tenant: Tenant; amount: Kobo; currency: Currency }

export type FundOutcome = { kind: 'funded'; available: Kobo } | { kind: 'too-much' }

export function fundOperation(ctx: Context): Operation<FundCommand, FundOutcome> {
  return {
    name: 'ledger.fund',
    async run(tx, commands) {
      const book = await openBook(tx, new Set(commands.map(({ tenant }) => tenant.id)))
      return commands.map(({ tenant, amount, currency }) => {
        if (!book.hasRoom(tenant.id, currency, amount)) return { kind: 'too-much' }
        const atMs = book.timeMs(tenant.id, currency, ctx.clock.now())
        const cause = { id: newUuid(atMs), reference: 'sandbox funding', atMs }
        book.post(tenant.id, currency, cause, fundingPostings(amount))
        return { kind: 'funded', available: book.available(tenant.id, currency) }
      })
    },
  }
}
