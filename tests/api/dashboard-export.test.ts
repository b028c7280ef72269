// Exported files: a strict reader gets back what was written, and a spreadsheet takes no text for a formula.

import { expect, it } from 'vitest'
import fc from 'fast-check'
import { linesOf, tableOf, type ColumnKind, type ExportRow } from '#api/dashboard/money/export.ts'
import { parseCsv } from '#tests/support/csv.ts'

const columns: Record<string, ColumnKind> = {
  name: 'text',
  amount: 'money',
  at: 'time',
  number: 'number',
  more: 'text',
}

async function fileOf(pages: ExportRow[][]): Promise<string> {
  async function* walk(): AsyncGenerator<ExportRow[]> {
    yield* pages
  }
  let text = ''
  const { heads, rows } = tableOf(walk(), columns, { zone: 'Africa/Lagos', currency: 'NGN' })
  for await (const line of linesOf(heads, rows)) text += line
  return text
}

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('=1+1', '+2348030000000', '-5', '@sum', '\tx', '\rx', '"', 'a,b', 'a\r\nb', '', "'=1", '₦'),
)
const row = fc.record({
  name: anyText,
  amount: fc.nat({ max: 2 ** 31 - 1 }).map((kobo) => kobo * 1_000_003),
  at: fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => new Date(ms).toISOString()),
  number: fc.integer(),
  more: fc.oneof(fc.constant(null), fc.dictionary(fc.string(), anyText)),
})

/**
 * Puts an apostrophe before every text that a spreadsheet could run, also after its own separators; csv.test.ts has the
 * cases.
 */
const guarded = (text: string): string =>
  /^(0\d{4,}|\d{12,}|\+\d{7,})$/.test(text)
    ? `="${text}"`
    : text.replaceAll(/(?<=^|[;\t\r\n]) *(?=[=+\-@\t\r＝＋－＠])/g, "'$&")

it('reads back as it was written, whatever it holds, and no cell of it runs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 4 }), { maxLength: 4 }), async (pages) => {
      const [head, ...lines] = parseCsv(await fileOf(pages))
      expect(head).toEqual(['name', 'amount (NGN)', 'at (UTC)', 'at (Africa/Lagos)', 'number', 'more'])
      const rows = pages.flat()
      expect(lines).toHaveLength(rows.length)
      for (const [index, { name, amount, at, number, more }] of rows.entries()) {
        const cells = lines[index] ?? []
        expect(cells[0]).toBe(guarded(name))
        expect(BigInt((cells[1] ?? '').replace('.', ''))).toBe(BigInt(amount))
        expect(cells[2]).toBe(at)
        expect(Date.parse(`${cells[3]?.replace(' ', 'T')}+01:00`)).toBe(Math.floor(Date.parse(at) / 1_000) * 1_000)
        expect(cells[4]).toBe(String(number))
        expect(cells[5]).toBe(more === null ? '' : guarded(JSON.stringify(more)))
        expect(
          [cells[0], cells[2], cells[3], cells[5]].filter((cell) =>
            /^[=+\-@\t\r]/.test((cell ?? '').replace(/^="\+?\d+"$/, '')),
          ),
        ).toEqual([])
      }
    }),
  )
})

it('reads no further than it is taken, so that a slow reader costs no memory', async () => {
  let read = 0
  async function* walk(): AsyncGenerator<ExportRow[]> {
    for (; read < 1_000; read++) yield [{ name: `row ${read}` }]
  }
  const { heads, rows } = tableOf(walk(), { name: 'text' }, { zone: 'Africa/Lagos', currency: 'NGN' })
  const lines = linesOf(heads, rows)
  await lines.next()
  await lines.next()
  await lines.next()
  expect(read).toBeLessThanOrEqual(2)
  await lines.return(undefined)
  expect(read).toBeLessThanOrEqual(2)
})
