// The currencies of a business in one environment. NGN is always on. A currency that was on once keeps its accounts, so
// that its balance and statement stay readable.

import { recordEntry } from '#audit/record.ts'
import { openingPostings } from '#ledger/chart.ts'
import { openBook, readBalances, type Book } from '#ledger/post.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { currencies, decimalsOf, toMoney, type Currency, type Money } from '#platform/money.ts'

export type TenantCurrency = { currency: Currency; on: boolean }

export type CurrencyChange = { on: readonly Currency[]; off: readonly Currency[] }

/** `in-use`: the tenant has money in the currency, or some of it is under way. */
export type CurrencyOutcome = { kind: 'set' } | { kind: 'always-on' } | { kind: 'in-use'; currency: Currency }

/** 1,000,000,000.00, or as many whole units of a currency without decimals. */
export function stagingOpeningBalance(currency: Currency): Money {
  return toMoney(1_000_000_000n * 10n ** BigInt(decimalsOf(currency)))
}

/** NGN first, then every currency that was ever on. */
export async function readCurrencies(ctx: Context, tenant: Tenant): Promise<TenantCurrency[]> {
  const rows = await readBalances(inLane(ctx.db, tenant.lane), [tenant.id])
  const available = rows.filter(({ name }) => name === 'available')
  return currencies.flatMap((currency) => {
    const row = available.find((one) => one.currency === currency)
    return row === undefined ? [] : [{ currency, on: row.switchedOn }]
  })
}

/**
 * Every process applies the change to its next batch, because the accounts that a batch locks show the enabled
 * currencies.
 */
export function setCurrencies(ctx: Context, tenant: Tenant, { on, off }: CurrencyChange): Promise<CurrencyOutcome> {
  return ctx.db.transaction(async (tx) => {
    if (off.includes('NGN')) return { kind: 'always-on' }
    const book = await openBook(tx, [tenant.id])
    const goesOff = off.filter((currency) => book.isSwitchedOn(tenant.id, currency))
    const used = goesOff.find((currency) => book.isInUse(tenant.id, currency))
    if (used !== undefined) return { kind: 'in-use', currency: used }
    const goesOn = on.filter((currency) => !book.isSwitchedOn(tenant.id, currency))
    for (const currency of goesOff) book.switchCurrency(tenant.id, currency, false)
    for (const currency of goesOn) switchOn(book, tenant, currency, book.timeMs(tenant.id, ctx.clock.now()))
    if (goesOn.length + goesOff.length > 0) {
      const details = { on: goesOn.join(', '), off: goesOff.join(', ') }
      recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'currencies.set', tenantId: tenant.id, details })
    }
    return { kind: 'set' }
  }, tenant.lane)
}

function switchOn(book: Book, tenant: Tenant, currency: Currency, atMs: number): void {
  if (book.hasCurrency(tenant.id, currency)) {
    book.switchCurrency(tenant.id, currency, true)
    return
  }
  book.openCurrency(tenant.id, currency)
  if (tenant.environment === 'production') return
  const cause = { id: newUuid(atMs), reference: 'opening balance', atMs }
  book.post(tenant.id, currency, cause, openingPostings(stagingOpeningBalance(currency)))
}
