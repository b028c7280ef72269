// Computes signatures and payloads again, from the documents alone and with none of the service's code. The files of
// docs/vectors were made with this, and are compared with it.

import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

export type SignatureVector = {
  what: string
  secrets: string[]
  id: string
  t: number
  body: string
  expected: { v1: string[]; headers: Record<string, string> }
}

export type PayloadVector = {
  parts: { id: string; event: string; environment: string; createdAt: string; reference: string; data: string }
  expected: { body: string; bytes: number; sha256: string }
}

const folder = path.resolve(import.meta.dirname, '../../docs/vectors')

function read(name: string): unknown {
  return JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
}

export const signatureVectors = (read('signatures.json') as { vectors: SignatureVector[] }).vectors
export const payloadVectors = (read('payloads.json') as { vectors: PayloadVector[] }).vectors

/** HMAC-SHA256 of `<t>.<raw body>`, in lower-case hex. The key is the whole secret as the API shows it. */
export function hexSignature(secret: string, t: number, body: string): string {
  return createHmac('sha256', secret).update(`${t}.`).update(Buffer.from(body, 'utf8')).digest('hex')
}

/** Standard Webhooks: HMAC-SHA256 of `<id>.<t>.<raw body>` in base64. The key is the decoded part after whsec_. */
export function standardSignature(secret: string, id: string, t: number, body: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return createHmac('sha256', key)
    .update(Buffer.from(`${id}.${t}.${body}`, 'utf8'))
    .digest('base64')
}

export function expectedOf({ secrets, id, t, body }: Omit<SignatureVector, 'what' | 'expected'>) {
  const v1 = secrets.map((secret) => hexSignature(secret, t, body))
  const standard = secrets.map((secret) => `v1,${standardSignature(secret, id, t, body)}`)
  const headers = {
    'X-Webhook-Signature': [`t=${t}`, ...v1.map((signature) => `v1=${signature}`)].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(t),
    'webhook-signature': standard.join(' '),
  }
  return { v1, headers }
}

export function expectedBody(parts: PayloadVector['parts']): PayloadVector['expected'] {
  const environment = parts.environment === 'staging' ? 'sandbox' : parts.environment
  const fields = [
    ['id', `evt_${base32(parts.id)}`],
    ['event', parts.event],
    ['type', parts.event],
    ['environment', environment],
    ['createdAt', parts.createdAt],
    ['timestamp', parts.createdAt],
    ['reference', parts.reference],
  ]
  const head = fields.map(([name, value]) => `"${name}":"${value}"`).join(',')
  const body = `{${head},"data":${parts.data}}`
  const bytes = Buffer.from(body, 'utf8')
  return { body, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** 128 bits as 26 characters of five bits, with two zero bits in front. */
function base32(uuid: string): string {
  const bits = BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString(2)
    .padStart(130, '0')
  const characters = bits.match(/.{5}/g) ?? []
  return characters.map((five) => '0123456789abcdefghjkmnpqrstvwxyz'.charAt(Number.parseInt(five, 2))).join('')
}
