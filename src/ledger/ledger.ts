// The ledger, as the doors see it: what a business has, how it came to that, and money added by hand on staging.

import type { Context, Tenant } from '#base/context.ts'
import type { Lanes } from '#base/lane.ts'
import type { Currency } from '#base/money.ts'
import type { PageQuestion, TimeRange } from '#base/ordinal.ts'
import type { InArchive } from './archived.ts'
import { createBalanceReader, type Balance } from './balance.ts'
import { listEntries, type EntryPage } from './entries.ts'
import { fundOperation, type FundCommand, type FundOutcome } from './fund.ts'
import { countStatement } from './statement.ts'

export type Ledger = {
  balances(tenant: Tenant): Promise<Balance[]>
  entries(tenant: Tenant, currency: Currency, question: PageQuestion & TimeRange): Promise<EntryPage>
  /** How many entries a period has of which every one can be walked. */
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
