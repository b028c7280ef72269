// HTTP message signatures (RFC 9421) and Content-Digest (RFC 9530), as far as pawaPay uses them: one signature over
// method, authority, path and headers. Written with node:crypto alone: the packages for it bring parsers and key
// stores that are not needed here, and read ECDSA only as the RFC writes it (r‖s), where pawaPay writes DER.

import { constants, createHash, createPrivateKey, sign, verify, type KeyObject, type SigningOptions } from 'node:crypto'
import { secondMs } from '#platform/durations.ts'

type Headers = Record<string, string | string[] | undefined>

/** `authority` and `path` as the sender called them. */
export type SignedMessage = { method: string; authority: string; path: string; headers: Headers }

type Algorithm = { hash: string; curve?: string; plainBytes?: number; padding?: SigningOptions }

const ecdsaP256 = 'ecdsa-p256-sha256'

const algorithms: ReadonlyMap<string, Algorithm> = new Map(
  Object.entries({
    [ecdsaP256]: { hash: 'sha256', curve: 'prime256v1', plainBytes: 64 },
    'ecdsa-p384-sha384': { hash: 'sha384', curve: 'secp384r1', plainBytes: 96 },
    'rsa-v1_5-sha256': { hash: 'sha256', padding: { padding: constants.RSA_PKCS1_PADDING } },
    'rsa-pss-sha512': { hash: 'sha512', padding: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } },
  }),
)

/**
 * The contents of `Signature-Input` and `Signature`, not yet verified. `params`: the text of the covered components and
 * parameters, as received.
 */
export type SignatureClaim = {
  keyId: string
  algorithm: string
  components: string[]
  params: string
  /** NaN if the signature does not state when it was made. */
  createdAtMs: number
  expiresAtMs: number | undefined
  signature: Buffer
}

const component = '"[a-z0-9@-]{1,64}"'
const parameter = ';[a-z][a-z0-9_-]{0,20}=(?:"[^"\\\\]{0,200}"|\\d{1,12})'
const inputForm = new RegExp(
  `^([a-z][a-z0-9_-]{0,40})=(\\((${component}(?: ${component}){0,19})\\)((?:${parameter}){1,8}))$`,
)
const signatureForm = /^([a-z][a-z0-9_-]{0,40})=:([A-Za-z0-9+/]{1,1400}={0,2}):$/

/** Undefined if the message has no signature, or more than one, or one that cannot be read. */
export function signatureIn(headers: Headers): SignatureClaim | undefined {
  const [, label, params = '', list = '', parameters = ''] = inputForm.exec(textOf(headers, 'signature-input')) ?? []
  const [, signed, base64 = ''] = signatureForm.exec(textOf(headers, 'signature')) ?? []
  if (label === undefined || signed !== label) return undefined
  const value = (name: string): string | undefined =>
    new RegExp(`;${name}=(?:"([^"]*)"|(\\d+))(?:;|$)`)
      .exec(parameters)
      ?.slice(1)
      .find((one) => one !== undefined)
  const [keyId, algorithm, created] = [value('keyid'), value('alg'), value('created')]
  if (keyId === undefined || algorithm === undefined) return undefined
  const expires = value('expires')
  const components = list.split(' ').map((one) => one.slice(1, -1))
  const date = components.includes('signature-date') ? textOf(headers, 'signature-date') : ''
  return {
    keyId,
    algorithm,
    components,
    params,
    createdAtMs: created === undefined ? Date.parse(date) : Number(created) * secondMs,
    expiresAtMs: expires === undefined ? undefined : Number(expires) * secondMs,
    signature: Buffer.from(base64, 'base64'),
  }
}

/** Returns true if `Content-Digest` has a sha-256 or sha-512 digest and each of these digests matches the body. */
export function hasDigestOf(body: Buffer, headers: Headers): boolean {
  const digests = [...textOf(headers, 'content-digest').matchAll(/(?:^|, ?)sha-(256|512)=:([A-Za-z0-9+/=]{40,100}):/g)]
  return digests.length > 0 && digests.every(([, bits, given]) => given === digestOf(body, `sha${bits}`))
}

function digestOf(body: Buffer, hash: string): string {
  return createHash(hash).update(body).digest('base64')
}

export function isSignedBy(key: KeyObject, claim: SignatureClaim, message: SignedMessage): boolean {
  const algorithm = algorithms.get(claim.algorithm)
  const base = signatureBase(claim, message)
  if (algorithm === undefined || base === undefined) return false
  const { hash, curve, plainBytes, padding } = algorithm
  const isOfKind =
    curve === undefined
      ? key.asymmetricKeyType === 'rsa'
      : key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === curve
  if (!isOfKind) return false
  const encoding = claim.signature.length === plainBytes ? 'ieee-p1363' : 'der'
  try {
    return verify(hash, Buffer.from(base), { key, dsaEncoding: encoding, ...padding }, claim.signature)
  } catch {
    return false
  }
}

/** Undefined if a covered component is missing, or is one that we do not know. */
function signatureBase(
  { components, params }: Pick<SignatureClaim, 'components' | 'params'>,
  message: SignedMessage,
): string | undefined {
  if (new Set(components).size !== components.length) return undefined
  const lines = components.map((name) => {
    const value = valueOf(name, message)
    return value === '' ? undefined : `"${name}": ${value}`
  })
  return lines.includes(undefined) ? undefined : [...lines, `"@signature-params": ${params}`].join('\n')
}

function valueOf(name: string, { method, authority, path, headers }: SignedMessage): string {
  switch (name) {
    case '@method':
      return method
    case '@authority':
      return authority.toLowerCase()
    case '@path':
      return path
    default:
      return name.startsWith('@') ? '' : textOf(headers, name)
  }
}

/** Node joins a header that came several times with commas, as the RFC wants; a list (Set-Cookie) has no text. */
function textOf(headers: Headers, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : ''
}

export type RequestSigning = { keyId: string; privateKey: string }

const signedComponents = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']
const signatureLifeMs = 60 * secondMs

/** Signs requests. ECDSA is written as DER, like in pawaPay's own examples. */
export function createSigner({ keyId, privateKey }: RequestSigning) {
  const key = createPrivateKey(privateKey)
  return (message: Omit<SignedMessage, 'headers'>, body: string, nowMs: number): Record<string, string> => {
    const created = Math.floor(nowMs / secondMs)
    const list = signedComponents.map((name) => `"${name}"`).join(' ')
    const expires = created + signatureLifeMs / secondMs
    const params = `(${list});alg="${ecdsaP256}";keyid="${keyId}";created=${created};expires=${expires}`
    const headers = {
      'content-type': 'application/json',
      'content-digest': `sha-512=:${digestOf(Buffer.from(body), 'sha512')}:`,
      'signature-date': new Date(nowMs).toISOString(),
    }
    const base = signatureBase({ components: signedComponents, params }, { ...message, headers })
    const signature = sign('sha256', Buffer.from(base ?? ''), { key, dsaEncoding: 'der' }).toString('base64')
    return { ...headers, 'signature-input': `sig-pp=${params}`, signature: `sig-pp=:${signature}:` }
  }
}

export function signingFault(privateKey: string): string | undefined {
  try {
    const { asymmetricKeyDetails } = createPrivateKey(privateKey)
    return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? undefined : 'is not a key of the curve P-256'
  } catch {
    return 'is not a private key in PEM'
  }
}
