// Encodes the values of statements for PostgreSQL and parses its results. Columns of a batch are sent as arrays in
// PostgreSQL's binary form, which costs both sides a third of the text form. Results come as text.

import pg from 'pg'
import { assert } from '#platform/assert.ts'

type Element = string | number | bigint | boolean | Date | null

export class ColumnValues {
  readonly values: readonly Element[]

  constructor(values: readonly Element[]) {
    this.values = values
  }
}

export function arraysOf<Column extends string>(
  rows: readonly Record<NoInfer<Column>, Element>[],
  ...columns: Column[]
): ColumnValues[] {
  return columns.map((column) => arrayOf(rows, (row) => row[column]))
}

export function arrayOf<R>(rows: readonly R[], column: (row: R) => Element): ColumnValues {
  return new ColumnValues(rows.map(column))
}

export type WireValue = string | Buffer | null

/** Throws if a value cannot be sent. The caller must serialize objects: a guess of their form here would be stored. */
export function wireValues(what: { name: string; text: string }, values: readonly unknown[]): WireValue[] {
  const types = values.some((value) => value instanceof ColumnValues) ? arrayTypesIn(what.text) : undefined
  return values.map((value, at) => {
    if (value instanceof ColumnValues) return arrayParameter(value.values, types?.[at])
    return Array.isArray(value) ? textArray(value.map((item) => plain(item, what.name))) : plain(value, what.name)
  })
}

function plain(value: unknown, name: string): WireValue {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return timeText(value)
  assert(value instanceof Uint8Array, `${name} was given an object as a value`)
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

const typesOf = new Map<string, (string | undefined)[]>()

/** The element type of each array parameter, from its cast: `$3::uuid[]`. */
function arrayTypesIn(text: string): (string | undefined)[] {
  const known = typesOf.get(text)
  if (known !== undefined) return known
  const types: (string | undefined)[] = []
  for (const [, number, type] of text.matchAll(/\$(\d+)::(\w+)\[\]/g)) types[Number(number) - 1] ??= type
  typesOf.set(text, types)
  return types
}

function arrayParameter(values: readonly Element[], type: string | undefined): WireValue {
  const codec = type === undefined ? undefined : codecs[type]
  return (codec === undefined ? undefined : binaryArray(values, codec)) ?? textArray(values.map(elementText))
}

/**
 * `bytes`: the most bytes that a text value may need. `write` returns where the value ended, or -1 if it has no binary
 * form of this type; then the whole array is sent as text.
 */
type Codec = { oid: number; bytes: (value: string) => number; write: (value: Element, at: number) => number }

const bytesUsual = 64 * 1024
/** A larger buffer is replaced after use: only archives need one. */
const bytesKept = 1024 * 1024
// One buffer for all encoding: its contents are copied before the next encoding begins.
let bytes = Buffer.allocUnsafe(bytesUsual)

const textCodec: Codec = {
  oid: 25,
  bytes: (value) => 3 * value.length,
  write: (value, at) => (typeof value === 'string' ? writeText(value, at) : -1),
}

const codecs: Partial<Record<string, Codec>> = {
  text: textCodec,
  uuid: { oid: 2950, bytes: () => 16, write: (value, at) => (typeof value === 'string' ? writeUuid(value, at) : -1) },
  bigint: { oid: 20, bytes: () => 8, write: (value, at) => writeBigint(value, at) },
  integer: {
    oid: 23,
    bytes: () => 4,
    write: (value, at) => (isIn(value, 2 ** 31) ? bytes.writeInt32BE(value, at) : -1),
  },
  smallint: {
    oid: 21,
    bytes: () => 2,
    write: (value, at) => (isIn(value, 2 ** 15) ? bytes.writeInt16BE(value, at) : -1),
  },
  boolean: {
    oid: 16,
    bytes: () => 1,
    write: (value, at) => (typeof value === 'boolean' ? bytes.writeUInt8(value ? 1 : 0, at) : -1),
  },
  timestamptz: { oid: 1184, bytes: () => 8, write: (value, at) => (value instanceof Date ? writeTime(value, at) : -1) },
}

const headerBytes = 20

function binaryArray(values: readonly Element[], { oid, bytes: bytesOf, write }: Codec): Buffer | undefined {
  let most = headerBytes
  for (const value of values) most += 4 + (typeof value === 'string' ? bytesOf(value) : 16)
  if (bytes.length < most) bytes = Buffer.allocUnsafe(2 * most)
  let at = headerBytes
  let hasNull = 0
  let last: Element | undefined
  let lastAt = 0
  for (const value of values) {
    if (value === null) {
      hasNull = 1
      at = bytes.writeInt32BE(-1, at)
      continue
    }
    const start = at
    // Neighbors in a batch often have the same tenant, bank or time, so the encoded value is copied.
    if (value === last) {
      const length = 4 + bytes.readInt32BE(lastAt)
      bytes.copyWithin(at, lastAt, lastAt + length)
      at += length
    } else {
      at = write(value, start + 4)
      if (at === -1) return undefined
      bytes.writeInt32BE(at - start - 4, start)
      last = value
    }
    lastAt = start
  }
  const dimensions = values.length === 0 ? 0 : 1
  bytes.writeInt32BE(dimensions, 0)
  bytes.writeInt32BE(hasNull, 4)
  bytes.writeInt32BE(oid, 8)
  bytes.writeInt32BE(values.length, 12)
  bytes.writeInt32BE(1, 16) // The lower bound of the array.
  const encoded = Buffer.from(bytes.subarray(0, dimensions === 0 ? 12 : at))
  if (bytes.length > bytesKept) bytes = Buffer.allocUnsafe(bytesUsual)
  return encoded
}

function writeText(value: string, at: number): number {
  const { length } = value
  // For a short text this is faster than a call into C++. The loop ends at a character that is not ASCII.
  if (length < 64) {
    let index = 0
    for (; index < length; index++) {
      const code = value.charCodeAt(index)
      if (code > 127) break
      bytes[at + index] = code
    }
    if (index === length) return at + length
  }
  return at + bytes.write(value, at)
}

const hexDigits = new Int8Array(128).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  const letter = digit.toString(16)
  hexDigits[letter.charCodeAt(0)] = digit
  hexDigits[letter.toUpperCase().charCodeAt(0)] = digit
}

