// Notices of a made-up provider about money that came in. They reach any instance, repeatedly and in any order.

import type { NoticedDeposit } from '#simulate/model.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'

export async function newNotice(world: World, chance: Chance): Promise<void> {
  const { model, isOn, time } = world
  const tenant = chance.pick(model.tenants)
  const account = tenant.accounts.find(({ waitsFor }) => waitsFor === undefined)
  const provider = account === undefined ? undefined : await openerOf(world, account.accountNumber)
  // provider-money.ts pays into the accounts of Paystack and Monnify, so this made-up provider leaves their accounts
  // out.
  if (account === undefined || provider === undefined || provider === 'paystack' || provider === 'monnify') return
  const notice: NoticedDeposit = {
    tenant,
    provider,
    providerId: `NOTICE-${model.noticed.length + 1}`,
    amount: chance.between(1_000, 2_000_000),
    accountNumber: account.accountNumber,
    ends: chance.happens(0.85) ? 'SUCCESSFUL' : 'FAILED',
    taken: false,
    paidAtMs: time.now(),
  }
  model.noticed.push(notice)
  const early = chance.happens(0.3) ? sendNotice(world, anyMember(world, chance), notice, 'PENDING') : undefined
  const copies = chance.pick([1, 1, 2, 3])
  await Promise.all([
    early,
    ...Array.from({ length: copies }, () => sendNotice(world, anyMember(world, chance), notice)),
  ])
  // The money belongs to the tenant whose notice the service accepts first, so the notice for the other one comes later.
  if (isOn('notice-to-two') && chance.happens(0.3) && notice.taken) await tellForAnother(world, chance, notice)
}

/** Returns the rail that opened the account; no other rail may bring money to it. Undefined if PostgreSQL is away. */
async function openerOf({ database }: World, accountNumber: string): Promise<string | undefined> {
  const found = await database
    .ask<{ rail: string }>('select rail from virtual_account where account_number = $1', [accountNumber])
    .catch(() => [])
  return found[0]?.rail
}

export async function sameNoticeAgain(world: World, chance: Chance): Promise<void> {
  const { noticed } = world.model
  if (noticed.length > 0) await sendNotice(world, anyMember(world, chance), chance.pick(noticed))
}

/** Sends a notice once, and records whether the service accepted its final status. */
export async function sendNotice(
  { model }: World,
  { notices }: Member,
  notice: NoticedDeposit,
  word = wordOf(notice),
): Promise<void> {
  const { provider, providerId, accountNumber, amount, paidAtMs } = notice
  const heard = await notices.tell({ provider, providerId, accountNumber, amount, paidAtMs, status: word })
  if (heard === 'taken' && word === notice.ends) notice.taken = true
  if (heard === 'kept') model.wrong.add(`${providerId} was kept as money without an owner, though its account was open`)
  if (heard === 'contradicted') model.wrong.add(`${providerId} was called a contradiction of itself`)
}

function wordOf({ ends }: NoticedDeposit): NoticedDeposit['ends'] | 'PENDING' {
  return ends
}

/** Reports the same money, under the same id, for an account of another tenant. The service must not credit it again. */
async function tellForAnother(world: World, chance: Chance, notice: NoticedDeposit): Promise<void> {
  const others = world.model.tenants.filter((tenant) => tenant !== notice.tenant)
  const account = chance.pick(others).accounts.find(({ waitsFor }) => waitsFor === undefined)
  if (account === undefined) return
  const { provider, providerId, amount, paidAtMs, ends } = notice
  const { notices } = anyMember(world, chance)
  await notices.tell({ provider, providerId, accountNumber: account.accountNumber, amount, paidAtMs, status: ends })
}
