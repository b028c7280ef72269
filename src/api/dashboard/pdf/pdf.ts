// Writes PDF files, streamed page by page, so that a long statement does not fill the memory. Written by hand because
// receipts and statements need only texts, lines and a logo: PDF libraries unpack to 8 MB or more, and hold the whole file
// in memory.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { embeddedLogo, type LogoImage } from '#businesses/logo.ts'
import { assert, present } from '#platform/assert.ts'

/** A4, in points. */
export const pageWidth = 595
export const pageHeight = 842

type Weight = 'regular' | 'semibold'

let loaded: Record<Weight, Font> | undefined

function fonts(): Record<Weight, Font> {
  loaded ??= {
    regular: loadFont('inter-regular.ttf', 'Inter-Regular'),
    semibold: loadFont('inter-semibold.ttf', 'Inter-SemiBold'),
  }
  return loaded
}

type TextStyle = {
  size: number
  weight?: Weight
  /** From 0, black, to 1, white. */
  gray?: number
  align?: 'start' | 'end'
}

function widthOf(text: string, { size, weight = 'regular' }: TextStyle): number {
  const { glyphsOf, widths } = fonts()[weight]
  return glyphsOf(text).reduce((sum, glyph) => sum + ((widths[glyph] ?? 0) * size) / 1_000, 0)
}

/** The drawing of one page. `y` counts from the top. */
export class PageDrawing {
  #operators: string[] = []

  text(x: number, y: number, text: string, style: TextStyle): void {
    const { size, weight = 'regular', gray = 0, align = 'start' } = style
    const glyphs = fonts()[weight].glyphsOf(text)
    const hex = glyphs.map(hexOf).join('')
    const left = align === 'end' ? x - widthOf(text, style) : x
    const font = weight === 'regular' ? 'F1' : 'F2'
    const place = `${left.toFixed(2)} ${(pageHeight - y).toFixed(2)}`
    this.#operators.push(`BT ${gray} g /${font} ${size} Tf ${place} Td <${hex}> Tj ET`)
  }

  line(from: number, to: number, y: number): void {
    const place = (pageHeight - y).toFixed(2)
    this.#operators.push(`0.82 G 0.5 w ${from} ${place} m ${to} ${place} l S`)
  }

  /** Draws the logo as large as fits the box, in its upper right corner. */
  logo({ width, height }: LogoImage, box: { right: number; top: number; width: number; height: number }): void {
    const scale = Math.min(box.width / width, box.height / height)
    const [drawnWidth, drawnHeight] = [width * scale, height * scale]
    const place = `${(box.right - drawnWidth).toFixed(2)} ${(pageHeight - box.top - drawnHeight).toFixed(2)}`
    this.#operators.push(`q ${drawnWidth.toFixed(2)} 0 0 ${drawnHeight.toFixed(2)} ${place} cm /Logo Do Q`)
  }

  content(): string {
    return this.#operators.join('\n')
  }
}

/** Breaks a text into lines of at most a width. A word that is wider is broken too. */
export function wrapText(text: string, width: number, style: TextStyle): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer, style) <= width) line = longer
    else {
      if (line !== '') lines.push(line)
      line = word
      while (widthOf(line, style) > width) {
        const part = fitText(line, width, style)
        lines.push(part)
        line = line.slice(part.length)
      }
    }
  }
  return [...lines, line]
}

/** The longest beginning of a text that fits the width, at least one character. */
export function fitText(text: string, width: number, style: TextStyle): string {
  let part = text
  while (part.length > 1 && widthOf(part, style) > width) part = part.slice(0, -1)
  return part
}

const [catalogId, treeId, infoId, firstFontId] = [1, 2, 3, 4]
const objectsPerFont = 5
const weights = ['regular', 'semibold'] as const
const logoId = firstFontId + weights.length * objectsPerFont

type PdfParts = { title: string; logo: LogoImage | undefined; pages: AsyncIterable<PageDrawing> }

