// The logo of a business, for its receipts and statements: stores it, and reads the picture that was uploaded.

import { recordEntry } from '#audit/record.ts'
import type { Context } from '#platform/context.ts'
import { statement } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const select = statement('businesses.logo', 'select logo from business where id = $1')
const lock = statement('businesses.lock_logo', 'select logo from business where id = $1 for no key update')
const update = statement('businesses.update_logo', 'update business set logo = $2 where id = $1')

type LogoRow = { logo: Buffer | null }

function logoIn([row]: LogoRow[]): LogoImage | undefined {
  const bytes = row?.logo ?? null
  return bytes === null ? undefined : storedLogo(bytes)
}

export async function readLogo({ db }: Pick<Context, 'db'>, business: Uuid): Promise<LogoImage | undefined> {
  return logoIn(await db.query<LogoRow>(select, [business]))
}

export function setLogo(ctx: Context, business: Uuid, logo: LogoImage | undefined): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const before = logoIn(await tx.query<LogoRow>(lock, [business]))
    tx.send(update, [business, logo?.bytes ?? null])
    recordEntry(tx, ctx.clock.now(), {
      by: ctx.by,
      act: 'business.changed',
      businessId: business,
      subject: formatId('business', business),
      details: { logo: describeLogo(logo), logoBefore: describeLogo(before) },
    })
  })
}

function describeLogo(logo: LogoImage | undefined): string {
  return logo === undefined ? 'none' : `${logo.type}, ${logo.width} × ${logo.height}`
}

// Reads the picture that a business uploads as its logo. A PNG is encoded again as 8-bit RGB on white; a JPEG keeps
// only the parts that draw it. So hidden data, such as the place where a photo was taken, never reaches the readers of
// a receipt, and a PDF can embed the picture as it is.

export const uploadBytesMax = 200 * 1024
const sideMax = 1_000
/** The stored picture may be larger than the upload, because a PNG with a palette of 256 colors is stored as RGB. */
const keptBytesMax = 400 * 1024

export type LogoImage = { type: 'image/png' | 'image/jpeg'; width: number; height: number; bytes: Buffer }
type LogoFault = { why: string }

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const none = Buffer.alloc(0)
const broken: LogoFault = { why: 'is damaged. Export it again as PNG or JPEG' }

export function readLogoImage(bytes: Buffer): LogoImage | LogoFault {
  if (bytes.length > uploadBytesMax) return { why: `must have at most ${uploadBytesMax / 1024} KB` }
  const isPng = bytes.subarray(0, 8).equals(pngSignature)
  const isJpeg = bytes.length > 3 && bytes.readUInt16BE(0) === 0xff_d8
  if (!isPng && !isJpeg) return { why: 'must be a PNG or JPEG file' }
  const image = isPng ? readPng(bytes) : readJpeg(bytes)
  return 'bytes' in image && image.bytes.length > keptBytesMax
    ? { why: 'has too many details. Use fewer pixels or save it as JPEG' }
    : image
}

