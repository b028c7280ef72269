// Checks that a call to a provider that never returned blocks nothing later: the service answers the payer's next
// one-time code for the same collection, and an instance that is stopped long after the faults stops by itself.

import { hangMs, holdsWithin } from '#simulate/clocks.ts'
import { rightCode } from '#simulate/rails/collections.ts'
import { sendCode } from '#simulate/traffic/collections.ts'
import type { World } from '#simulate/world.ts'

/** The longest time that the service may take to answer a code. */
const codeMsMax = 60_000
const collectionsMax = 3

export async function checkCodesAnswered(world: World): Promise<void> {
  const { model, members, sides } = world
  const hung = [...sides.first.codes, ...sides.other.codes].filter(([, codes]) => codes.hung).map(([key]) => key)
  const payees = hung.map((key) => (sides.first.arrivals.get(key) ?? sides.other.arrivals.get(key))?.payee)
  const collections = model.collections.filter(
    ({ payee, standing }) => payees.includes(payee) && standing === 'acknowledged',
  )
  world.time.advance(codeMsMax)
  for (const collection of collections.slice(0, collectionsMax)) {
    const areAnswered = async (): Promise<boolean> => {
      const answers = await Promise.all(members.map((member) => sendCode(world, member, collection, rightCode)))
      return !answers.includes('silence')
    }
    if (!(await holdsWithin(hangMs, areAnswered)))
      model.wrong.add(`a code for ${collection.reference} is not answered: one before it never came back`)
  }
}

/** Stops all instances, so it is the last check of a world. */
export async function checkStops({ members, model }: World): Promise<void> {
  const waits = await Promise.all(members.map(async ({ instance }) => ({ instance, ms: await instance.stop(hangMs) })))
  for (const { instance, ms } of waits)
    if (ms > 0) model.wrong.add(`${instance.name} could not stop by itself: it still held what never came back`)
}