export async function* pdf({ title, logo, pages }: PdfParts): AsyncGenerator<Uint8Array> {
  const file = new PdfFile()
  yield file.begin()
  yield file.object(infoId, `<< /Title ${unicodeText(title)} /Producer (Manilla) >>`)
  for (const [index, weight] of weights.entries())
    yield* fontObjects(file, firstFontId + index * objectsPerFont, fonts()[weight])
  if (logo !== undefined) {
    const { entries, content } = embeddedLogo(logo)
    yield file.packedStream(logoId, entries, content)
  }
  const firstPageId = logo === undefined ? logoId : logoId + 1
  const kids: string[] = []
  const images = logo === undefined ? '' : ` /XObject << /Logo ${logoId} 0 R >>`
  const resources = weights.map((_, index) => `/F${index + 1} ${firstFontId + index * objectsPerFont} 0 R`).join(' ')
  for await (const page of pages) {
    const id = firstPageId + kids.length * 2
    yield file.stream(id + 1, '', Buffer.from(page.content(), 'latin1'))
    const box = `/MediaBox [0 0 ${pageWidth} ${pageHeight}] /Resources << /Font << ${resources} >>${images} >>`
    yield file.object(id, `<< /Type /Page /Parent ${treeId} 0 R ${box} /Contents ${id + 1} 0 R >>`)
    kids.push(`${id} 0 R`)
  }
  yield file.object(treeId, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`)
  yield file.object(catalogId, `<< /Type /Catalog /Pages ${treeId} 0 R /Lang (en-NG) >>`)
  yield file.end()
}

/** The five objects of a font: the font, its glyph widths, its description, its file, and the text of each glyph. */
function* fontObjects(file: PdfFile, id: number, font: Font): Generator<Uint8Array> {
  const { name, bytes, widths, characters } = font
  const system = '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>'
  yield file.object(
    id,
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${id + 1} 0 R] /ToUnicode ${id + 4} 0 R >>`,
  )
  yield file.object(
    id + 1,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} ${system} /FontDescriptor ${id + 2} 0 R /CIDToGIDMap /Identity /W [0 [${widths.join(' ')}]] >>`,
  )
  yield file.object(
    id + 2,
    `<< /Type /FontDescriptor /FontName /${name} /Flags 32 /FontBBox [-500 -250 1500 1000] /ItalicAngle 0 /Ascent 969 /Descent -241 /CapHeight 728 /StemV 90 /FontFile2 ${id + 3} 0 R >>`,
  )
  yield file.stream(id + 3, ` /Length1 ${bytes.length}`, bytes)
  yield file.stream(id + 4, '', Buffer.from(unicodeMap(characters), 'latin1'))
}

/** The most entries that the format allows in a block of the map from glyphs to characters. */
const mapBlock = 100

function unicodeMap(characters: ReadonlyMap<number, string>): string {
  const entries = [...characters].map(([glyph, character]) => `<${hexOf(glyph)}> <${utf16(character)}>`)
  const blocks = Array.from({ length: Math.ceil(entries.length / mapBlock) }, (_, index) => {
    const block = entries.slice(index * mapBlock, (index + 1) * mapBlock)
    return `${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`
  })
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CMapName /Glyphs def /CMapType 2 def',
    '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
}

function hexOf(value: number): string {
  return value.toString(16).padStart(4, '0')
}

function utf16(text: string): string {
  return text
    .split('')
    .map((unit) => hexOf(unit.charCodeAt(0)))
    .join('')
}

function unicodeText(text: string): string {
  return `<feff${utf16(text)}>`
}

/** Writes objects and records where each begins, for the table at the end of the file. */
class PdfFile {
  #offset = 0
  #starts = new Map<number, number>()

  begin(): Uint8Array {
    // Bytes above 127 tell programs that the file is binary, as the format recommends.
    return this.#write(Buffer.from('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1'))
  }

  object(id: number, body: string): Uint8Array {
    this.#starts.set(id, this.#offset)
    return this.#write(Buffer.from(`${id} 0 obj\n${body}\nendobj\n`, 'latin1'))
  }

  stream(id: number, entries: string, content: Buffer): Uint8Array {
    return this.packedStream(id, `/Filter /FlateDecode${entries}`, deflateSync(content))
  }

  packedStream(id: number, entries: string, packed: Buffer): Uint8Array {
    this.#starts.set(id, this.#offset)
    const head = `${id} 0 obj\n<< /Length ${packed.length} ${entries} >>\nstream\n`
    return this.#write(Buffer.concat([Buffer.from(head, 'latin1'), packed, Buffer.from('\nendstream\nendobj\n')]))
  }

  end(): Uint8Array {
    const size = this.#starts.size + 1
    const rows = Array.from({ length: size - 1 }, (_, index) => this.#starts.get(index + 1) ?? 0)
    const table = rows.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('')
    const trailer = `trailer\n<< /Size ${size} /Root ${catalogId} 0 R /Info ${infoId} 0 R >>`
    return Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}\nstartxref\n${this.#offset}\n%%EOF\n`)
  }

  #write(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length
    return bytes
  }
}

