// Requests whose outcome is not known once everything is quiet: callers ask again, under the same reference, until they know.

import { hangMs, holdsWithin } from './clocks.ts'
import type { Model } from './model.ts'
import { sendCollection } from './traffic/collections.ts'
import { tell } from './traffic/notices.ts'
import { sendPayout } from './traffic/payouts.ts'
import type { Member, World } from './world.ts'

/** After outages there are hundreds of them, all asked at once. */
const clearMsMax = 3 * hangMs

/**
 * A refusal is the last word only when nothing that was asked before is under way any more: what a caller gave up may be judged after
 * the same was refused to who asked again, and there may be money by then. So callers wait for each answer here, and do not ask
 * again before the service has done with what they gave up.
 */
export async function resolveUnclear(world: World, member: Member): Promise<void> {
  const { model } = world
  const impatientMs = model.patienceMs
  model.patienceMs = hangMs
  if (!(await holdsWithin(clearMsMax, async () => (await askAgain(world, member)) === 0)))
    model.wrong.add('something stayed unclear though it was asked for again and again')
  model.patienceMs = impatientMs
}

/** Resolves with how much there was. */
async function askAgain(world: World, member: Member): Promise<number> {
  const { model } = world
  await untilNothingIsUnderWay(model)
  const payouts = model.payouts.filter(({ standing }) => standing === 'unclear')
  const collections = model.collections.filter(({ standing }) => standing === 'unclear')
  const notices = model.noticed.filter(({ taken }) => !taken)
  await Promise.all([
    ...payouts.map((payout) => sendPayout(world, member, payout)),
    ...collections.map((collection) => sendCollection(world, member, collection)),
    ...notices.map((notice) => tell(world, member, notice)),
  ])
  return payouts.length + collections.length + notices.length
}

async function untilNothingIsUnderWay({ underWay, wrong }: Model): Promise<void> {
  if (!(await holdsWithin(hangMs, () => underWay.size === 0)))
    wrong.add(`${underWay.size} requests were not answered within ${hangMs} ms`)
}
