// Faults of calls to Paystack and Monnify: the next calls of one kind, from any process, are answered late, in part, with an
// error or an HTML page, or not at all. Also brings the providers' lists up to date, which otherwise lag behind.

import { present } from '#platform/assert.ts'
import { acts, type Act, type FakeServer } from '#tests/support/fakes/provider.ts'
import type { Chance } from '#simulate/seed.ts'
import type { World } from '#simulate/world.ts'

const paystackCalls = [
  /^POST \/transferrecipient$/,
  /^POST \/customer$/,
  /^GET \/dedicated_account$/,
  /^POST \/dedicated_account$/,
  /^POST \/charge$/,
  /^GET \/charge\//,
  /^POST \/refund$/,
  /^GET \/refund$/,
  /^GET \/transaction\/verify\//,
  /^GET \/transfer\/verify\//,
  /^GET \/(transfer|transaction|balance\/ledger)$/,
  /^GET \/balance$/,
]

const monnifyCalls = [
  /^POST \/api\/v1\/auth\/login$/,
  /^POST .*\/reserved-accounts$/,
  /^GET .*\/reserved-accounts\//,
  /^POST .*\/invoice\/create$/,
  /^DELETE .*\/invoice\//,
  /^POST .*\/refunds\/initiate-refund$/,
  /^GET .*\/refunds\//,
  /^GET .*\/transactions\/MNFY/,
  /^GET .*\/single\/summary$/,
  /^GET .*\/(search-transactions|search|statement)$/,
  /^GET .*\/wallet-balance$/,
]

/**
 * Acts that change what an answer says. `troubles` leaves them out, because the fate of a payment already determines the answers
 * about it, and nothing would ever correct an untrue answer about an account, a refund or a paid amount.
 */
const words: readonly Act[] = [
  'answer',
  'other-payment',
  'other-amount',
  'odd-word',
  'duplicate',
  'duplicate-untrue',
  'missing',
  'no-money',
  'key-refused',
]
const troubles = acts.filter((act) => !words.includes(act))

export function spoilSomeCall({ providers, isOn }: World, chance: Chance): Promise<void> {
  const { paystack, monnify } = present(providers, 'a world with providers')
  if (isOn('odd-lists') && chance.happens(0.2)) paystack.lists.circling = chance.between(1, 3)
  const [fake, calls] = chance.pick([[paystack, paystackCalls] as const, [monnify, monnifyCalls] as const])
  spoilCallOf(fake, calls, chance)
  return Promise.resolve()
}

export function spoilCallOf(fake: FakeServer, calls: readonly RegExp[], chance: Chance): void {
  fake.meet(chance.pick(calls), ...Array.from({ length: chance.between(1, 2) }, () => chance.pick(troubles)))
}

export function bringListsUpToDate({ providers }: World): Promise<void> {
  providers?.lists.bringUpToDate()
  return Promise.resolve()
}
