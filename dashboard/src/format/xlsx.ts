// Reads the first visible sheet of an XLSX file as a table of texts. Numbers are written as Excel shows them, with at most 15
// significant digits, so that a sum such as 0.30000000000000004 is 0.3.

const bytesMax = 64 * 1024 * 1024

/** Throws an error with a message for the person if the file is not XLSX. */
export async function readXlsx(file: ArrayBuffer): Promise<string[][]> {
  const entries = listEntries(new DataView(file))
  const read = async (name: string): Promise<string> => {
    const entry = entries.get(name)
    return entry === undefined ? '' : inflate(file, entry)
  }
  const shown = findShownSheet(await read('xl/workbook.xml'), await read('xl/_rels/workbook.xml.rels'))
  const name = shown !== undefined && entries.has(shown) ? shown : firstByName([...entries.keys()])
  if (name === undefined) throw unreadable()
  return readSheet(await read(name), await read('xl/sharedStrings.xml'))
}

/**
 * The file of the first sheet that Excel shows. Hidden sheets before it are skipped, because they may hold lists or old
 * rows.
 */
function findShownSheet(workbook: string, relations: string): string | undefined {
  const sheets = [...workbook.matchAll(/<(?:\w+:)?sheet\b([^>]*)>/g)].map(([, head = '']) => head)
  const shown = sheets.find((head) => !/\bstate="(?:hidden|veryHidden)"/.test(head))
  const id = /\b\w+:id="([^"]+)"/.exec(shown ?? '')?.[1]
  const targets = [...relations.matchAll(/<(?:\w+:)?Relationship\b([^>]*)>/g)].map(([, head = '']) => head)
  const target = targets.find((head) => id !== undefined && head.includes(` Id="${id}"`))
  const path = /\bTarget="([^"]+)"/.exec(target ?? '')?.[1]
  if (path === undefined) return undefined
  return path.startsWith('/') ? path.slice(1) : `xl/${path}`
}

function firstByName(names: string[]): string | undefined {
  const sheets = names.filter((name) => /^xl\/worksheets\/[^/]+\.xml$/.test(name))
  return sheets.toSorted((left, right) => left.length - right.length || (left < right ? -1 : 1))[0]
}

function unreadable(): Error {
  return new Error('This file cannot be read. Save it as XLSX or CSV and try again.')
}

type Entry = { offset: number; size: number; fullSize: number; isDeflated: boolean }

const endMark = 0x06054b50
const entryMark = 0x02014b50
const endLength = 22

/** The directory of a ZIP file, which is at its end. */
function listEntries(view: DataView): Map<string, Entry> {
  let end = view.byteLength - endLength
  while (end >= 0 && view.getUint32(end, true) !== endMark) end -= 1
  if (end < 0) throw unreadable()
  const entries = new Map<string, Entry>()
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== entryMark) throw unreadable()
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, at + 46, nameLength))
    entries.set(name, {
      isDeflated: view.getUint16(at + 10, true) === 8,
      size: view.getUint32(at + 20, true),
      fullSize: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

async function inflate(file: ArrayBuffer, { offset, size, fullSize, isDeflated }: Entry): Promise<string> {
  if (fullSize > bytesMax) throw unreadable()
  const head = new DataView(file, offset)
  const start = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true)
  const packed = new Blob([new Uint8Array(file, start, size)])
  const stream = isDeflated ? packed.stream().pipeThrough(new DecompressionStream('deflate-raw')) : packed.stream()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = stream.getReader()
  for (let piece = await reader.read(); piece.value !== undefined; piece = await reader.read()) {
    length += piece.value.byteLength
    // The directory may lie about the size.
    if (length > bytesMax) throw unreadable()
    parts.push(piece.value)
  }
  return new Blob(parts).text()
}

/** `strings`: the texts that cells refer to by number. */
export function readSheet(sheet: string, strings: string): string[][] {
  const shared = [...strings.matchAll(/<si\b[^>]*?(?:\/>|>(.*?)<\/si>)/gs)].map(([, text = '']) => textIn(text))
  const rows = [...sheet.matchAll(/<row\b[^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, row = '']) => readRow(row, shared))
  return rows.filter((cells) => cells.some((cell) => cell !== ''))
}

function readRow(row: string, shared: readonly string[]): string[] {
  const cells: string[] = []
  for (const [, head = '', inside = ''] of row.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
    const letters = /\br="([A-Z]+)\d+"/.exec(head)?.[1]
    const place = letters === undefined ? cells.length : placeOf(letters)
    while (cells.length < place) cells.push('')
    cells[place] = readCell(/\bt="(\w+)"/.exec(head)?.[1], inside, shared).trim()
  }
  return cells
}

/** A is 0, Z is 25, AA is 26. */
function placeOf(letters: string): number {
  let place = 0
  for (const letter of letters) place = place * 26 + letter.charCodeAt(0) - 64
  return Math.min(place, placesMax) - 1
}

/** Columns further right are of no use here, and a cell far out would make a huge row. */
const placesMax = 200

function readCell(type: string | undefined, inside: string, shared: readonly string[]): string {
  if (type === 'inlineStr') return textIn(inside)
  const value = /<v\b[^>]*>(.*?)<\/v>/s.exec(inside)?.[1] ?? ''
  if (type === 's') return shared[Number(value)] ?? ''
  if (type !== undefined && type !== 'n') return plain(value)
  const number = Number(value)
  if (value === '' || !Number.isFinite(number)) return value
  return Number.isSafeInteger(number) ? number.toFixed(0) : String(Number(number.toPrecision(15)))
}

function textIn(xml: string): string {
  return [...xml.matchAll(/<t\b[^>]*?(?:\/>|>(.*?)<\/t>)/gs)].map(([, text = '']) => plain(text)).join('')
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text.replaceAll(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
