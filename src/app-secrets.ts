// All that is kept sealed, whichever room it is in, and the keys that a process must have for it.

import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import type { ResealMode } from '#base/reseal.ts'
import { readSecretKeys, requireSecretKeys } from '#base/secret-keys.ts'
import { createSecretBox, type SecretBox, type SecretKeys } from '#base/secret.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { resealCustomers } from '#customers/reseal.ts'
import { resealNotices } from '#notices/reseal.ts'
import { resealPeople } from '#people/factor-secret.ts'
import { resealSubscriptions } from '#webhooks/reseal.ts'

/** Each kind of sealed values with what changes its key on a lane. */
const sealedValues = [resealSubscriptions, resealCustomers, resealNotices]

/** Resolves with how many values were not sealed with the key of now. */
export async function resealAll(ctx: Context, box: SecretBox, how: ResealMode): Promise<number> {
  let found = await resealPeople(ctx.db, box, how) // People are of no lane.
  for (const lane of await laneNumbers(ctx)) {
    for (const reseal of sealedValues) found += await reseal(inLane(ctx.db, lane), box, how)
  }
  return found
}

/**
 * Throws what to do when a stored secret may not open. A database of a version that noted no keys knows of none, so there the
 * keys are tried on what is stored, before the first of them is noted as the right one.
 */
export async function requireKeysOf(ctx: Context, keys: SecretKeys): Promise<void> {
  if ((await readSecretKeys(ctx.db)).length === 0)
    await resealAll(ctx, createSecretBox(keys.secretKey, keys.previousSecretKeys), 'look')
  await requireSecretKeys(ctx.db, keys)
}
