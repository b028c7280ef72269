// Runs the actions of callers, testers, providers and an operator in a world, in random order, twelve at a time.

import { hangMs } from '#simulate/clocks.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type World } from '#simulate/world.ts'
import { newBulk } from './bulk.ts'
import { newCollection, tryCodes } from './collections.ts'
import { newContradiction, prepareProduction, turnSome } from './contradictions.ts'
import { addFunding, makeUpDeposit, openDynamic, openStatic, settleSome } from './deposits.ts'
import { newNotice, sameNoticeAgain } from './notices.ts'
import { completePayout, newPayout, samePayoutAgain } from './payouts.ts'
import { payAtProvider, tellOfMoneyAgain, tellOfRefund } from './provider-money.ts'
import { moveWallet, openBooks, spoilCallOfWallets, tellOfWallet } from './callbacks.ts'
import { tellOfTransfer } from './provider-notices.ts'
import { bringListsUpToDate, spoilSomeCall } from './provider-trouble.ts'
import {
  adjustForContradictions,
  adoptOrphan,
  closeSomething,
  pauseAndResume,
  resolveSomeRefund,
  resumeSomeRail,
  returnByHand,
  settleByHand,
} from './person.ts'
import { readSomething } from './reads.ts'
import { newWalletCollection, newWalletPayout } from './wallets.ts'
import { subscribeAndDelete, retryFailedDeliveries, rotateSecret, subscribe } from './webhooks.ts'

type Deed = (world: World, chance: Chance) => Promise<void>

const deeds: [number, Deed][] = [
  [30, newPayout],
  [10, samePayoutAgain],
  [3, newBulk],
  [3, completePayout],
  [14, newCollection],
  [14, tryCodes],
  [2, openStatic],
  [4, openDynamic],
  [10, makeUpDeposit],
  [5, settleSome],
  [7, newNotice],
  [4, sameNoticeAgain],
  [6, addFunding],
  [1, subscribeAndDelete],
  [2, rotateSecret],
  [3, retryFailedDeliveries],
  [10, readSomething],
]

/**
 * Used only with the switch `real-rails`, so that a seed without it gives the same world as before there were
 * providers.
 */
const deedsOfProviders: [number, Deed][] = [
  [10, tellOfTransfer],
  [14, payAtProvider],
  [4, tellOfMoneyAgain],
  [3, tellOfRefund],
  [6, spoilSomeCall],
  [6, bringListsUpToDate],
]

/** Used only with the switch `pawapay`. */
const deedsOfWallets: [number, Deed][] = [
  [24, newWalletPayout],
  [16, newWalletCollection],
  [12, tellOfWallet],
  [3, spoilCallOfWallets],
  [3, moveWallet],
]

/** Used only with the switch `corrections`. */
const deedsOfPerson: [number, Deed][] = [
  [8, settleByHand],
  [2, returnByHand],
  [1, pauseAndResume],
  [1, resumeSomeRail],
  [2, adjustForContradictions],
  [1, closeSomething],
  [3, adoptOrphan],
  [2, resolveSomeRefund],
]

/** Used only with the switch `contradictions`. */
const deedsOfContradictions: [number, Deed][] = [
  [7, newContradiction],
  [3, turnSome],
]

function bagOf({ isOn }: World): Deed[] {
  const all = [
    ...deeds,
    ...(isOn('contradictions') ? deedsOfContradictions : []),
    ...(isOn('real-rails') ? deedsOfProviders : []),
    ...(isOn('pawapay') ? deedsOfWallets : []),
    ...(isOn('corrections') ? deedsOfPerson : []),
  ]
  return all.flatMap(([weight, deed]) => Array<Deed>(weight).fill(deed))
}

const callers = 12

export async function prepareTraffic(world: World): Promise<void> {
  const chance = world.chance.fork('preparation')
  const { model } = world
  // No fault strikes yet: a late answer only means that the machine is slow, so callers wait for it.
  const impatientMs = model.patienceMs
  model.patienceMs = hangMs
  if (world.isOn('contradictions')) await prepareProduction(world, anyMember(world, chance))
  if (world.isOn('pawapay')) await openBooks(world, anyMember(world, chance))
  for (const tenant of model.tenants) {
    for (let count = 0; count < 2; count += 1) await subscribe(world, anyMember(world, chance), tenant)
    await openStatic(world, chance, tenant)
    for (const { path } of tenant.subscriptions) world.receivers.trouble(path, chance)
  }
  model.patienceMs = impatientMs
}

/** Calls `onStep` with the number of each deed before it begins, until `onStep` returns false. */
export async function runTraffic(world: World, onStep: (step: number) => boolean): Promise<void> {
  const bag = bagOf(world)
  let step = 0
  const caller = async (_: unknown, number: number): Promise<void> => {
    const chance = world.chance.fork(`caller ${number}`)
    while (onStep((step += 1))) await chance.pick(bag)(world, chance)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}
