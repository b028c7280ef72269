// What a pause or a stop held back is due again when it is lifted.

import type { Context } from '#base/context.ts'
import { inLane, type InLane } from '#base/db.ts'

/** Of each kind at each rail in one statement: some 10 ms. */
const wakeMax = 1_000

/** Resolves with how many payments are due now. */
export async function wakeInPieces(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  lanes: readonly number[],
  wake: (lane: InLane, now: Date, max: number) => Promise<number>,
): Promise<number> {
  let woken = 0
  for (const lane of lanes) {
    const now = new Date(clock.now())
    let some: number
    do woken += some = await wake(inLane(db, lane), now, wakeMax)
    while (some >= wakeMax)
  }
  return woken
}