// The parts of a TrueType font that a PDF needs: its bytes, the glyph of each character and the width of each glyph.
// The fonts are Inter in two weights, cut to the letters of Nigerian languages, 19 KB each, so they are embedded whole.

type Font = {
  bytes: Buffer
  name: string
  glyphsOf(text: string): number[]
  /** The width of each glyph, in thousandths of the font size. */
  widths: readonly number[]
  /** The character of each glyph, so that the text of the PDF can be searched and copied. */
  characters: ReadonlyMap<number, string>
}

const folder = path.join(import.meta.dirname, 'fonts')

function loadFont(file: string, name: string): Font {
  const bytes = readFileSync(path.join(folder, file))
  const tables = tablesOf(bytes)
  const at = (tag: string): number => present(tables.get(tag), 'the font has the table')
  const glyphs = readCharacters(bytes, at('cmap'))
  const widths = readWidths(bytes, { hmtx: at('hmtx'), hhea: at('hhea'), head: at('head'), maxp: at('maxp') })
  const unknown = glyphs.get('?') ?? 0
  return {
    bytes,
    name,
    widths,
    characters: new Map([...glyphs].map(([character, glyph]) => [glyph, character])),
    glyphsOf: (text) =>
      Array.from(text.normalize('NFC')).flatMap((character) => glyphFor(glyphs, character) ?? [unknown]),
  }
}

const combining = /\p{M}/gu

/** A letter that the font has only without its accent loses the accent. A combining accent alone is left out. */
function glyphFor(glyphs: ReadonlyMap<string, number>, character: string): number[] | undefined {
  const glyph = glyphs.get(character)
  if (glyph !== undefined) return [glyph]
  const bare = Array.from(character.normalize('NFD').replaceAll(combining, ''))
  const found = bare.map((one) => glyphs.get(one))
  return found.every((one) => one !== undefined) ? found : undefined
}

function tablesOf(bytes: Buffer): ReadonlyMap<string, number> {
  const count = bytes.readUInt16BE(4)
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const entry = 12 + index * 16
      return [bytes.toString('latin1', entry, entry + 4), bytes.readUInt32BE(entry + 8)]
    }),
  )
}

/** Reads the subtable of format 4 of the font's `cmap` table. It maps segments of characters to glyphs. */
function readCharacters(bytes: Buffer, cmap: number): ReadonlyMap<string, number> {
  const offsets = Array.from({ length: bytes.readUInt16BE(cmap + 2) }, (_, index) =>
    bytes.readUInt32BE(cmap + 8 + index * 8),
  )
  const table =
    cmap +
    present(
      offsets.find((offset) => bytes.readUInt16BE(cmap + offset) === 4),
      'a table of format 4',
    )
  const doubled = bytes.readUInt16BE(table + 6)
  const glyphs = new Map<string, number>()
  for (let segment = 0; segment < doubled; segment += 2) {
    const last = bytes.readUInt16BE(table + 14 + segment)
    const first = bytes.readUInt16BE(table + 16 + doubled + segment)
    const delta = bytes.readUInt16BE(table + 16 + 2 * doubled + segment)
    const place = table + 16 + 3 * doubled + segment
    const offset = bytes.readUInt16BE(place)
    for (let code = first; code <= last && code !== 0xff_ff; code += 1) {
      const listed = offset === 0 ? code : bytes.readUInt16BE(place + offset + (code - first) * 2)
      const glyph = offset !== 0 && listed === 0 ? 0 : (listed + delta) & 0xff_ff
      if (glyph !== 0) glyphs.set(String.fromCodePoint(code), glyph)
    }
  }
  return glyphs
}

type WidthTables = Record<'hmtx' | 'hhea' | 'head' | 'maxp', number>

function readWidths(bytes: Buffer, { hmtx, hhea, head, maxp }: WidthTables): number[] {
  const unitsPerEm = bytes.readUInt16BE(head + 18)
  const measured = bytes.readUInt16BE(hhea + 34)
  assert(measured > 0, 'a font has widths')
  // The last glyphs can be missing in this table; they have the width of its last entry.
  return Array.from({ length: bytes.readUInt16BE(maxp + 4) }, (_, glyph) =>
    Math.round((bytes.readUInt16BE(hmtx + Math.min(glyph, measured - 1) * 4) * 1_000) / unitsPerEm),
  )
}

// PDFs show the time of Lagos whatever time zone their reader is in, because people pass them on.

const form = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** `26 Nov 2026, 10:30`. */
export function lagosTime(at: Date): string {
  return form.format(at)
}
