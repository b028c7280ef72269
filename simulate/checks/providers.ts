// Checks of worlds with `real-rails`: each incoming payment became one deposit or was refunded once. The balance of each
// provider equals our record of it, to the kobo. Every open account has an owner here, and no mismatch is open.

import { refundsOf, type SentBack } from '#simulate/rails/provider-lists.ts'
import type { Model, ProviderMoney } from '#simulate/model.ts'
import type { Currency } from '#platform/money.ts'
import type { Pawapay } from '#simulate/rails/pawapay.ts'
import type { Providers } from '#simulate/rails/providers.ts'
import type { World } from '#simulate/world.ts'

export async function checkProviders(world: World): Promise<void> {
  const { providers } = world
  if (providers === undefined) return
  await checkMoney(world, providers)
  await checkOpenAccounts(world, providers)
  await checkBreaks(world)
  for (const name of ['paystack', 'monnify'] as const) {
    // The provider has settled everything by now, so nothing is receivable. It has refunded the money that was paid into
    // accounts without an owner, so nothing is in suspense.
    const expected = { balance: providers.lists.held[name], receivable: 0n, suspense: 0n }
    checkFloat(world, `${name} in NGN`, expected, await readFloat(world, name, 'NGN'))
  }
  const { pawapay } = providers
  if (pawapay !== undefined) await checkWallets(world, pawapay)
}

type DepositRow = { provider: string; provider_id: string; amount: string; status: string; refund: string | null }

async function checkMoney({ model, database }: World, { paystack, monnify }: Providers): Promise<void> {
  const rows = await database.ask<DepositRow>(
    `select d.provider, d.provider_id, d.amount, d.status, r.status as refund
       from deposit d left join deposit_refund r on r.lane = d.lane and r.tenant_id = d.tenant_id and r.deposit_id = d.id
      where d.provider in ('paystack', 'monnify')`,
  )
  const sentBack = refundsOf(paystack, monnify)
  const deposits = Map.groupBy(rows, (row) => `${row.provider} ${row.provider_id}`)
  const refunds = Map.groupBy(sentBack, (one) => `${one.provider} ${one.transaction}`)
  for (const money of model.paid) {
    const name = `${money.provider} ${money.id}`
    checkOne(model, money, deposits.get(name) ?? [], refunds.get(name) ?? [])
    deposits.delete(name)
    refunds.delete(name)
  }
  for (const name of deposits.keys()) model.wrong.add(`nobody paid what became the deposit ${name}`)
  for (const name of refunds.keys()) model.wrong.add(`nobody paid what was sent back as ${name}`)
}

function checkOne({ wrong }: Model, money: ProviderMoney, found: DepositRow[], sentBack: SentBack[]): void {
  const name = `the money ${money.id} at ${money.provider}`
  const [deposit] = found
  if (deposit === undefined || found.length > 1) return void wrong.add(`${name} became ${found.length} deposits`)
  if (Number(deposit.amount) !== money.amount) wrong.add(`${name} became a deposit of ${deposit.amount}`)
  const isKept = deposit.status === 'SUCCESSFUL'
  if (!isKept && deposit.refund !== 'REFUNDED')
    wrong.add(`${name} is ${deposit.status}, and its refund ${deposit.refund}`)
  if (sentBack.length !== (isKept ? 0 : 1))
    wrong.add(`${name} is ${deposit.status} and was sent back ${sentBack.length} times`)
  if (sentBack.some(({ amount }) => amount !== BigInt(money.amount))) wrong.add(`${name} was sent back in part`)
}

async function checkOpenAccounts({ model, database }: World, { paystack, monnify }: Providers): Promise<void> {
  const rows = await database.ask<{ account_number: string }>('select account_number from virtual_account')
  const ours = new Set(rows.map((row) => row.account_number))
  for (const number of [...paystack.accounts.open(), ...monnify.accounts.reserved()])
    if (!ours.has(number)) model.wrong.add(`the account ${number} is open at its provider and nobody's`)
}

type BreakRow = { rail: string; kind: string; fact: string; closed_at: Date | null }

/** A mismatch of these kinds is wrong even if it was closed, because no list of a world gives a reason for one. */
const impossible = ['unknown-payout', 'double', 'amount', 'fee', 'unknown-change']

async function checkBreaks({ model, database }: World): Promise<void> {
  const rows = await database.ask<BreakRow>('select rail, kind, fact, closed_at from rail_break')
  for (const { rail, kind, fact, closed_at: closedAt } of rows)
    if (closedAt === null || impossible.includes(kind))
      model.wrong.add(`a break with ${rail} ${closedAt === null ? 'is open' : 'was opened'}: ${kind}: ${fact}`)
}

/** pawaPay adds a collected amount to the wallet at once, without a settlement, so balance and receivable count together. */
async function checkWallets(world: World, { wallets }: Pawapay): Promise<void> {
  for (const wallet of wallets.all) {
    const { country, currency } = wallet
    const { balance = 0n, receivable = 0n, suspense } = await readFloat(world, 'pawapay', currency, country)
    const expected = { balance: wallets.held(wallet), suspense: 0n }
    checkFloat(world, `pawapay in ${country}`, expected, { balance: balance + receivable, suspense })
  }
}

type FloatBook = Partial<Record<string, bigint>>

/** Without `country`, sums the books of all countries. */
async function readFloat({ database }: World, rail: string, currency: Currency, country?: string): Promise<FloatBook> {
  const rows = await database.ask<{ account: string; balance: string }>(
    `select account, sum(amount)::text as balance from (
       select credit as account, amount from float_movement
        where environment = 'staging' and rail = $1 and currency = $2 and ($3::text is null or country = $3)
        union all
       select debit, -amount from float_movement
        where environment = 'staging' and rail = $1 and currency = $2 and ($3::text is null or country = $3)) as sides
      group by account`,
    [rail, currency, country ?? null],
  )
  return Object.fromEntries(rows.map(({ account, balance }) => [account, BigInt(balance)]))
}

function checkFloat({ model }: World, where: string, expected: Record<string, bigint>, book: FloatBook): void {
  for (const [account, balance] of Object.entries(expected))
    if ((book[account] ?? 0n) !== balance)
      model.wrong.add(`the float book of ${where} has ${book[account] ?? 0n} in ${account} in place of ${balance}`)
}
