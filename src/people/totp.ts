// Codes of an authenticator app: RFC 6238 with what all apps understand, six digits of SHA-1 every 30 s.

import { createHmac, randomBytes } from 'node:crypto'
import { constantTimeEqual } from '#base/secret.ts'

const stepMs = 30_000
const secretBytes = 20
/** A phone's clock may be a step off, and typing takes a while. */
const stepsOff = [0, -1, 1]

export function newTotpSecret(): Buffer {
  return randomBytes(secretBytes)
}

export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const at = (digest.at(-1) ?? 0) & 0x0f
  return ((digest.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).toString().padStart(6, '0')
}

/** The step that a code is of, when it is later than those that were taken already. Undefined: it is a wrong code. */
export function stepOfCode(secret: Buffer, code: string, nowMs: number, lastStep: bigint): number | undefined {
  const now = Math.floor(nowMs / stepMs)
  return stepsOff
    .map((off) => now + off)
    .find((step) => step > lastStep && constantTimeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)))
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 of RFC 4648, as apps take it when no camera is at hand. */
export function textOfTotpSecret(secret: Buffer): string {
  let bits = ''
  for (const byte of secret) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('')
}

/** What the QR code says. */
export function totpUri(secret: Buffer, email: string): string {
  const query = new URLSearchParams({ secret: textOfTotpSecret(secret), issuer: 'Manilla' })
  return `otpauth://totp/Manilla:${encodeURIComponent(email)}?${query.toString()}`
}
