// Ids are UUIDv7: ordered by time, so new rows land at the end of an index. The database stores the uuid; the wire
// shows it as a prefix and 26 Crockford base32 characters (the TypeID form), so that a person sees what it names.

import { randomFillSync } from 'node:crypto'

declare const uuid: unique symbol
export type Uuid = string & { readonly [uuid]: true }

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
} as const

export type IdKind = keyof typeof idPrefixes

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const valueOf = new Map(alphabet.split('').map((character, value) => [character, BigInt(value)]))
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// Random bytes are drawn in blocks: one system call serves a few hundred ids.
const block = Buffer.alloc(4096)
let blockUsed = block.length
let lastMs = 0
let sequence = 0

/** A UUIDv7 that is greater than every one this process made before, also within one millisecond. */
export function newUuid(nowMs: number): Uuid {
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMs += 1
    sequence = 0
  }
  if (blockUsed + 8 > block.length) {
    randomFillSync(block)
    blockUsed = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const at = blockUsed
  blockUsed += 8
  const byte = (index: number): string => hex[block[at + index] ?? 0] ?? '00'
  const variant = hex[((block[at] ?? 0) & 0x3f) | 0x80] ?? '80'
  const counter = sequence.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}` as Uuid
}

/** `trf` and a uuid → `trf_01h455vb4pex5vsknk084sn02q`. */
export function formatId(kind: IdKind, id: Uuid): string {
  return `${idPrefixes[kind]}_${encodeBase32(id)}`
}

/** The uuid inside an id of this kind, or undefined when the text is not one. */
export function parseId(kind: IdKind, unchecked: string): Uuid | undefined {
  const prefix = `${idPrefixes[kind]}_`
  return unchecked.startsWith(prefix) ? decodeBase32(unchecked.slice(prefix.length)) : undefined
}

/** 128 bits as 26 characters; the first holds only 3 bits. */
export function encodeBase32(id: Uuid): string {
  const digits = id.replaceAll('-', '')
  // 8 + 3 × 40 bits: 40 are ten hex digits and eight characters, and their halves fit the 32 bits of JavaScript's shifts.
  const head = Number.parseInt(digits.slice(0, 2), 16)
  return (
    (alphabet[head >> 5] ?? '') +
    (alphabet[head & 31] ?? '') +
    encode40(digits.slice(2, 12)) +
    encode40(digits.slice(12, 22)) +
    encode40(digits.slice(22, 32))
  )
}

function encode40(tenHexDigits: string): string {
  let high = Number.parseInt(tenHexDigits.slice(0, 5), 16)
  let low = Number.parseInt(tenHexDigits.slice(5), 16)
  let text = ''
  for (let index = 0; index < 4; index++) {
    text = (alphabet[low & 31] ?? '') + text
    low >>= 5
  }
  let front = ''
  for (let index = 0; index < 4; index++) {
    front = (alphabet[high & 31] ?? '') + front
    high >>= 5
  }
  return front + text
}

function decodeBase32(unchecked: string): Uuid | undefined {
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(unchecked)) return undefined
  let value = 0n
  for (const character of unchecked) value = (value << 5n) | (valueOf.get(character) ?? 0n)
  const digits = value.toString(16).padStart(32, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}` as Uuid
}
