// `manilla secrets reseal`: the last step of a change of SECRET_KEY. It can be killed anywhere and begun again.

import { setTimeout as pause } from 'node:timers/promises'
import { requireKeysOf, resealAll } from '#app.ts'
import { OperatorError } from '#platform/errors.ts'
import { createSecretBox, loadSecretKeys, keepOneSecretKey, lastSealsMs, readSecretKeys } from '#platform/secrets.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function resealSecretsCommand(output: Output): Promise<void> {
  const config = readConfig()
  const keys = await loadSecretKeys(config)
  const box = createSecretBox(keys.secretKey, keys.previousSecretKeys)
  const { resealed, left, late } = await withContext(config, output.step, async (ctx) => {
    await requireKeysOf(ctx, keys)
    const found = await resealAll(ctx, box, 'write')
    const remaining = found === 0 ? 0 : await resealAll(ctx, box, 'count')
    const isChange = (await readSecretKeys(ctx.db)).length > 1
    if (remaining > 0) return { resealed: found - remaining, left: remaining, late: 0 }
    await keepOneSecretKey(ctx.db, keys.secretKey)
    // A process that still has the old key learns before its next sealing that the key is not listed any more. This
    // finds the values that it sealed in between.
    if (isChange) await pause(lastSealsMs)
    const after = isChange ? await resealAll(ctx, box, 'write') : 0
    return { resealed: found + after, left: 0, late: after }
  })
  if (left > 0) {
    throw new OperatorError(
      `Re-encrypted ${resealed} secrets. ${left} others were locked by another process. Run the command again.`,
    )
  }
  const others =
    late === 0
      ? ''
      : ` A process with the old key stored ${late} of them; it can store no more secrets. Restart it with the new key.`
  const previous = keys.previousSecretKeys.length > 0 ? ' You can remove SECRET_KEY_PREVIOUS now.' : ''
  output.result(
    { resealed, left },
    `All secrets are encrypted with SECRET_KEY; ${resealed} were re-encrypted.${others}${previous}`,
  )
}
