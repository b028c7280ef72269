// A workbook that a strict reader opens, with every text and amount as it was written.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inflateRawSync, crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import type { Cell } from '#api/dashboard/csv.ts'
import { xlsx } from '#api/dashboard/xlsx.ts'

async function fileOf(heads: string[], rows: Cell[][]): Promise<Buffer> {
  async function* walk(): AsyncGenerator<Cell[]> {
    yield* rows
  }
  const parts: Uint8Array[] = []
  for await (const part of xlsx(heads, walk())) parts.push(part)
  return Buffer.concat(parts)
}

/** Reads an archive by its directory, as ZIP readers do, and checks each part against its sizes and checksum. */
function partsOf(archive: Buffer): Map<string, string> {
  const end = archive.length - 22
  expect(archive.readUInt32LE(end)).toBe(0x06054b50)
  const parts = new Map<string, string>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size, nameLength] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const data = archive.readUInt32LE(at + 42) + 30 + nameLength
    const bytes = inflateRawSync(archive.subarray(data, data + packed))
    expect({ name, size: bytes.length, crc: crc32(bytes) }).toEqual({ name, size, crc })
    parts.set(name, bytes.toString())
    at += 46 + nameLength
  }
  return parts
}

it('keeps account numbers, session ids, amounts and formulas as they were written', async () => {
  const session = '999999261123162431805166921945'
  const archive = await fileOf(
    ['accountNumber', 'sessionId', 'amount (NGN)', 'number', 'narration'],
    [['0123456789', session, { decimal: '98896.77' }, 7, '=HYPERLINK("x") & <b>Ọlá</b>\u0001']],
  )
  const sheet = partsOf(archive).get('xl/worksheets/sheet1.xml') ?? ''
  const cells = [...sheet.matchAll(/<c[^>]*?(?:\/>|>(.*?)<\/c>)/g)].map(([, inner = '']) =>
    inner.replaceAll(/<[^>]+>/g, ''),
  )
  expect(cells.slice(5)).toEqual([
    '0123456789',
    session,
    '98896.77',
    '7',
    '=HYPERLINK("x") &amp; &lt;b&gt;Ọlá&lt;/b&gt;\ufffd',
  ])
  expect(sheet).not.toContain('<f>')
})

it('reads no further than it is taken', async () => {
  let read = 0
  async function* walk(): AsyncGenerator<Cell[]> {
    for (; read < 1_000_000; read++) yield [`row ${read} ${Math.random()}`]
  }
  let taken = 0
  for await (const part of xlsx(['name'], walk())) {
    taken += part.length
    if (taken > 100_000) break
  }
  expect(read).toBeLessThan(50_000)
})

const python = ((): string | undefined => {
  try {
    execFileSync('python3', ['-c', 'import openpyxl'], { stdio: 'ignore' })
    return 'python3'
  } catch {
    return undefined
  }
})()

it.skipIf(python === undefined)('opens in a reader of another make, 10,000 rows long', async () => {
  const rows = Array.from({ length: 10_000 }, (_, row): Cell[] => [
    String(row).padStart(10, '0'),
    { decimal: `${row}.05` },
  ])
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-xlsx-'))
  const file = path.join(folder, 'export.xlsx')
  writeFileSync(file, await fileOf(['account', 'amount'], rows))
  const program = `import openpyxl, sys
sheet = openpyxl.load_workbook(sys.argv[1]).active
rows = list(sheet.values)
print(len(rows), rows[0], rows[-1])`
  const said = execFileSync('python3', ['-c', program, file], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(said.trim()).toBe("10001 ('account', 'amount') ('0000009999', 9999.05)")
})

it('shows an amount of a currency without decimals without them', async () => {
  const parts = partsOf(await fileOf(['amount (XOF)'], [[{ decimal: '2625' }], [{ decimal: '26.25' }]]))
  expect(parts.get('xl/worksheets/sheet1.xml')).toContain('<c s="3"><v>2625</v></c>')
  expect(parts.get('xl/worksheets/sheet1.xml')).toContain('<c s="1"><v>26.25</v></c>')
  const styles = [...(parts.get('xl/styles.xml') ?? '').matchAll(/<xf [^>]*numFmtId="(\d+)"/g)].map(([, id]) => id)
  expect(styles).toEqual(['4', '3'])
})