/** The size of a picture from `readLogoImage`, and the parts that a PDF needs to embed it. */
export function embeddedLogo({ type, width, height, bytes }: LogoImage): { entries: string; content: Buffer } {
  const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8`
  if (type === 'image/jpeg') {
    const color = sizeIn(bytes)?.components === 1 ? '/DeviceGray' : '/DeviceRGB'
    return { entries: `${size} /ColorSpace ${color} /Filter /DCTDecode`, content: bytes }
  }
  const how = `/DecodeParms << /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns ${width} >>`
  const content = bytes.subarray(headBytes, bytes.length - tailBytes)
  return { entries: `${size} /ColorSpace /DeviceRGB /Filter /FlateDecode ${how}`, content }
}

export function storedLogo(bytes: Buffer): LogoImage | undefined {
  if (bytes.subarray(0, 8).equals(pngSignature))
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), bytes }
  const size = sizeIn(bytes)
  return size === undefined ? undefined : { type: 'image/jpeg', width: size.width, height: size.height, bytes }
}

function faultOfSize({ width, height }: { width: number; height: number }): LogoFault | undefined {
  if (width === 0 || height === 0) return broken
  return width > sideMax || height > sideMax
    ? { why: `must have at most ${sideMax} × ${sideMax} pixels. This one has ${width} × ${height}` }
    : undefined
}

// PNG.

/**
 * The bytes before the data are the signature, the header chunk and the beginning of the only data chunk. The bytes
 * after the data are the end of that chunk and the end chunk.
 */
const [headBytes, tailBytes] = [8 + 25 + 8, 4 + 12]

type PngHeader = { width: number; height: number; depth: number; color: number }
type PngChunks = { header: PngHeader; data: Buffer; palette: Buffer; transparency: Buffer }

const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function readPng(bytes: Buffer): LogoImage | LogoFault {
  const chunks = readChunks(bytes)
  if ('why' in chunks) return chunks
  const { width, height, depth, color } = chunks.header
  const channels = channelsOf[color] ?? 1
  const rowBytes = Math.ceil((width * channels * depth) / 8)
  const rows = inflated(chunks.data, height * (rowBytes + 1))
  if (rows === undefined || !undoFilters(rows, rowBytes, Math.max(1, (channels * depth) / 8))) return broken
  const rgb = onWhite(rows, rowBytes, chunks)
  return rgb === undefined ? broken : { type: 'image/png', width, height, bytes: writePng(width, height, rgb) }
}

function readChunks(bytes: Buffer): PngChunks | LogoFault {
  let header: PngHeader | undefined
  let [palette, transparency]: Buffer[] = []
  const data: Buffer[] = []
  let at = pngSignature.length
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at)
    if (length > bytes.length - at - 12) return broken
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length)) return broken
    const type = bytes.toString('latin1', at + 4, at + 8)
    at += 12 + length
    if (header === undefined) {
      const read = type === 'IHDR' && length === 13 ? readHeader(content) : broken
      if ('why' in read) return read
      header = read
    } else if (type === 'PLTE') palette = content
    else if (type === 'tRNS') transparency = content
    else if (type === 'IDAT') data.push(content)
    else if (type === 'IEND')
      return { header, data: Buffer.concat(data), palette: palette ?? none, transparency: transparency ?? none }
  }
  return broken
}

function readHeader(content: Buffer): PngHeader | LogoFault {
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)]
  const [depth = 0, color = 0, compression, filter, interlace = 0] = content.subarray(8)
  const wrong = faultOfSize({ width, height })
  if (wrong !== undefined) return wrong
  if (depth === 16) return { why: 'must have 8 bits per color, not 16' }
  const isKnown = depth === 8 ? color in channelsOf : [1, 2, 4].includes(depth) && (color === 0 || color === 3)
  if (!isKnown || compression !== 0 || filter !== 0 || interlace > 1) return broken
  return interlace === 1 ? { why: 'must be a PNG without interlacing' } : { width, height, depth, color }
}

/** Returns undefined if the data is damaged or does not have exactly this length when inflated. */
function inflated(data: Buffer, length: number): Buffer | undefined {
  try {
    const rows = inflateSync(data, { maxOutputLength: length + 1 })
    return rows.length === length ? rows : undefined
  } catch {
    return undefined
  }
}

/** Undoes the filters in place. Each row begins with the number of its filter. */
function undoFilters(rows: Buffer, rowBytes: number, step: number): boolean {
  for (let start = 0; start < rows.length; start += rowBytes + 1) {
    const filter = rows[start] ?? 0
    if (filter > 4) return false
    for (let column = 0; column < rowBytes; column += 1) {
      const at = start + 1 + column
      const left = column < step ? 0 : (rows[at - step] ?? 0)
      const up = start === 0 ? 0 : (rows[at - rowBytes - 1] ?? 0)
      const corner = column < step || start === 0 ? 0 : (rows[at - rowBytes - 1 - step] ?? 0)
      rows[at] = (rows[at] ?? 0) + predicted(filter, left, up, corner)
    }
  }
  return true
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(left - corner)]
  const toCorner = Math.abs(left + up - 2 * corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/** Returns RGB; transparent pixels become white. Undefined if a pixel has a color that the palette lacks. */
function onWhite(rows: Buffer, rowBytes: number, { header, palette, transparency }: PngChunks): Buffer | undefined {
  const { width, height, depth, color } = header
  const channels = channelsOf[color] ?? 1
  const rgb = Buffer.alloc(width * height * 3)
  const scale = color === 3 ? 1 : 255 / (2 ** depth - 1)
  const sample = (y: number, index: number): number => {
    const start = y * (rowBytes + 1) + 1
    if (depth === 8) return rows[start + index] ?? 0
    const bit = index * depth
    return ((rows[start + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
  }
  const isKeyed = (y: number, first: number): boolean =>
    transparency.length >= channels * 2 &&
    Array.from({ length: channels }, (_, channel) => transparency.readUInt16BE(channel * 2)).every(
      (key, channel) => key === sample(y, first + channel),
    )
  const hasKey = (color === 0 || color === 2) && transparency.length > 0
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const first = x * channels
      const value = sample(y, first)
      if (color === 3 && value * 3 + 2 >= palette.length) return undefined
      const alpha =
        color === 3
          ? (transparency[value] ?? 255)
          : color >= 4
            ? sample(y, first + channels - 1)
            : hasKey && isKeyed(y, first)
              ? 0
              : 255
      for (let channel = 0; channel < 3; channel += 1) {
        const shade =
          color === 3
            ? (palette[value * 3 + channel] ?? 0)
            : sample(y, first + (color === 2 || color === 6 ? channel : 0)) * scale
        rgb[(y * width + x) * 3 + channel] = Math.round((shade * alpha) / 255 + 255 - alpha)
      }
    }
  return rgb
}

function writePng(width: number, height: number, rgb: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rowBytes = width * 3
  const rows = Buffer.alloc(height * (rowBytes + 1))
  for (let y = 0; y < height; y += 1) {
    rows[y * (rowBytes + 1)] = 2
    for (let column = 0; column < rowBytes; column += 1) {
      const up = y === 0 ? 0 : (rgb[(y - 1) * rowBytes + column] ?? 0)
      rows[y * (rowBytes + 1) + 1 + column] = (rgb[y * rowBytes + column] ?? 0) - up
    }
  }
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([pngSignature, ...chunks])
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

// JPEG.

/** Tables, frame, restart interval, JFIF and Adobe's color transform. Comments, EXIF and profiles are left out. */
const keptMarkers = new Set([0xc0, 0xc1, 0xc2, 0xc4, 0xdb, 0xdd, 0xe0, 0xee, 0xda])
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

type Segment = { marker: number; whole: Buffer }

/** The segments up to the header of the first scan, and where its data begins. Undefined if they are damaged. */
function segmentsOf(bytes: Buffer): { segments: Segment[]; scanAt: number } | undefined {
  const segments: Segment[] = []
  let at = 2
  while (bytes[at] === 0xff) {
    const segment = segmentAt(bytes, at)
    if (segment === 'filler') {
      at += 1
      continue
    }
    if (segment === undefined) return undefined
    segments.push(segment)
    at += segment.whole.length
    if (segment.marker === 0xda) return { segments, scanAt: at }
  }
  return undefined
}

function segmentAt(bytes: Buffer, at: number): Segment | 'filler' | undefined {
  if (at + 4 > bytes.length) return undefined
  const marker = bytes[at + 1] ?? 0
  if (marker === 0xff) return 'filler'
  const end = at + 2 + bytes.readUInt16BE(at + 2)
  const isBroken = marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9) || end < at + 4 || end > bytes.length
  return isBroken ? undefined : { marker, whole: bytes.subarray(at, end) }
}

/**
 * The data of the scans up to the end of the picture, with the tables between them. Leaves out what follows, because
 * cameras append further pictures, each with its place and time. Undefined if the picture has no end.
 */
function scansFrom(bytes: Buffer, scanAt: number): Buffer | undefined {
  const parts: Buffer[] = []
  let [from, at] = [scanAt, scanAt]
  while ((at = bytes.indexOf(0xff, at)) >= 0) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xd9) return Buffer.concat([...parts, bytes.subarray(from, at + 2)])
    // These two bytes begin no segment: a data byte 0xff is followed by 0, and restart markers stand within the data.
    if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2
      continue
    }
    const segment = segmentAt(bytes, at)
    if (segment === undefined) return undefined
    const next = segment === 'filler' ? at + 1 : at + segment.whole.length
    if (segment !== 'filler' && !keptMarkers.has(segment.marker)) {
      parts.push(bytes.subarray(from, at))
      from = next
    }
    at = next
  }
  return undefined
}

function frameIn(segments: Segment[]) {
  const frames = segments.filter(({ marker }) => isFrame(marker))
  const [frame] = frames
  if (frame === undefined || frames.length > 1 || frame.whole.length < 10) return undefined
  const { marker, whole } = frame
  const components = whole[9] ?? 0
  if (whole.length !== 10 + components * 3) return undefined
  return { marker, precision: whole[4], height: whole.readUInt16BE(5), width: whole.readUInt16BE(7), components }
}

function sizeIn(bytes: Buffer) {
  return frameIn(segmentsOf(bytes)?.segments ?? [])
}

function readJpeg(bytes: Buffer): LogoImage | LogoFault {
  const found = segmentsOf(bytes)
  const frame = frameIn(found?.segments ?? [])
  const scans = found === undefined ? undefined : scansFrom(bytes, found.scanAt)
  if (found === undefined || frame === undefined || scans === undefined) return broken
  const wrong = faultOfSize(frame)
  if (wrong !== undefined) return wrong
  if (frame.components === 4) return { why: 'must be in RGB, not in CMYK' }
  if (frame.components !== 1 && frame.components !== 3) return broken
  if (frame.marker > 0xc2 || frame.precision !== 8) return { why: 'must be a baseline or progressive JPEG with 8 bits' }
  const kept = found.segments.filter(({ marker }) => keptMarkers.has(marker)).map(({ whole }) => whole)
  const image = Buffer.concat([bytes.subarray(0, 2), ...kept, scans])
  return { type: 'image/jpeg', width: frame.width, height: frame.height, bytes: image }
}
