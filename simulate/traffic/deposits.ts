// Money that testers bring in: customers and their accounts, made-up deposits and their final status, and funding.

import type { Answer } from '#tests/support/client.ts'
import type { Account, MadeUpDeposit, ModelTenant } from '#simulate/model.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'
import { isUnclear, post } from './ask.ts'
import { hugeAmount } from './payouts.ts'

/** Names a new record with a random number, so that two records hardly ever share a name. */
function nameFor(chance: Chance, kind: string): string {
  return `${kind}-${chance.below(1_000_000_000)}`
}

export async function openStatic(
  world: World,
  chance: Chance,
  tenant = chance.pick(world.model.tenants),
): Promise<void> {
  const { model, isOn } = world
  const customerReference = nameFor(chance, 'CUSTOMER')
  const known = isOn('real-rails') ? { phoneNumber: '08030000000', bvn: '22211100099' } : {}
  const customer = { reference: customerReference, firstName: 'Ada', lastName: 'Obi', ...known }
  const { instance } = anyMember(world, chance)
  const made = await post(model, instance, tenant, '/v1/customers', customer)
  if (isUnclear(made) || made.status !== 200) return
  const opened = await post(model, instance, tenant, '/v1/virtual-accounts/static', { customerReference })
  if (!isUnclear(opened) && opened.status === 200) tenant.accounts.push(accountOf(tenant, opened))
}

export async function openDynamic(world: World, chance: Chance): Promise<void> {
  const { model, isOn } = world
  const tenant = chance.pick(model.tenants)
  // Paystack opens no account for a smaller amount, and no provider sends a smaller amount back.
  const least = isOn('real-rails') ? 50_000 : 1_000
  const [amount, exact] = [chance.between(least, 5_000_000), chance.happens(0.7)]
  const body = {
    amount,
    reference: nameFor(chance, 'ORDER'),
    amountPolicy: exact ? 'exact' : 'any',
    expiresInMinutes: chance.between(5, 20),
  }
  const { instance } = anyMember(world, chance)
  const opened = await post(model, instance, tenant, '/v1/virtual-accounts/dynamic', body)
  if (isUnclear(opened) || opened.status !== 200) return
  tenant.accounts.push({ ...accountOf(tenant, opened), waitsFor: { amount, exact } })
}

function accountOf(tenant: ModelTenant, { body }: Answer): Account {
  const { accountNumber } = body.data as { accountNumber: string }
  return { tenant, accountNumber }
}

/** Pays into an account. A dynamic account, which expects one payment, often gets two at once. */
export async function makeUpDeposit(world: World, chance: Chance): Promise<void> {
  const { accounts } = chance.pick(world.model.tenants)
  if (accounts.length === 0) return
  const account = chance.pick(accounts)
  const copies = account.waitsFor !== undefined && chance.happens(0.5) ? 2 : 1
  await Promise.all(Array.from({ length: copies }, () => payInto(world, chance, account)))
}

async function payInto(world: World, chance: Chance, account: Account): Promise<void> {
  const { model, isOn } = world
  const { tenant } = account
  const wanted = account.waitsFor?.amount ?? chance.between(1_000, 9_000_000)
  const odd = chance.happens(0.2) ? chance.between(1, 500) : 0
  const amount = isOn('huge-amounts') && chance.happens(0.05) ? hugeAmount : wanted + odd
  const deposit: MadeUpDeposit = { tenant, standing: 'unclear', narration: nameFor(chance, 'PAID'), amount, account }
  model.madeUp.push(deposit)
  const body = {
    accountNumber: account.accountNumber,
    amount,
    narration: deposit.narration,
    status: chance.pick(['SUCCESSFUL', 'SUCCESSFUL', 'PENDING', 'FAILED']),
  }
  const heard = await post(model, anyMember(world, chance).instance, tenant, '/v1/sandbox/deposits', body)
  if (isUnclear(heard)) return
  deposit.standing = heard.status === 200 ? 'acknowledged' : 'refused'
  const data = heard.body.data as { reference?: string } | undefined
  if (heard.status === 200 && data?.reference !== undefined) deposit.reference = data.reference
  if (heard.status !== 200 && amount !== hugeAmount)
    model.wrong.add(`${deposit.narration} was answered ${heard.status} ${heard.text}`)
}

export async function settleSome(world: World, chance: Chance): Promise<void> {
  const known = world.model.madeUp.flatMap(({ reference, tenant }) =>
    reference === undefined ? [] : [{ reference, tenant }],
  )
  if (known.length === 0) return
  const { reference, tenant } = chance.pick(known)
  const status = chance.pick(['SUCCESSFUL', 'FAILED'])
  await settleDeposit(world, anyMember(world, chance), tenant, reference, status)
}

/** Gives a deposit a final status. Returns whether the service answered. 409: the deposit already has the other status. */
export async function settleDeposit(
  { model }: World,
  { instance }: Member,
  tenant: ModelTenant,
  reference: string,
  status: string,
): Promise<boolean> {
  const heard = await post(model, instance, tenant, `/v1/sandbox/deposits/${reference}/settle`, { status })
  if (isUnclear(heard)) return false
  if (heard.status !== 200 && heard.status !== 409)
    model.wrong.add(`settling ${reference} was answered ${heard.status} ${heard.text}`)
  return true
}

/** Adds money. Each amount is different, because funding has no reference, and the ledger shows only its amount. */
export async function addFunding(world: World, chance: Chance): Promise<void> {
  const { model, isOn } = world
  const tenant = chance.pick(model.tenants)
  const huge = isOn('huge-amounts') && chance.happens(0.1)
  const amount = huge ? hugeAmount - model.fundings.length : 1_000_000 + model.fundings.length
  const funding = { tenant, standing: 'unclear' as 'unclear' | 'acknowledged' | 'refused', amount }
  model.fundings.push(funding)
  const heard = await post(model, anyMember(world, chance).instance, tenant, '/v1/sandbox/balance/fund', { amount })
  if (isUnclear(heard)) return
  funding.standing = heard.status === 200 ? 'acknowledged' : 'refused'
  if (heard.status !== 200 && !huge) model.wrong.add(`funding was answered ${heard.status} ${heard.text}`)
}
