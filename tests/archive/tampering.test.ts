// A change of an archived month is detected: in its file, in its seal, in the table.

import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from '#tests/support/owner.ts'
import { openBooks, type Books } from './books.ts'

let books: Books
let file = ''
let whole = Buffer.alloc(0)
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  books = await openBooks((close) => closing.unshift(close))
  await books.archive({ monthsKept: 3 })
  file = await books.fileOf('2026-02')
  whole = await readFile(file)
})
afterAll(async () => {
  for (const close of closing) await close()
})

describe('a file', () => {
  afterEach(() => writeFile(file, whole))

  const linesOf = (): string[] => gunzipSync(whole).toString().split('\n').slice(0, -1)
  const keep = (lines: string[]): Promise<void> => writeFile(file, gzipSync(lines.map((line) => `${line}\n`).join('')))
  /** Replaces the last line by one that matches the lines before it. */
  const signed = (lines: string[]): string[] => {
    const content = lines.slice(0, -1)
    const digest = createHash('sha256')
      .update(content.map((line) => `${line}\n`).join(''))
      .digest('hex')
    return [...content, (lines.at(-1) ?? '').replace(/"digest":"\w+"/, `"digest":"${digest}"`)]
  }

  it.each<[string, (lines: string[]) => string[]]>([
    ['an amount that was changed', (lines) => lines.map((line) => line.replace('"hold"', '"release"'))],
    ['a row that was taken out', (lines) => lines.toSpliced(5, 1)],
    ['a row that is there twice', (lines) => lines.toSpliced(5, 0, lines[5] ?? '')],
    ['rows that changed places', (lines) => lines.toSpliced(5, 2, lines[6] ?? '', lines[5] ?? '')],
    [
      'another month before it',
      (lines) =>
        lines.map((line) =>
          line.replace(/"previous":"../, (was) => was.slice(0, -2) + (was.endsWith('00') ? '11' : '00')),
        ),
    ],
    ['another last line', (lines) => lines.map((line) => line.replace('{"rows":"', '{"rows":"1'))],
    ['no last line', (lines) => lines.slice(0, -1)],
    ['a line too many', (lines) => [...lines, '{}']],
    ['nothing in it', () => []],
  ])('is refused with %s', async (_what, change) => {
    await keep(change(linesOf()))
    await expect(books.prove(file)).rejects.toThrow(/cannot be trusted: .+ Take a copy of it from elsewhere\./)
  })

  it('is refused if it was truncated or is not an archive', async () => {
    await writeFile(file, whole.subarray(0, whole.length - 20))
    await expect(books.prove(file)).rejects.toThrow('cannot be trusted')
    await writeFile(file, 'gone')
    await expect(books.prove(file)).rejects.toThrow('cannot be trusted')
  })

  it('is not called damaged if its path is wrong', async () => {
    await expect(books.prove(`${file}-mistyped`)).rejects.toThrow(`There is no file ${file}-mistyped. Check the path`)
  })

  it('that was changed with its last line differs from the seal', async () => {
    await keep(signed(linesOf().map((line) => line.replace('"PAY-110"', '"PAY-111"'))))
    const { faults } = await books.prove(file)
    expect(faults).toEqual(['its rows are not those that were sealed', 'the sums of its seal were changed'])
    await expect(books.bringBack(file)).rejects.toThrow('is not the file that was sealed')
  })

  it('that was not changed is verified', async () => {
    expect((await books.prove(file)).faults).toEqual([])
  })
})

describe('a seal', () => {
  /** Makes a change as the owner of the tables, calls `look`, and undoes the change. */
  async function tampered<T>(change: string, undo: string, look: () => Promise<T>): Promise<T> {
    await asOwner(books.database, change)
    const found = await look()
    await asOwner(books.database, undo)
    expect(await books.breaches()).toEqual([])
    return found
  }
  const february = `until = '2026-03-01T00:00:00Z'`
  const found = async () =>
    (await books.breaches()).map(({ invariant, message }) => `${invariant.slice(0, 40)} … ${message}`).toSorted()

  it.each([
    ['credits = credits + 7', 'credits = credits - 7', /^the totals of an account .* credits \d+ instead of \d+$/],
    ['last_entry = last_entry - 1', 'last_entry = last_entry + 1', /^entries are dense .* does not follow/],
    ['balance_after = balance_after - 1', 'balance_after = balance_after + 1', /^entries are dense .* does not follow/],
  ])('whose sums say %s', async (change, undo, message) => {
    const where = `where name = 'available' and ${february}`
    const sums = (what: string): string => `update ledger_archive_sum set ${what} ${where}`
    const look = async (): Promise<[string[], string[]]> => [await found(), (await books.prove(file)).faults]
    const [breaches, faults] = await tampered(sums(change), sums(undo), look)
    expect(breaches).toEqual(breaches.map(() => expect.stringMatching(message)))
    expect(breaches.length).toBeGreaterThan(0)
    expect(faults).toEqual(['the sums of its seal were changed'])
  })

  it.each(['payments', 'deposits'])('whose digest of %s was changed, which names the month', async (cause) => {
    const digests = (by: string): string =>
      `update ledger_archive_digest set digest = digest ${by} where cause = '${cause}' and ${february}`
    const find = async () =>
      (await books.breaches()).filter(({ ids }) => ids.includes('2026-02')).map(({ message }) => message)
    const breaches = await tampered(digests('+ 1'), digests('- 1'), find)
    expect(breaches).toEqual(
      breaches.map(() => expect.stringMatching(`${cause} and movements disagree in a month that is archived$`)),
    )
    expect(breaches.length).toBeGreaterThan(0)
  })

  it('with a changed digest does not match its file and the next month', async () => {
    const [january] = await asOwner<{ digest: Buffer }>(
      books.database,
      'select digest from ledger_archive order by until',
    )
    const set = (hex: string): string =>
      `update ledger_archive set digest = '\\x${hex}' where until = '2026-02-01T00:00:00Z'`
    const look = async () => ({
      breaches: await found(),
      first: await books.prove(await books.fileOf('2026-01')).catch(String),
    })
    const { breaches } = await tampered(set('00'.repeat(32)), set(january?.digest.toString('hex') ?? ''), look)
    expect(breaches).toEqual([
      expect.stringContaining('an archived month of movements does not follow from the one before it'),
    ])
  })
})

describe('in the table', () => {
  it('a movement that is dated in an archived month', async () => {
    await asOwner(
      books.database,
      `insert into ledger_movement select lane, tenant_id, gen_random_uuid(), currency, debit, credit, amount, kind, source_id,
         reference, null, null, '2026-01-15T00:00:00Z' from ledger_movement where kind = 'payout' limit 1`,
    )
    expect(await books.breaches()).toMatchObject([{ message: 'movements of a month whose rows were all taken out' }])
    await asOwner(books.database, `delete from ledger_movement where created_at < '2026-02-01T00:00:00Z'`)
    expect(await books.breaches()).toEqual([])
  })

  it('a changed payment is reported by its month if that is archived, else by its id', async () => {
    const change = (which: string, by: string): Promise<unknown> =>
      asOwner(
        books.database,
        `update payment set amount = amount ${by} where reference = '${which}' and tenant_id = $1`,
        [books.tenants[0]?.id],
      )
    const found = async () =>
      (await books.breaches({ rowsPerSnapshot: 0 })).filter(({ invariant }) =>
        invariant.includes('exactly the movements'),
      )
    await change('PAY-15', '+ 1')
    expect(await found()).toMatchObject([
      { message: 'payments and movements disagree in a month that is archived', ids: ['2026-01'] },
    ])
    await change('PAY-15', '- 1')
    await change('PAY-285', '+ 1')
    expect(await found()).toMatchObject([{ message: 'SUCCESS, but its movements are not those of SUCCESS' }])
    await change('PAY-285', '- 1')
    expect(await found()).toEqual([])
  })
})

describe('before and while a month is archived', () => {
  it('a movement that was changed after its month was sealed stays in the table', async () => {
    const whose = `where reference = 'PAY-155' and kind = 'payout' and tenant_id = $1`
    const set = (by: string): Promise<unknown> =>
      asOwner(books.database, `update ledger_movement set amount = amount ${by} ${whose}`, [books.tenants[0]?.id])
    const tell = (step: string): void => {
      if (step.startsWith('taking')) throw new Error('cut off')
    }
    await expect(books.archive({ monthsKept: 2, tell })).rejects.toThrow('cut off')
    await set('+ 1')
    await expect(books.archive({ monthsKept: 2 })).rejects.toThrow(
      /^In the table, movements differ from what .+ says of them: [0-9a-f-]{36}\. They stay\./,
    )
    await set('- 1')
    expect((await books.archive({ monthsKept: 2 })).map(({ month }) => month)).toEqual(['2026-03'])
    expect(await books.breaches()).toEqual([])
  })

  it('a month whose entries have a gap is not archived', async () => {
    const april = `created_at between '2026-04-10' and '2026-04-20' and entry is not null`
    await asOwner(books.database, `update ledger_movement set balance_after = balance_after - 1 where ${april}`)
    await asOwner(
      books.database,
      `delete from ledger_movement where created_at between '2026-04-12' and '2026-04-13' and entry is not null`,
    )
    await expect(books.archive()).rejects.toThrow(
      /^Lane 1 is not archived: the NGN entries of tenant .+ in 2026-04 do not follow\. Run: npx manilla ledger verify$/,
    )
  })
})
