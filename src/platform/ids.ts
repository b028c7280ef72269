// Ids are UUIDv7: ordered by time, so new rows land at the end of an index. The database stores the uuid. The API shows
// a prefix, which says the kind, and 26 Crockford base32 characters (the TypeID form).

import { randomFillSync } from 'node:crypto'

declare const uuid: unique symbol
export type Uuid = string & { readonly [uuid]: true }

/** Lower and higher than every real id: the limits of a scan over keys. */
export const firstUuid = '00000000-0000-0000-0000-000000000000' as Uuid
export const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as Uuid

export function uuidAfter(id: Uuid): Uuid {
  return uuidOf(valueOfUuid(id) + 1n)
}

export function uuidBefore(id: Uuid): Uuid {
  return uuidOf(valueOfUuid(id) - 1n)
}

function valueOfUuid(id: Uuid): bigint {
  return BigInt(`0x${id.replaceAll('-', '')}`)
}

function uuidOf(value: bigint): Uuid {
  const digits = value.toString(16).padStart(32, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}` as Uuid
}

export const idPrefixes = {
  deposit: 'dep',
  transfer: 'trf',
  momoTransfer: 'mtr',
  momoCollection: 'mcl',
  customer: 'cus',
  virtualAccount: 'va',
  webhook: 'whk',
  event: 'evt',
  key: 'key',
  business: 'biz',
  exception: 'exc',
  person: 'per',
  signIn: 'sgn',
  invitation: 'inv',
  savedView: 'vw',
  railBreak: 'brk',
  payoutDraft: 'pdr',
  recipient: 'rcp',
  passkey: 'psk',
  receiptLink: 'rcl',
} as const

export type IdKind = keyof typeof idPrefixes

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const valueOf = new Map(alphabet.split('').map((character, value) => [character, BigInt(value)]))
const pairs = alphabet.split('').flatMap((high) => alphabet.split('').map((low) => high + low))

// One system call draws the random bytes for 512 ids.
const block = Buffer.alloc(4096)
let blockUsed = block.length
let lastMs = 0
let lastTime = ''
let sequence = 0

/**
 * A UUIDv7 that is greater than every earlier one of this process. So its time is later than `nowMs` if an earlier call
 * had a later time, or if one millisecond had more than 4096 ids.
 */
export function newUuid(nowMs: number): Uuid {
  if (nowMs > lastMs) startAt(nowMs)
  else if (++sequence > 0xfff) startAt(lastMs + 1)
  if (blockUsed + 8 > block.length) {
    randomFillSync(block)
    blockUsed = 0
  }
  block[blockUsed] = ((block[blockUsed] ?? 0) & 0x3f) | 0x80
  const random = block.toString('hex', blockUsed, blockUsed + 8)
  blockUsed += 8
  const counter = (0x7000 | sequence).toString(16)
  return `${lastTime}-${counter}-${random.slice(0, 4)}-${random.slice(4)}` as Uuid
}

function startAt(ms: number): void {
  lastMs = ms
  sequence = 0
  const digits = ms.toString(16).padStart(12, '0')
  lastTime = `${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** `trf_01h455vb4pex5vsknk084sn02q` for a transfer. */
export function formatId(kind: IdKind, id: Uuid): string {
  return `${idPrefixes[kind]}_${encodeBase32(id)}`
}

const base32 = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

export function idForm(kind: IdKind): RegExp {
  return new RegExp(base32.source.replace('^', `^${idPrefixes[kind]}_`))
}

export function parseId(kind: IdKind, unchecked: string): Uuid | undefined {
  const prefix = `${idPrefixes[kind]}_`
  return unchecked.startsWith(prefix) ? decodeBase32(unchecked.slice(prefix.length)) : undefined
}

const hexValues = new Uint8Array(128)
for (const digit of '0123456789abcdefABCDEF') hexValues[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/**
 * 128 bits as 26 characters; the first encodes only 3 bits. It reads the digits in place, because slices and `parseInt`
 * took three times as long.
 */
export function encodeBase32(id: Uuid): string {
  // 8 + 6 × 20 bits: 20 bits are five hex digits and four characters.
  let text = pairs[(hexAt(id, 0) << 4) | hexAt(id, 1)] ?? ''
  let bits = 0
  let digits = 0
  for (let at = 2; at < id.length; at++) {
    if (id.charCodeAt(at) === hyphen) continue
    bits = (bits << 4) | hexAt(id, at)
    digits++
    if (digits < 5) continue
    text += (pairs[bits >> 10] ?? '') + (pairs[bits & 0x3ff] ?? '')
    bits = 0
    digits = 0
  }
  return text
}

const hyphen = '-'.charCodeAt(0)

function hexAt(id: Uuid, at: number): number {
  return hexValues[id.charCodeAt(at)] ?? 0
}

function decodeBase32(unchecked: string): Uuid | undefined {
  if (!base32.test(unchecked)) return undefined
  let value = 0n
  for (const character of unchecked) value = (value << 5n) | (valueOf.get(character) ?? 0n)
  return uuidOf(value)
}
