// Wallets outside Nigeria: payouts to them and collections from them, in the currencies of their operators.

import type { Collection, Payout } from '#simulate/model.ts'
import { drawCodeFate, drawFate, drawUntruth, type Ending } from '#simulate/rails/fate.ts'
import { places, type Place } from '#simulate/rails/pawapay.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type World } from '#simulate/world.ts'
import { sendCollection } from './collections.ts'
import { sendNew } from './payouts.ts'

/** Amounts in the minor unit. In a currency without decimals, the largest takes much of a balance. */
const amounts = [100, 12_550, 499_999, 7_500_000, 300_000_000]

export async function newWalletPayout(world: World, chance: Chance): Promise<void> {
  const { model, fates, providers } = world
  const [number, place] = [model.payouts.length + 1, chance.pick(places)]
  const untruth = drawUntruth(chance, world.isOn)
  const drawn = drawFate(chance, world.isOn('hanging-rail'))
  const fate = { ...drawn, ends: endingsThere[drawn.ends], ...(untruth === undefined ? {} : { untruth }) }
  const payout: Payout = {
    ...paymentAt(place, number),
    tenant: chance.pick(model.tenants),
    kind: 'momo_transfer',
    reference: `PAYOUT-${number}`,
    amount: chance.pick(amounts) + chance.below(50),
    fate,
  }
  fates.payouts.set(payout.payee, fate)
  providers?.plan(payout.payee, fate)
  model.payouts.push(payout)
  await sendNew(world, chance, payout)
}

/** A payout to a wallet is never returned, and pawaPay does not contradict itself. */
const endingsThere: Record<Ending, Ending> = {
  succeeds: 'succeeds',
  fails: 'fails',
  waits: 'waits',
  returns: 'succeeds',
  contradicts: 'succeeds',
}

export async function newWalletCollection(world: World, chance: Chance): Promise<void> {
  const { model, fates, providers, time } = world
  const [number, place] = [model.collections.length + 1, chance.pick(places)]
  const untruth = drawUntruth(chance, world.isOn)
  const drawn = drawCodeFate(chance, world.isOn('hanging-rail'))
  const fate = { ...drawn, ...(untruth === undefined ? {} : { untruth }) }
  const collection: Collection = {
    ...paymentAt(place, collectionsFrom + number),
    tenant: chance.pick(model.tenants),
    kind: 'momo_collection',
    reference: `COLLECTION-${number}`,
    amount: chance.pick(amounts) + chance.below(50),
    fate,
    needsCode: place.needsCode === true,
    askedAtMs: time.now(),
  }
  fates.collections.set(collection.payee, fate)
  providers?.planCollection(collection.payee, fate)
  model.collections.push(collection)
  await sendCollection(world, anyMember(world, chance), collection)
}

/** The numbers of paying wallets begin here, so that no wallet both receives a payout and pays a collection. */
const collectionsFrom = 500_000

function paymentAt({ currency, operator, begins, digits }: Place, number: number) {
  const payee = `${begins}${String(number).padStart(digits, '0')}`
  return { standing: 'unclear' as const, abroad: { currency, operator }, payee }
}
