// What a business has: read through a loader, because every dashboard and every script asks for it.

import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { createLoader, type Loader } from '#base/loader.ts'
import { add, toKobo, zero, type Kobo } from '#base/money.ts'
import { readBalances, type AccountRow } from './sql.ts'

export type Balance = { currency: string; available: Kobo; reserved: Kobo; ledger: Kobo }

export type BalanceReader = { read(tenant: Tenant): Promise<Balance[]> }

/** One loader per lane, because a query never spans lanes; they share a connection, on which nobody waits in line. */
export function createBalanceReader(ctx: Context): BalanceReader {
  const connection = ctx.db.connection('balances')
  const loaders = new Map<number, Loader<Uuid, Balance[]>>()
  const loaderOf = (lane: number): Loader<Uuid, Balance[]> => {
    const found = loaders.get(lane)
    if (found !== undefined) return found
    const loader = createLoader<Uuid, Balance[]>({
      name: 'balances',
      metrics: ctx.metrics,
      keyText: (tenantId) => tenantId,
      query: async (tenantIds) => gather(await readBalances(connection, lane, tenantIds)),
    })
    loaders.set(lane, loader)
    return loader
  }
  return { read: async (tenant) => (await loaderOf(tenant.lane).load(tenant.id)) ?? [] }
}

function gather(rows: AccountRow[]): Map<Uuid, Balance[]> {
  const balances = new Map<Uuid, Balance[]>()
  for (const row of rows) {
    const amount = toKobo(row.credits - row.debits)
    const list = balances.get(row.tenant_id) ?? []
    balances.set(row.tenant_id, list)
    let balance = list.find((one) => one.currency === row.currency)
    if (balance === undefined) {
      balance = { currency: row.currency, available: zero, reserved: zero, ledger: zero }
      list.push(balance)
    }
    if (row.name === 'available') balance.available = amount
    else balance.reserved = amount
    balance.ledger = add(balance.available, balance.reserved)
  }
  return balances
}
