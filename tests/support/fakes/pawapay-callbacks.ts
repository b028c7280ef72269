// pawaPay's callbacks as its page "Signatures" shows them: the signature covers method, authority, path, date, digest
// and type.

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'

export type CallbackAddress = { method: string; authority: string; path: string }

export type CallbackOptions = {
  /** The encoding of the ECDSA signature: `der` as in both official examples, or as the RFC says. */
  encoding?: 'der' | 'ieee-p1363'
  digest?: 'sha-256' | 'sha-512'
  /** The age of the signature. */
  ageMs?: number
  /** Signs with a key that pawaPay does not publish, under the id of one that it publishes. */
  isForged?: boolean
  keyId?: string
}

export type Callback = { headers: Record<string, string>; rawBody: Buffer }

export const callbackKeyId = 'HTTP_EC_P256_KEY:1'
const lifeSeconds = 60
const components = '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")'

export function createCallbacks(clock: Clock) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  function signed(body: string, address: CallbackAddress, options: CallbackOptions = {}): Callback {
    const { encoding = 'der', digest = 'sha-512', ageMs = 0, isForged = false, keyId = callbackKeyId } = options
    const atMs = clock.now() - ageMs
    const created = Math.floor(atMs / 1_000)
    const date = new Date(atMs).toISOString()
    const sum = createHash(digest.replace('-', '')).update(body).digest('base64')
    const contentDigest = `${digest}=:${sum}:`
    const params = `${components};alg="ecdsa-p256-sha256";keyid="${keyId}";created=${created};expires=${created + lifeSeconds}`
    const base = [
      `"@method": ${address.method}`,
      `"@authority": ${address.authority}`,
      `"@path": ${address.path}`,
      `"signature-date": ${date}`,
      `"content-digest": ${contentDigest}`,
      '"content-type": application/json',
      `"@signature-params": ${params}`,
    ].join('\n')
    const key = isForged ? stranger.privateKey : pair.privateKey
    const signature = sign('sha256', Buffer.from(base), { key, dsaEncoding: encoding }).toString('base64')
    const headers = {
      signature: `sig-pp=:${signature}:`,
      'signature-input': `sig-pp=${params}`,
      'signature-date': date,
      'content-digest': contentDigest,
      'content-type': 'application/json',
    }
    return { headers, rawBody: Buffer.from(body) }
  }

  return {
    signed,
    /** `GET /v2/public-key/http`. */
    keys: [{ id: callbackKeyId, key: pair.publicKey.export({ type: 'spki', format: 'pem' }) as string }],
  }
}
