// The public keys with which pawaPay signs its callbacks, kept for an hour. A stranger can name any key, so an unknown
// id has them read again once a minute at most.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import { hourMs, minuteMs, secondMs } from '#platform/durations.ts'
import { keysBody } from './answers.ts'
import type { PawapayCall } from './call.ts'

export type KeySet = {
  find(keyId: string): Promise<{ kind: 'key'; key: KeyObject } | { kind: 'no-such-key' | 'unavailable' }>
}

const freshMs = hourMs
const unknownIdRestMs = minuteMs
const failedRestMs = 5 * secondMs
/** A provider waits for the answer to its callback. */
const timeoutMs = 5 * secondMs

export function createKeySet(call: PawapayCall, clock: Clock): KeySet {
  let keys: ReadonlyMap<string, KeyObject> | undefined
  let freshUntilMs = -Infinity
  let restsUntilMs = -Infinity
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const said = await call({ endpoint: 'public-key', method: 'GET', path: '/v2/public-key/http', timeoutMs })
    const found = said.kind === 'success' ? keysIn(said.body) : undefined
    if (found !== undefined) [keys, freshUntilMs] = [found, clock.monotonicMs() + freshMs]
    restsUntilMs = clock.monotonicMs() + (found === undefined ? failedRestMs : unknownIdRestMs)
  }

  return {
    async find(keyId) {
      const isFresh = clock.monotonicMs() < freshUntilMs && keys?.has(keyId) === true
      if (!isFresh && clock.monotonicMs() >= restsUntilMs)
        await (reading ??= read().finally(() => (reading = undefined)))
      if (keys === undefined) return { kind: 'unavailable' }
      const key = keys.get(keyId)
      return key === undefined ? { kind: 'no-such-key' } : { kind: 'key', key }
    },
  }
}

/** Undefined if it cannot be read. A key that Node cannot read is left out. */
function keysIn(body: unknown): Map<string, KeyObject> | undefined {
  const { rows } = keysBody.safeParse(body).data ?? {}
  return rows && new Map(rows.flatMap(({ id, key }) => keyOf(key)?.map((one) => [id, one] as const) ?? []))
}

function keyOf(pem: string): [KeyObject] | undefined {
  try {
    return [createPublicKey(pem)]
  } catch {
    return undefined
  }
}
