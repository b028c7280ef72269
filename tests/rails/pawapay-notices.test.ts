// Callbacks of pawaPay: which ones are genuine, and that they only trigger a status query.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import { hasDigestOf, isSignedBy, signatureIn } from '#rails/pawapay/http-signatures.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import type { CallbackOptions } from '#tests/support/fakes/pawapay-callbacks.ts'
import { describeInbound, noticeAddress } from './conformance.ts'
import { createPublicKey, generateKeyPairSync, sign, constants } from 'node:crypto'
import { useFake } from './provider.ts'

type Vector = {
  name: string
  method: string
  authority: string
  path: string
  headers: Record<string, string>
  body: string
  checkedAtUnix: number
}
const vectors = JSON.parse(readFileSync(path.join(import.meta.dirname, 'fixtures/pawapay-notices.json'), 'utf8')) as {
  keyId: string
  publicKeyPem: string
  genuine: Vector[]
  refused: Vector[]
}

const clock = createFakeClock()
const fake = await startFakePawapay(clock)
const { net } = useFake(fake, clock)
const options = { name: 'pawapay', apiToken: pawapayToken, callbacks: 'signed' as const, baseUrl: fake.url, net, clock }
const { inbound } = createPawapay(options)

const payoutId = '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e'
const body = JSON.stringify({ payoutId, status: 'COMPLETED', amount: '1500', currency: 'GHS' })
const told = { about: 'payment', railReference: payoutId, says: 'succeeded' } as const

async function judge(signing: CallbackOptions, at: Partial<typeof noticeAddress> = {}): Promise<string> {
  const { headers, rawBody } = fake.sign(body, { ...noticeAddress, ...at }, signing)
  return inbound.verify(headers, rawBody, noticeAddress)
}

describeInbound('pawaPay', {
  inbound,
  genuine: fake.sign(body, noticeAddress),
  told,
  signedNonsense: fake.sign('"COMPLETED"', noticeAddress),
})

describe('published vectors', () => {
  const judged = ({ headers, body: text, method, authority, path: called }: Vector) => {
    const claim = signatureIn(headers)
    const key = createPublicKey(vectors.publicKeyPem)
    if (claim === undefined || claim.keyId !== vectors.keyId) return false
    return (
      hasDigestOf(Buffer.from(text), headers) && isSignedBy(key, claim, { method, authority, path: called, headers })
    )
  }
  it.each(vectors.genuine)('$name: genuine', (vector) => {
    expect(judged(vector)).toBe(true)
  })
  // The last two are refused by what they cover and by their time, which the callbacks below try.
  it.each(vectors.refused.filter(({ name }) => !/^(the body is not covered|expired)/.test(name)))(
    '$name: forged',
    (vector) => {
      expect(judged(vector)).toBe(false)
    },
  )
})

describe('a callback', () => {
  it.each<[string, CallbackOptions]>([
    ['with ECDSA as DER', { encoding: 'der' }],
    ['with ECDSA as r and s', { encoding: 'ieee-p1363' }],
    ['with a digest of sha-256', { digest: 'sha-256' }],
    ['that took a minute', { ageMs: 60_000 }],
  ])('%s is genuine', async (_title, signing) => {
    expect(await judge(signing)).toBe('genuine')
  })

  it.each<[string, CallbackOptions, Partial<typeof noticeAddress>]>([
    ['that has expired', { ageMs: 180_000 }, {}],
    ['of the future', { ageMs: -180_000 }, {}],
    ['of a key that pawaPay does not have', { isForged: true }, {}],
    ['of an id that pawaPay does not have', { keyId: 'HTTP_EC_P256_KEY:9' }, {}],
    ['for another path', {}, { path: '/staging/rails/pawapay/notices' }],
    ['for another host', {}, { authority: 'pay.example.org' }],
    ['of another method', {}, { method: 'PUT' }],
  ])('%s is forged', async (_title, signing, at) => {
    expect(await judge(signing, at)).toBe('forged')
  })

  it('whose signature leaves out the body is forged', async () => {
    const { headers, rawBody } = fake.sign(body, noticeAddress)
    const input = present(headers['signature-input'], 'it is signed').replace(' "content-digest"', '')
    expect(await inbound.verify({ ...headers, 'signature-input': input }, rawBody, noticeAddress)).toBe('forged')
  })

  it.each([
    'sig-pp=()',
    'sig-pp=("@method")',
    'sig-pp=("@method" "@path" "content-digest");alg="none";keyid="HTTP_EC_P256_KEY:1";created=1',
    'sig-pp=("@method" "@path" "content-digest" "@unknown");alg="ecdsa-p256-sha256";keyid="HTTP_EC_P256_KEY:1";created=1',
    `sig-pp=(${'"a" '.repeat(5_000)}`,
    'x'.repeat(10_000),
  ])('whose Signature-Input is %.40s is forged', async (input) => {
    const { headers, rawBody } = fake.sign(body, noticeAddress)
    expect(await inbound.verify({ ...headers, 'signature-input': input }, rawBody, noticeAddress)).toBe('forged')
  })

  it.each([
    [{ payoutId, status: 'COMPLETED' }, told],
    [
      { depositId: payoutId, status: 'FAILED' },
      { ...told, says: 'failed' },
    ],
    [
      { depositId: payoutId, status: 'PROCESSING', authorizationUrl: 'https://wave.com/x' },
      { ...told, says: undefined },
    ],
    [
      { depositId: payoutId, status: 'constructor' },
      { ...told, says: undefined },
    ],
    [
      { refundId: payoutId, status: 'COMPLETED' },
      { about: 'other', name: 'callback' },
    ],
  ])('%o says only what to ask', async (record, notice) => {
    expect(await inbound.read(Buffer.from(JSON.stringify(record)))).toEqual({ kind: 'notices', notices: [notice] })
  })

  it('that is not to be signed is unsigned, whatever its headers say', async () => {
    const unsigned = createPawapay({ ...options, callbacks: 'unsigned' }).inbound
    const { headers, rawBody } = fake.sign(body, noticeAddress, { isForged: true })
    for (const given of [{}, headers]) expect(await unsigned.verify(given, rawBody, noticeAddress)).toBe('unsigned')
  })
})

