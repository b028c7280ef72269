// `manilla secrets reseal`: the last step of a change of SECRET_KEY. It can be killed anywhere and begun again.

import { sealedValues } from '#app.ts'
import type { Context } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { OperatorError } from '#base/error.ts'
import { createSecretBox, loadSecretKeys, type SecretBox } from '#base/secret.ts'
import { keepOneSecretKey, requireSecretKeys } from '#base/secret-keys.ts'
import { laneNumbers } from '#businesses/business.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function resealSecretsCommand(output: Output): Promise<void> {
  const config = readConfig()
  const keys = await loadSecretKeys(config)
  const box = createSecretBox(keys.secretKey, keys.previousSecretKeys)
  const { resealed, left } = await withContext(config, output.step, async (ctx) => {
    await requireSecretKeys(ctx.db, keys)
    const found = await walk(ctx, box, true)
    const remaining = found === 0 ? 0 : await walk(ctx, box, false)
    if (remaining === 0) await keepOneSecretKey(ctx.db, keys.secretKey)
    return { resealed: found - remaining, left: remaining }
  })
  if (left > 0) {
    throw new OperatorError(
      `${left} secrets were being changed at that moment, and ${resealed} are resealed. Run it again.`,
    )
  }
  const previous = keys.previousSecretKeys.length > 0 ? ' SECRET_KEY_PREVIOUS can go now.' : ''
  output.result({ resealed, left }, `Every secret is sealed with SECRET_KEY; ${resealed} were changed.${previous}`)
}

/** How many sealed values are not sealed with the key of now. */
export function countResealable(ctx: Context, box: SecretBox): Promise<number> {
  return walk(ctx, box, false)
}

async function walk(ctx: Context, box: SecretBox, write: boolean): Promise<number> {
  let found = 0
  for (const lane of await laneNumbers(ctx)) {
    for (const reseal of sealedValues) found += await reseal(inLane(ctx.db, lane), box, write)
  }
  return found
}
