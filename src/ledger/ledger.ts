// The public API of the ledger: balances, entries, and money that is added by hand on staging. Balances are read
// through a loader, because every dashboard and every script asks for them.

import type { Context, Tenant } from '#platform/context.ts'
import type { Operation, Lanes } from '#platform/db/lane.ts'
import { createLaneLoaders } from '#platform/db/loader.ts'
import type { PageQuestion, TimeRange } from '#platform/db/numbered-list.ts'
import { type Uuid, newUuid } from '#platform/ids.ts'
import { add, toMoney, zero, type Money, type Currency } from '#platform/money.ts'
import type { InArchive } from './archived.ts'
import { fundingPostings } from './chart.ts'
import { listEntries, type EntryPage, countStatement } from './statement.ts'
import { readBalances, type LedgerAccountRow, openBook } from './post.ts'

export type AccountBalance = { currency: string; available: Money; reserved: Money; ledger: Money }

type BalanceReader = { read(tenant: Tenant): Promise<AccountBalance[]> }

export function createBalanceReader(ctx: Context): BalanceReader {
  const loaders = createLaneLoaders<Uuid, AccountBalance[]>(ctx, {
    name: 'balances',
    keyText: (tenantId) => tenantId,
    query: async (lane, tenantIds) => gather(await readBalances(lane, tenantIds)),
  })
  return { read: async (tenant) => (await loaders.load(tenant.lane, tenant.id)) ?? [] }
}

function gather(rows: LedgerAccountRow[]): Map<Uuid, AccountBalance[]> {
  const balances = new Map<Uuid, AccountBalance[]>()
  for (const row of rows) {
    const amount = toMoney(row.credits - row.debits)
    const list = balances.get(row.tenantId) ?? []
    balances.set(row.tenantId, list)
    let balance = list.find((one) => one.currency === row.currency)
    if (balance === undefined) {
      balance = { currency: row.currency, available: zero, reserved: zero, ledger: zero }
      // NGN is first; the others keep the order of the query.
      if (row.currency === 'NGN') list.unshift(balance)
      else list.push(balance)
    }
    if (row.name === 'available') balance.available = amount
    else balance.reserved = amount
    balance.ledger = add(balance.available, balance.reserved)
  }
  return balances
}

type FundCommand = { tenant: Tenant; amount: Money; currency: Currency }

type FundOutcome = { kind: 'funded'; available: Money } | { kind: 'too-much' } | { kind: 'currency-off' }

function fundOperation(ctx: Context): Operation<FundCommand, FundOutcome> {
  return {
    name: 'ledger.fund',
    async run(tx, commands) {
      const book = await openBook(tx, new Set(commands.map(({ tenant }) => tenant.id)))
      return commands.map(({ tenant, amount, currency }) => {
        if (!book.isSwitchedOn(tenant.id, currency)) return { kind: 'currency-off' }
        if (!book.hasRoom(tenant.id, currency, amount)) return { kind: 'too-much' }
        const atMs = book.timeMs(tenant.id, ctx.clock.now())
        const cause = { id: newUuid(atMs), reference: 'sandbox funding', atMs }
        book.post(tenant.id, currency, cause, fundingPostings(amount))
        return { kind: 'funded', available: book.available(tenant.id, currency) }
      })
    },
  }
}

export type Ledger = {
  balances(tenant: Tenant): Promise<AccountBalance[]>
  entries(tenant: Tenant, currency: Currency, question: PageQuestion & TimeRange): Promise<EntryPage>
  countWhole(tenant: Tenant, currency: Currency, time: TimeRange): Promise<{ kind: 'count'; count: number } | InArchive>
  fund(command: FundCommand): Promise<FundOutcome>
}

export function createLedger({ ctx, laneOf }: { ctx: Context; laneOf: Lanes['of'] }): Ledger {
  const funding = fundOperation(ctx)
  const reader = createBalanceReader(ctx)
  return {
    balances: (tenant) => reader.read(tenant),
    entries: (tenant, currency, question) => listEntries(ctx, tenant, currency, question),
    countWhole: (tenant, currency, time) => countStatement(ctx, tenant, currency, time),
    fund: (command) => laneOf(command.tenant.lane).submit(funding, command),
  }
}
