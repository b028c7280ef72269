// `manilla secrets reseal`: encrypts every stored secret with SECRET_KEY, as the last step of a change of this key. The
// command can be killed at any point and run again. `resealAll` in wiring.ts lists what is encrypted, and
// tests/cli/secrets.test.ts fails if a column is missing there.

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
    // An earlier run may have been killed after it left only one key in the list. So SECRET_KEY_PREVIOUS also means
    // that the key is being changed.
    const isChange = keys.previousSecretKeys.length > 0 || (await readSecretKeys(ctx.db)).length > 1
    if (remaining > 0) return { resealed: found - remaining, left: remaining, late: 0 }
    await keepOneSecretKey(ctx.db, keys.secretKey)
    // A process with the old key may store secrets until it checks the list of keys again. The second pass, after that
    // time, re-encrypts them.
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
