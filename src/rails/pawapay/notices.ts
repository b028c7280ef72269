// pawaPay's callbacks, and the keys of their signatures. A callback, signed or not, is only a reason to ask for the
// status of the payment that it names. The signature keeps strangers out; with `callbacks: "unsigned"`, the token in the
// address does.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import { hourMs, minuteMs, secondMs } from '#platform/durations.ts'
import { createInboundNotices, noticeAnswer, type ReportedStatus } from '#rails/provider.ts'
import type { InboundNotices } from '#rails/rail.ts'
import { callbackBody, keysBody } from './answers.ts'
import type { PawapayCall } from './call.ts'
import { hasDigestOf, isSignedBy, type SignatureClaim, signatureIn } from './http-signatures.ts'

type CallbackOptions = { provider: string; keys: KeySet; clock: Clock; callbacks: 'signed' | 'unsigned' }

export function createNotices({ provider, keys, clock, callbacks }: CallbackOptions): InboundNotices {
  return createInboundNotices({
    provider,
    async verify(headers, rawBody, address) {
      if (callbacks === 'unsigned') return 'unsigned'
      const claim = signatureIn(headers)
      if (claim === undefined || !covers(claim) || !isTimely(claim, clock.now()) || !hasDigestOf(rawBody, headers))
        return 'forged'
      const found = await keys.find(claim.keyId)
      if (found.kind === 'unavailable') return 'unavailable'
      return found.kind === 'key' && isSignedBy(found.key, claim, { ...address, headers }) ? 'genuine' : 'forged'
    },
    body: callbackBody,
    interpret({ payoutId, depositId, status }) {
      const railReference = payoutId ?? depositId
      // Statements and other operations have callbacks of their own.
      if (railReference === undefined) return Promise.resolve(noticeAnswer({ about: 'other', name: 'callback' }))
      return Promise.resolve(
        noticeAnswer({ about: 'payment', railReference, says: reportedStatuses.get(status ?? '') }),
      )
    },
  })
}

const reportedStatuses: ReadonlyMap<string, ReportedStatus> = new Map(
  Object.entries({ COMPLETED: 'succeeded', FAILED: 'failed' }),
)

/** If the signature left out one of these, it could be copied from another request. */
const required = ['@method', '@path', 'content-digest']

function covers({ components }: SignatureClaim): boolean {
  return required.every((name) => components.includes(name))
}

const slackMs = minuteMs
/** A signature counts for this long at most, also if it does not say when it expires. */
const lifeMsMax = hourMs

function isTimely({ createdAtMs, expiresAtMs = createdAtMs + lifeMsMax }: SignatureClaim, nowMs: number): boolean {
  return createdAtMs <= nowMs + slackMs && nowMs <= Math.min(expiresAtMs, createdAtMs + lifeMsMax) + slackMs
}

// The public keys with which pawaPay signs its callbacks, read again after an hour. While they cannot be read, the
// known keys still count. A stranger can name any key, so after an unknown id the keys are read again at most once a
// minute, or 5 seconds after a failed read.

type KeySet = {
  find(keyId: string): Promise<{ kind: 'key'; key: KeyObject } | { kind: 'no-such-key' | 'unavailable' }>
}

const freshMs = hourMs
const unknownIdRestMs = minuteMs
const failedRestMs = 5 * secondMs
/** Short, because pawaPay waits for our answer to its callback while we read its keys. */
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

/** Undefined if the answer cannot be read. A key that Node cannot read is left out. */
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
