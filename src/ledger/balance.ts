// What a business has: read through a loader, because every dashboard and every script asks for it.

import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { createLaneLoaders } from '#base/lane-loaders.ts'
import { add, toKobo, zero, type Kobo } from '#base/money.ts'
import { readBalances, type AccountRow } from './sql.ts'

export type Balance = { currency: string; available: Kobo; reserved: Kobo; ledger: Kobo }

export type BalanceReader = { read(tenant: Tenant): Promise<Balance[]> }

export function createBalanceReader(ctx: Context): BalanceReader {
  const loaders = createLaneLoaders<Uuid, Balance[]>(ctx, {
    name: 'balances',
    keyText: (tenantId) => tenantId,
    query: async (lane, tenantIds) => gather(await readBalances(lane, tenantIds)),
  })
  return { read: async (tenant) => (await loaders.load(tenant.lane, tenant.id)) ?? [] }
}

function gather(rows: AccountRow[]): Map<Uuid, Balance[]> {
  const balances = new Map<Uuid, Balance[]>()
  for (const row of rows) {
    const amount = toKobo(row.credits - row.debits)
    const list = balances.get(row.tenantId) ?? []
    balances.set(row.tenantId, list)
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