function writeUuid(value: string, start: number): number {
  if (value.length !== 36) return -1
  let at = start
  for (let index = 0; index < 36; index += 2) {
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (value.charCodeAt(index) !== 45) return -1
      index += 1
    }
    const byte = ((hexDigits[value.charCodeAt(index)] ?? -1) << 4) | (hexDigits[value.charCodeAt(index + 1)] ?? -1)
    if (byte < 0) return -1
    bytes[at++] = byte
  }
  return at
}

const bigintMax = 2n ** 63n

function writeBigint(value: Element, at: number): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? writeInt64(value, at) : -1
  if (typeof value !== 'bigint') return -1
  if (value >= -9_007_199_254_740_991n && value <= 9_007_199_254_740_991n) return writeInt64(Number(value), at)
  return value >= -bigintMax && value < bigintMax ? bytes.writeBigInt64BE(value, at) : -1
}

function isIn(value: Element, end: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= -end && value < end
}

/** PostgreSQL counts microseconds from 2000-01-01. */
const epochMs = Date.UTC(2000, 0, 1)

function writeTime(value: Date, at: number): number {
  const microseconds = (value.getTime() - epochMs) * 1_000
  return Number.isSafeInteger(microseconds) ? writeInt64(microseconds, at) : -1
}

/** Writes the number in two halves, because a bigint for each value would cost more than everything else here. */
function writeInt64(value: number, at: number): number {
  const high = Math.floor(value / 2 ** 32)
  bytes.writeInt32BE(high, at)
  return bytes.writeUInt32BE(value - high * 2 ** 32, at + 4)
}

function textArray(elements: readonly WireValue[]): string {
  const texts = elements.map((element) => {
    if (element === null) return 'null'
    if (typeof element !== 'string') return `"\\\\x${element.toString('hex')}"`
    return plainElement.test(element) ? element : `"${element.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  })
  return `{${texts.join(',')}}`
}

// Texts that need no quotes: letters, digits, and the characters of ids, references and times. The text `null` needs
// quotes, because PostgreSQL would read it as NULL.
const plainElement = /^(?!null$)[A-Za-z0-9._:=+-]+$/i

function elementText(value: Element): string | null {
  if (value === null) return null
  return value instanceof Date ? timeText(value) : value.toString()
}

/** `toISOString` writes a year after 9999 with a sign and six digits, which PostgreSQL does not read. */
function timeText(time: Date): string {
  return time.toISOString().replace(/^\+0*/, '')
}

// A `bigint` is money or a count and stays a bigint, because a double would lose digits. A `timestamptz` becomes a
// Date, which loses microseconds. The driver parses the other types.
const bigintOid = 20
const timestamptzOid = 1184

export function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return timeOf
  return pg.types.getTypeParser(oid, format) as (text: string) => unknown
}

/** Reads `2026-11-21 23:13:30.123+00`. `infinity` and years of five digits become an invalid Date. */
function timeOf(text: string): Date {
  const { length } = text
  if (length < 22 || text.charCodeAt(4) !== 45 || text.charCodeAt(length - 3) !== 43) return new Date(Number.NaN)
  const year = digits(text, 0) * 100 + digits(text, 2)
  let ms = 0
  for (let at = 20, unit = 100; at < 23 && at < length - 3; at++, unit /= 10) ms += (text.charCodeAt(at) - 48) * unit
  const [month, day] = [digits(text, 5) - 1, digits(text, 8)]
  return new Date(Date.UTC(year, month, day, digits(text, 11), digits(text, 14), digits(text, 17), ms))
}

function digits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528
}
