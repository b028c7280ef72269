// When the faults are over, repeats the requests whose outcome is unclear, as callers do: with the same reference,
// until the outcome is known.

import { hangMs, holdsWithin } from './clocks.ts'
import type { Model } from './model.ts'
import { sendCollection } from './traffic/collections.ts'
import { sendNotice } from './traffic/notices.ts'
import { sendPayout } from './traffic/payouts.ts'
import type { Member, World } from './world.ts'

/** After outages there are hundreds of unclear requests, and all are sent at once. */
const clearMsMax = 3 * hangMs

/**
 * While an earlier request with the same reference is under way, a refusal is not final: the service may still accept
 * the earlier request, which its caller gave up, if the balance is enough by then. So callers wait here for every
 * answer, and ask again only when the service has answered all requests.
 */
export async function resolveUnclear(world: World, member: Member): Promise<void> {
  const { model } = world
  const impatientMs = model.patienceMs
  model.patienceMs = hangMs
  if (!(await holdsWithin(clearMsMax, async () => (await askAgain(world, member)) === 0)))
    model.wrong.add('something stayed unclear though it was asked for again and again')
  model.patienceMs = impatientMs
}

/**
 * Resolves with the number of payouts and collections that were unclear before this attempt, plus the number of notices
 * that the service had not accepted.
 */
async function askAgain(world: World, member: Member): Promise<number> {
  const { model } = world
  await untilNothingIsUnderWay(model)
  const payouts = model.payouts.filter(({ standing }) => standing === 'unclear')
  const collections = model.collections.filter(({ standing }) => standing === 'unclear')
  const notices = model.noticed.filter(({ taken }) => !taken)
  await Promise.all([
    ...payouts.map((payout) => sendPayout(world, member, payout)),
    ...collections.map((collection) => sendCollection(world, member, collection)),
    ...notices.map((notice) => sendNotice(world, member, notice)),
  ])
  return payouts.length + collections.length + notices.length
}

async function untilNothingIsUnderWay({ underWay, wrong }: Model): Promise<void> {
  if (!(await holdsWithin(hangMs, () => underWay.size === 0)))
    wrong.add(`${underWay.size} requests were not answered within ${hangMs} ms`)
}
