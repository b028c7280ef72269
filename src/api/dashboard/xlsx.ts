// Writes XLSX files: one sheet of texts and numbers, streamed. Spreadsheet programs keep texts as they are, so account
// numbers keep their zeros and session ids all their digits. Written by hand because XLSX libraries also read, style and
// chart, and most of them hold the whole file in memory.

import { once } from 'node:events'
import { crc32, createDeflateRaw } from 'node:zlib'
import { piecesOf, type Cell } from './csv.ts'

/** The most rows that the format allows below the header row. */
export const sheetRowsMax = 1_048_575

/** The longest text that the format allows in a cell; longer ones are cut. */
const textLengthMax = 32_767

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const namespaces = 'http://schemas.openxmlformats.org'
const main = `${namespaces}/spreadsheetml/2006/main`
const relations = `${namespaces}/package/2006/relationships`
const documentRelations = `${namespaces}/officeDocument/2006/relationships`

const fixedParts: Record<string, string> = {
  '[Content_Types].xml': `${xml}<Types xmlns="${namespaces}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  '_rels/.rels': `${xml}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${documentRelations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${documentRelations}"><sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${xml}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${documentRelations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${documentRelations}/styles" Target="styles.xml"/></Relationships>`,
  // Style 1 is an amount with two decimals, style 2 a bold header, style 3 an amount of a currency without decimals.
  'xl/styles.xml': `${xml}<styleSheet xmlns="${main}"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf xfId="0"/><xf xfId="0" numFmtId="4" applyNumberFormat="1"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="3" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
}

export async function* xlsx(
  heads: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncGenerator<Uint8Array> {
  const zip = new Zip()
  for (const [name, text] of Object.entries(fixedParts)) yield* zip.add(name, one(text))
  yield* zip.add('xl/worksheets/sheet1.xml', sheetOf(heads, rows))
  yield zip.end()
}

async function* one(text: string): AsyncGenerator<string> {
  yield text
}

async function* sheetOf(heads: readonly string[], rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<string> {
  // Freezes the header row, so that it stays in view while the user scrolls.
  yield `${xml}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
  yield `<row>${heads.map((head) => textCell(head, ' s="2"')).join('')}</row>`
  for await (const row of rows) yield `<row>${row.map(cellOf).join('')}</row>`
  yield '</sheetData></worksheet>'
}

function cellOf(cell: Cell): string {
  if (cell === null || cell === '') return '<c/>'
  if (typeof cell === 'string') return textCell(cell, '')
  if (typeof cell === 'object') return `<c s="${cell.decimal.includes('.') ? 1 : 3}"><v>${cell.decimal}</v></c>`
  return `<c><v>${cell}</v></c>`
}

function textCell(text: string, style: string): string {
  return `<c t="inlineStr"${style}><is><t xml:space="preserve">${escaped(text.slice(0, textLengthMax))}</t></is></c>`
}

/** XML 1.0 cannot contain these characters. */
// oxlint-disable-next-line no-control-regex
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(notInXml, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;')
}

/**
 * A ZIP archive. The sizes of an entry follow its data, because they are unknown before (APPNOTE 4.4.4, bit 3). They have
 * 32 bits, so an entry of 4 GiB or more throws. ZIP64 would have 64 bits, but Excel refuses some ZIP64 files.
 */
class Zip {
  #offset = 0
  #entries: { name: Buffer; crc: number; packed: number; size: number; offset: number }[] = []

  async *add(name: string, text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
    const entry = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset: this.#offset }
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    writeCommon(head, 4)
    head.writeUInt16LE(entry.name.length, 26)
    yield this.#count(Buffer.concat([head, entry.name]))
    for await (const piece of packed(piecesOf(text), (bytes) => {
      entry.crc = crc32(bytes, entry.crc)
      entry.size += bytes.length
    })) {
      entry.packed += piece.length
      yield this.#count(piece)
    }
    const tail = Buffer.alloc(16)
    tail.writeUInt32LE(0x08074b50, 0)
    writeSizes(tail, 4, entry)
    yield this.#count(tail)
    this.#entries.push(entry)
  }

  end(): Uint8Array {
    const directory = this.#entries.map((entry) => {
      const record = Buffer.alloc(46)
      record.writeUInt32LE(0x02014b50, 0)
      record.writeUInt16LE(20, 4)
      writeCommon(record, 6)
      writeSizes(record, 16, entry)
      record.writeUInt16LE(entry.name.length, 28)
      record.writeUInt32LE(entry.offset, 42)
      return Buffer.concat([record, entry.name])
    })
    const whole = Buffer.concat(directory)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(directory.length, 8)
    end.writeUInt16LE(directory.length, 10)
    end.writeUInt32LE(whole.length, 12)
    end.writeUInt32LE(this.#offset, 16)
    return Buffer.concat([whole, end])
  }

  #count(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length
    return bytes
  }
}

/**
 * Writes the fields that both headers of an entry share: version 2.0, sizes after the data, names in UTF-8, deflate,
 * and 1 January 1980 in place of the date.
 */
function writeCommon(buffer: Buffer, at: number): void {
  buffer.writeUInt16LE(20, at)
  buffer.writeUInt16LE(0x0808, at + 2)
  buffer.writeUInt16LE(8, at + 4)
  buffer.writeUInt16LE(0, at + 6)
  buffer.writeUInt16LE(0x21, at + 8)
}

function writeSizes(buffer: Buffer, at: number, sizes: { crc: number; packed: number; size: number }): void {
  buffer.writeUInt32LE(sizes.crc, at)
  buffer.writeUInt32LE(sizes.packed, at + 4)
  buffer.writeUInt32LE(sizes.size, at + 8)
}

/** Compresses one piece after another and waits for the reader, so that a slow reader does not fill the memory. */
async function* packed(source: AsyncIterable<string>, see: (bytes: Buffer) => void): AsyncGenerator<Uint8Array> {
  const deflate = createDeflateRaw()
  let out: Uint8Array[] = []
  deflate.on('data', (bytes: Uint8Array) => out.push(bytes))
  try {
    for await (const text of source) {
      const bytes = Buffer.from(text)
      see(bytes)
      if (!deflate.write(bytes)) await once(deflate, 'drain')
      const ready = out
      out = []
      yield* ready
    }
    deflate.end()
    await once(deflate, 'end')
    yield* out
  } finally {
    deflate.destroy()
  }
}
