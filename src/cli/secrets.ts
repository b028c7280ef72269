// `manilla secrets reseal`: the last step of a change of SECRET_KEY. It can be killed anywhere and begun again.

import { requireKeysOf, resealAll } from '#app.ts'
import { OperatorError } from '#base/error.ts'
import { createSecretBox, loadSecretKeys } from '#base/secret.ts'
import { keepOneSecretKey } from '#base/secret-keys.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function resealSecretsCommand(output: Output): Promise<void> {
  const config = readConfig()
  const keys = await loadSecretKeys(config)
  const box = createSecretBox(keys.secretKey, keys.previousSecretKeys)
  const { resealed, left } = await withContext(config, output.step, async (ctx) => {
    await requireKeysOf(ctx, keys)
    const found = await resealAll(ctx, box, 'write')
    const remaining = found === 0 ? 0 : await resealAll(ctx, box, 'count')
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
