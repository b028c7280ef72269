// What a PDF needs of a TrueType font: its bytes, the glyph of each character and the width of each glyph. The fonts are
// Inter in two weights, cut to the letters of Nigerian languages, 19 KB each, so they are embedded whole.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { assert, present } from '#platform/assert.ts'

export type Font = {
  bytes: Buffer
  name: string
  /** Glyphs of a text, as the font numbers them. */
  glyphsOf(text: string): number[]
  /** In thousandths of the size of the text. */
  widths: readonly number[]
  /** The characters that glyphs stand for, so that texts can be searched and copied. */
  characters: ReadonlyMap<number, string>
}

const folder = path.join(import.meta.dirname, 'fonts')

export function loadFont(file: string, name: string): Font {
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

/** A letter whose accent the font lacks is written without it. An accent alone is left out. */
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

/** Reads the subtable of format 4, which maps segments of characters to glyphs. */
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
  // Glyphs beyond those that are measured are as wide as the last of them.
  return Array.from({ length: bytes.readUInt16BE(maxp + 4) }, (_, glyph) =>
    Math.round((bytes.readUInt16BE(hmtx + Math.min(glyph, measured - 1) * 4) * 1_000) / unitsPerEm),
  )
}
