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
    // A process that still has the old key learns that it is not listed any more before it seals again. What it sealed in between
    // is found now.
    if (isChange) await pause(lastSealsMs)
    const after = isChange ? await resealAll(ctx, box, 'write') : 0
    return { resealed: found + after, left: 0, late: after }
  })
  if (left > 0) {
    throw new OperatorError(
      `${left} secrets were being changed at that moment, and ${resealed} are resealed. Run it again.`,
    )
  }
  const others =
    late === 0
      ? ''
      : ` ${late} of them by a process that still has the old key: it stores no secret any more. Restart it with the new one.`
  const previous = keys.previousSecretKeys.length > 0 ? ' SECRET_KEY_PREVIOUS can go now.' : ''
  output.result(
    { resealed, left },
    `Every secret is sealed with SECRET_KEY; ${resealed} were changed.${others}${previous}`,
  )
}