describe('the keys of pawaPay', () => {
  it('are read once an hour, and once a minute for an id that is not among them', async () => {
    const { inbound: fresh } = createPawapay(options)
    const before = fake.keysRead()
    const verify = async (keyId?: string) => {
      const { headers, rawBody } = fake.sign(body, noticeAddress, keyId === undefined ? {} : { keyId })
      return fresh.verify(headers, rawBody, noticeAddress)
    }
    expect(await Promise.all([verify(), verify(), verify()])).toEqual(['genuine', 'genuine', 'genuine'])
    expect(await Promise.all(Array.from({ length: 20 }, (_, index) => verify(`other ${index}`)))).not.toContain(
      'genuine',
    )
    expect(fake.keysRead() - before).toBe(1)
    clock.advance(61_000)
    await Promise.all([verify('other'), verify('another')])
    expect(fake.keysRead() - before).toBe(2)
    clock.advance(3_600_000)
    expect(await verify()).toBe('genuine')
    expect(fake.keysRead() - before).toBe(3)
  })

  it('that cannot be read have the callback sent again, and the old ones go on serving', async () => {
    const { inbound: fresh } = createPawapay(options)
    const verify = async () => {
      const { headers, rawBody } = fake.sign(body, noticeAddress)
      return fresh.verify(headers, rawBody, noticeAddress)
    }
    fake.meet(/public-key/, 'error-not-done')
    expect(await verify()).toBe('unavailable')
    clock.advance(5_000)
    expect(await verify()).toBe('genuine')
    clock.advance(3_600_000)
    fake.meet(/public-key/, 'half')
    expect(await verify()).toBe('genuine')
    expect(fake.met()).toBe(true)
  })
})

describe('other algorithms of the RFC', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const params = (alg: string) => `("@method" "@path");alg="${alg}";keyid="k";created=1`
  const base = (alg: string) =>
    Buffer.from(`"@method": POST\n"@path": ${noticeAddress.path}\n"@signature-params": ${params(alg)}`)
  const pss = { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }

  it.each([
    ['ecdsa-p384-sha384', p384.publicKey, (data: Buffer) => sign('sha384', data, p384.privateKey)],
    [
      'ecdsa-p384-sha384',
      p384.publicKey,
      (data: Buffer) => sign('sha384', data, { key: p384.privateKey, dsaEncoding: 'ieee-p1363' as const }),
    ],
    ['rsa-v1_5-sha256', rsa.publicKey, (data: Buffer) => sign('sha256', data, rsa.privateKey)],
    ['rsa-pss-sha512', rsa.publicKey, (data: Buffer) => sign('sha512', data, pss)],
  ])('%s is verified with a key of its kind alone', (alg, key, signed) => {
    const signature = `sig-pp=:${signed(base(alg)).toString('base64')}:`
    const headers = { 'signature-input': `sig-pp=${params(alg)}`, signature }
    const claim = present(signatureIn(headers), 'it can be read')
    expect(isSignedBy(key, claim, { ...noticeAddress, headers })).toBe(true)
    const others = [rsa.publicKey, p384.publicKey, createPublicKey(vectors.publicKeyPem)].filter((one) => one !== key)
    for (const other of others) expect(isSignedBy(other, claim, { ...noticeAddress, headers })).toBe(false)
    expect(isSignedBy(key, { ...claim, algorithm: 'rsa-v1_5-sha1' }, { ...noticeAddress, headers })).toBe(false)
  })
})
