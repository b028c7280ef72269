// Checks each balance against the model's own arithmetic: what callers asked for, what they were charged, and which
// payments succeeded.

import { ask, isUnclear } from '#simulate/traffic/ask.ts'
import { feeOf } from '#simulate/traffic/payouts.ts'
import { stagingOpeningBalance } from '#businesses/currencies.ts'
import type { Currency } from '#platform/money.ts'
import type { Collection, ModelTenant, Payout } from '#simulate/model.ts'
import { currenciesAbroad } from '#simulate/rails/pawapay.ts'
import type { World } from '#simulate/world.ts'

export async function checkBalances(world: World): Promise<void> {
  const { model, members } = world
  const [member] = members
  if (member === undefined) return
  const currencies: Currency[] = ['NGN', ...(world.isOn('pawapay') ? currenciesAbroad : [])]
  for (const tenant of model.tenants) {
    const heard = await ask(model, member.instance, tenant, '/v1/balance')
    if (isUnclear(heard) || heard.status !== 200) {
      model.wrong.add(`the balance of ${tenant.name} could not be read`)
      continue
    }
    const { balances } = heard.body.data as { balances: Told[] }
    for (const currency of currencies) {
      const expected = await balanceOf(world, tenant, currency)
      const told = balances.find((one) => one.currency === currency)
      if (told === undefined || BigInt(told.available) !== expected || told.reserved !== 0)
        model.wrong.add(
          `${tenant.name} has ${currency} ${told?.available} and ${told?.reserved} reserved in place of ${expected}`,
        )
    }
  }
}

type Told = { currency: string; available: number; reserved: number }

const currencyOf = ({ abroad }: Payout | Collection): Currency => abroad?.currency ?? 'NGN'

async function balanceOf(world: World, tenant: ModelTenant, currency: Currency): Promise<bigint> {
  const { id } = tenant.tenant
  const statuses = await world.database.ask<{ reference: string; status: string }>(
    'select reference, status from payment where tenant_id = $1',
    [id],
  )
  const statusOf = new Map(statuses.map(({ reference, status }) => [reference, status]))
  const hasMoved = (one: Payout | Collection): boolean =>
    one.tenant === tenant && currencyOf(one) === currency && statusOf.get(one.reference) === 'SUCCESS'
  let balance: bigint = stagingOpeningBalance(currency)
  for (const one of world.model.payouts) if (hasMoved(one)) balance -= BigInt(one.amount + feeOf(one))
  for (const one of world.model.collections) if (hasMoved(one)) balance += net(one.amount, currency)
  // All other money is in naira.
  if (currency !== 'NGN') return balance
  const paid = await world.database.ask<{ amount: string }>(
    `select amount from deposit where tenant_id = $1 and status = 'SUCCESSFUL' and provider <> 'momo'`,
    [id],
  )
  for (const { amount } of paid) balance += net(Number(amount))
  return balance + (await fundedOf(world, tenant)) + (await adjustedOf(world, tenant))
}

/** Sums the adjustments that a person made, and checks that there is at most one for each review item. */
async function adjustedOf({ model, database }: World, tenant: ModelTenant): Promise<bigint> {
  const rows = await database.ask<{ reference: string; amount: string }>(
    `select reference, amount from ledger_movement where tenant_id = $1 and kind = 'adjustment'`,
    [tenant.tenant.id],
  )
  const asked = model.adjustments.filter((one) => one.tenant === tenant)
  const done = Map.groupBy(rows, ({ reference }) => reference)
  for (const { because, amount, standing } of asked) {
    const found = done.get(because) ?? []
    if (found.length > 1 || (standing === 'acknowledged' && found.length === 0))
      model.wrong.add(`${because} was answered with an adjustment, and is in the books ${found.length} times`)
    if (found.some((row) => Number(row.amount) !== amount)) model.wrong.add(`${because} has another amount`)
  }
  for (const because of done.keys())
    if (!asked.some((one) => one.because === because)) model.wrong.add(`nobody adjusted because of ${because}`)
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/** The amount without the fee of 1 %, which is at most ₦300 in naira. */
function net(amount: number, currency: Currency = 'NGN'): bigint {
  const part = BigInt(amount) / 100n
  return BigInt(amount) - (part < 30_000n || currency !== 'NGN' ? part : 30_000n)
}

/**
 * Sums the funding of a tenant. An acknowledged request must be in the ledger once. An unclear one may be missing, and
 * counts only if it is there.
 */
async function fundedOf({ model, database }: World, tenant: ModelTenant): Promise<bigint> {
  const rows = await database.ask<{ amount: string }>(
    `select amount from ledger_movement where tenant_id = $1 and kind = 'funding'`,
    [tenant.tenant.id],
  )
  const counts = new Map<number, number>()
  for (const { amount } of rows) counts.set(Number(amount), (counts.get(Number(amount)) ?? 0) + 1)
  let sum = 0n
  for (const { tenant: whose, amount, standing } of model.fundings) {
    if (whose !== tenant) continue
    const count = counts.get(amount) ?? 0
    const isRight = standing === 'acknowledged' ? count === 1 : count <= (standing === 'unclear' ? 1 : 0)
    if (!isRight) model.wrong.add(`funding of ${amount} is ${standing} and is in the books ${count} times`)
    sum += BigInt(amount) * BigInt(standing === 'acknowledged' ? 1 : count)
  }
  return sum
}
