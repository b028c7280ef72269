// An authenticator in software: it makes passkeys and answers challenges as a browser would send them on. Each part of an
// answer can be made wrong.

import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

export type Credential = { id: string; key: KeyObject; publicKey: Buffer; count: number; userHandle: string }

/** The deliberate flaw of one answer. */
export type Flaw = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  count?: number
  isVerified?: boolean
  signature?: Buffer
}

type CreationOptions = { challenge: string; rp: { id?: string | undefined }; user: { id: string } }
type RequestOptions = { challenge: string; rpId?: string | undefined }

export function createAuthenticator(origin: string) {
  const clientData = (type: string, challenge: string, flaw: Flaw): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: flaw.type ?? type,
        challenge: flaw.challenge ?? challenge,
        origin: flaw.origin ?? origin,
        crossOrigin: false,
      }),
    )

  function authenticatorData(rpId: string | undefined, count: number, flaw: Flaw, attested?: Buffer): Buffer {
    const flags = 0x01 | (flaw.isVerified === false ? 0 : 0x04) | (attested === undefined ? 0 : 0x40)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(flaw.count ?? count)
    return Buffer.concat([
      digest(flaw.rpId ?? rpId ?? ''),
      Buffer.from([flags]),
      counter,
      ...(attested === undefined ? [] : [attested]),
    ])
  }

  return {
    create({ challenge, rp, user }: CreationOptions, flaw: Flaw = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const cose = cborMap([
        [cbor(1), cbor(2)],
        [cbor(3), cbor(-7)],
        [cbor(-1), cbor(1)],
        [cbor(-2), cbor(Buffer.from(x, 'base64url'))],
        [cbor(-3), cbor(Buffer.from(y, 'base64url'))],
      ])
      const rawId = randomBytes(32)
      const length = Buffer.from([0, rawId.length])
      const data = authenticatorData(rp.id, 0, flaw, Buffer.concat([Buffer.alloc(16), length, rawId, cose]))
      const attestationObject = cborMap([
        [cbor('fmt'), cbor('none')],
        [cbor('attStmt'), cborMap([])],
        [cbor('authData'), cbor(data)],
      ])
      const id = rawId.toString('base64url')
      const credential: Credential = { id, key: privateKey, publicKey: cose, count: 0, userHandle: user.id }
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, flaw).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal' as const],
      }
      return {
        credential,
        answer: { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response },
      }
    },

    /** Counts up with each answer, as authenticators with a counter do. */
    get(credential: Credential, { challenge, rpId }: RequestOptions, flaw: Flaw = {}) {
      credential.count += 1
      const data = authenticatorData(rpId, credential.count, flaw)
      const client = clientData('webauthn.get', challenge, flaw)
      const signed = sign('sha256', Buffer.concat([data, digest(client)]), credential.key)
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: (flaw.signature ?? signed).toString('base64url'),
        userHandle: credential.userHandle,
      }
      const { id } = credential
      return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response }
    },
  }
}

function digest(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** CBOR for the few kinds of values in a passkey. */
function cbor(value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  return Buffer.concat([head(2, value.length), value])
}

function cborMap(pairs: [Buffer, Buffer][]): Buffer {
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()])
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}
