// Statements of pawaPay as the adapter reads them; one that cannot be read proves nothing.

import { beforeEach, describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import type { RailLine } from '#rails/statement.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { useFake } from './provider.ts'
import { dayMs, describeStatement, readList } from './statement.ts'

const clock = createFakeClock()
const fake = await startFakePawapay(clock)
const { net } = useFake(fake, clock)
const options = { name: 'pawapay', apiToken: pawapayToken, callbacks: 'signed' as const, baseUrl: fake.url, net, clock }
const callbackUrl = 'https://pay.example.com/production/rails/pawapay/notices'
const newStatement = () =>
  present(createPawapay({ ...options, callbackUrl, limits: { readMs: 1_000 } }).statement, 'it lists payouts')

const [toMs, fromMs] = [clock.now(), clock.now() - 3 * dayMs]
const ids = ['08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e', '2fdd741a-aa01-4a9c-ad0e-4be0c0343c82', 'not-one-of-ours']
const usual = {
  header: fake.statements.header,
  padding: '',
  end: 'COMPLETED',
  slowness: 0,
  readyAfterMs: 0,
  isExpired: false,
  rows: [],
}
beforeEach(() => {
  clock.advance(60_000)
  Object.assign(fake.statements, usual)
})

const row = (more: Partial<(typeof fake.statements.rows)[number]>) => ({
  country: 'GHA',
  id: ids[0] ?? '',
  amount: '1500.50',
  currency: 'GHS',
  type: 'PAYOUT',
  atMs: toMs - 2 * dayMs,
  ...more,
})
const line = { list: 'payouts', direction: 'out', cause: 'payout', state: 'pending', fee: null, accountNumber: null }

const change = { list: 'ledger', currency: 'GHS', country: 'GH', balanceAfter: null }

it('lists the payments and changes of every wallet, day by day, and marks the types that it does not know', async () => {
  fake.statements.rows = [
    row({}),
    row({ type: 'PAYOUT_FEE', amount: '10' }),
    row({ type: 'PAYOUT_FEE', amount: '0.125' }),
    row({ type: 'PAYOUT_REVERSAL', amount: '+1500.50' }),
    row({ type: 'Wallet Top-up', amount: '250', id: '' }),
    row({ type: 'ADJUSTMENT', amount: '-3', id: 'A-1' }),
    row({ type: 'SOMETHING LEVY', amount: '9' }),
    row({ country: 'CIV', currency: 'XOF', type: 'FEE', amount: '0.5' }),
    row({ type: 'DEPOSIT', id: ids[1] ?? '' }),
    row({ country: 'UGA', currency: 'UGX', amount: '-5000', type: 'Payout', id: ids[1] ?? '', atMs: toMs - 3_600_000 }),
    row({ country: 'CIV', currency: 'XOF', amount: '700.00', id: ids[2] ?? '' }),
  ]
  const { lines, pages } = await readList(newStatement(), 'payouts', { fromMs, toMs })
  expect(pages).toBe(12)
  const unknown = { ...change, state: 'unknown' }
  const at = new Date(toMs - 2 * dayMs).toISOString()
  expect(lines).toMatchObject([
    { ...change, direction: 'out', cause: 'fee', amount: 1n, currency: 'XOF', country: 'CI' },
    { ...line, reference: ids[2], amount: 700n, currency: 'XOF' },
    { ...line, reference: ids[0], amount: 150_050n, currency: 'GHS', atMs: toMs - 2 * dayMs },
    { ...change, direction: 'out', cause: 'fee', amount: 1_000n, lineId: `PAYOUT FEE ${ids[0]} ${at} GH GHS` },
    { ...change, direction: 'out', cause: 'fee', amount: 13n, lineId: `PAYOUT FEE ${ids[0]} ${at} GH GHS 2` },
    { ...unknown, direction: 'in', amount: 150_050n, reference: 'PAYOUT REVERSAL' },
    { ...change, state: 'succeeded', direction: 'in', cause: 'other', amount: 25_000n },
    { ...unknown, direction: 'out', amount: 300n, reference: 'ADJUSTMENT' },
    { ...unknown, amount: 900n, reference: 'SOMETHING LEVY' },
    { list: 'deposits', direction: 'in', state: 'pending', reference: ids[1], amount: 150_050n },
    { ...line, reference: ids[1], amount: 5_000n, currency: 'UGX' },
  ])
})

it('keeps changes apart that differ in their wallet or their time alone', async () => {
  const topUp = { type: 'WALLET_TOP_UP', amount: '100', id: '' }
  const fee = { type: 'PAYOUT_FEE', amount: '1' }
  fake.statements.rows = [
    row(topUp),
    row({ ...topUp, country: 'UGA', currency: 'UGX' }),
    row(fee),
    row({ ...fee, atMs: toMs - dayMs - 1_000 }),
    row({ ...fee, atMs: toMs - 1_000 }),
  ]
  const { lines } = await readList(newStatement(), 'payouts', { fromMs, toMs })
  expect(lines).toHaveLength(5)
  expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(5)
})

it.each([
  ['0.3', 1n, -700_000],
  ['26.25', 26n, 250_000],
  ['26.5', 27n, -500_000],
  ['-0.000001', 1n, -999_999],
  ['0.00', 0n, 0],
  ['1050', 1_050n, 0],
])('reads a fee of %s francs as whole francs and what the provider counts beside them', async (amount, ...read) => {
  fake.statements.rows = [row({ country: 'CIV', currency: 'XOF', type: 'PAYOUT_FEE', amount })]
  const { lines } = await readList(newStatement(), 'payouts', { fromMs, toMs })
  expect(lines.map((one) => [one.amount, one.fraction])).toEqual([read])
})

it('cuts a long day into pages of one statement', async () => {
  const idOf = (index: number) => `08e1bde4-e3a0-45b7-ba68-${String(index).padStart(12, '0')}`
  fake.statements.rows = Array.from({ length: 1_200 }, (_, index) => row({ id: idOf(index) }))
  const before = fake.statements.made()
  const { lines, pages } = await readList(newStatement(), 'payouts', { fromMs, toMs })
  expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(1_200)
  expect(pages).toBe(14)
  expect(fake.statements.made() - before).toBe(12)
})

describe('a day whose statement is too long', () => {
  const idOf = (index: number) => `08e1bde4-e3a0-45b7-ba68-${String(index).padStart(12, '0')}`

  /** Each page is read by a new process, which knows only the cursor. */
  async function readFrom(first: string, window = { fromMs, toMs }) {
    const [lines, cursors]: [RailLine[], string[]] = [[], []]
    for (let cursor: string | null = first; cursor !== null;) {
      cursors.push(cursor)
      const page = await newStatement().page({ list: 'payouts', ...window, cursor })
      if (page.kind === 'unavailable') throw new Error(page.detail)
      lines.push(...page.lines)
      cursor = page.next
      clock.advance(60_000)
    }
    return { lines, cursors }
  }

  it('is ordered in parts, as short as its busiest hour requires, and no row is lost', async () => {
    const dayBeganMs = fromMs + dayMs
    fake.statements.padding = 'x'.repeat(20_000)
    const quiet = Array.from({ length: 200 }, (_, index) =>
      row({ id: idOf(index), atMs: dayBeganMs + index * 144_000 }),
    )
    const busy = Array.from({ length: 600 }, (_, index) =>
      row({ id: idOf(500 + index), atMs: dayBeganMs + dayMs / 2 - 1_800_000 + index * 6_000 }),
    )
    const last = row({ id: idOf(1_200), atMs: toMs - 60_000 })
    fake.statements.rows = [...quiet, ...busy, last].toSorted((one, other) => one.atMs - other.atMs)
    const { lines, cursors } = await readFrom('GHA/GHS/ 0 0')
    const listed = lines.map(({ reference, atMs }) => `${reference} ${atMs}`)
    expect(listed).toEqual(fake.statements.rows.map(({ id, atMs }) => `${id} ${atMs}`))
    expect(cursors.slice(1, 6).map((one) => one.replace('GHA/GHS/ ', ''))).toEqual([
      '1 0',
      '1 0 0/2',
      '1 0 0/4',
      '1 0 1/4',
      '1 0 2/8',
    ])
    expect(cursors).toContain('GHA/GHS/ 2 0')
  })

  it('keeps the rows of one second in one statement, so that each of them counts', async () => {
    fake.statements.padding = 'x'.repeat(600_000)
    const window = { fromMs, toMs: toMs - 401 }
    const middleMs = fromMs + 2 * dayMs + (dayMs - 401) / 2
    const atMs = Math.floor(middleMs / 1_000) * 1_000
    const topUp = { id: '', type: 'WALLET_TOP_UP', amount: '5' }
    fake.statements.rows = [
      ...[-7_200_000, -7_100_000, -7_000_000].map((ms) => row({ ...topUp, atMs: atMs + ms })),
      ...[0, 200, 400, 600, 850, 900].map((ms) => row({ ...topUp, atMs: atMs + ms })),
    ]
    const { lines } = await readFrom('GHA/GHS/ 2 0', window)
    expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(9)
  })

  it('is not read if six minutes of it are too long', async () => {
    fake.statements.padding = 'x'.repeat(4 * 1024 * 1024)
    fake.statements.rows = [row({})]
    await expect(readFrom('GHA/GHS/ 1 0')).rejects.toThrow(/more than 4194304 bytes/)
  })
})

it('asks again for one that is being made, without ordering another one', async () => {
  fake.statements.slowness = 2
  const [statement, before] = [newStatement(), fake.statements.made()]
  const page = () => statement.page({ list: 'payouts', fromMs, toMs, cursor: null })
  expect(await page()).toMatchObject({ kind: 'unavailable', askAgainAfterMs: 20_000 })
  expect(await page()).toMatchObject({ kind: 'unavailable' })
  expect(await page()).toMatchObject({ kind: 'page', lines: [] })
  expect(fake.statements.made() - before).toBe(12)
})

it('waits for the statements of all wallets and days at once, not for one after the other', async () => {
  const balances = [...fake.balances]
  const country = (index: number) => `A${String.fromCodePoint(65 + index)}A`
  const wallet = (index: number) => ({ country: country(index), currency: 'XOF', balance: '7', provider: '' })
  fake.balances.splice(0, 4, ...Array.from({ length: 10 }, (_, index) => wallet(index)))
  const [statement, startMs, made] = [newStatement(), clock.now(), fake.statements.made()]
  fake.statements.readyAfterMs = 15_000
  let [cursor, pages]: [string | null, number] = [null, 0]
  do {
    const page = await statement.page({ list: 'payouts', fromMs, toMs, cursor })
    if (page.kind === 'unavailable') clock.advance(page.askAgainAfterMs ?? 60_000)
    else [cursor, pages] = [page.next, pages + 1]
  } while (cursor !== null || pages === 0)
  expect(pages).toBe(30)
  expect(fake.statements.made() - made).toBe(30)
  expect(clock.now() - startMs).toBeLessThan(60_000)
  fake.balances.splice(0, fake.balances.length, ...balances)
})

it.each([
  ['failed', { end: 'FAILED' }, /FAILED/],
  ['can no longer be downloaded', { isExpired: true }, /403/],
])('orders another one when one %s', async (_title, given, told) => {
  Object.assign(fake.statements, given)
  const [statement, before] = [newStatement(), fake.statements.made()]
  const page = () => statement.page({ list: 'payouts', fromMs, toMs, cursor: null })
  expect(await page()).toMatchObject({ kind: 'unavailable', detail: expect.stringMatching(told) })
  Object.assign(fake.statements, usual)
  expect(await page()).toMatchObject({ kind: 'page' })
  expect(fake.statements.made() - before).toBe(13)
})

it.each([
  ['without the columns that are documented', { header: 'When,Who,How much' }],
  [
    'with a change whose amount cannot be read',
    { rows: [row({ country: 'BFA', currency: 'XOF', type: 'FEE', amount: '1,5 F' })] },
  ],
  ['with an amount that cannot be read', { rows: [row({ country: 'BFA', currency: 'XOF', amount: '1.5' })] }],
  [
    'with a time that cannot be read',
    { header: 'MSISDN,Creation Date,Transaction ID,Amount,Currency,Country,MNO,Type' },
  ],
  ['with a quote that has no end', { header: '"Creation Date,MSISDN' }],
])('concludes nothing from one %s', async (_title, given) => {
  fake.statements.rows = [row({ country: 'BFA', currency: 'XOF', amount: '700' })]
  Object.assign(fake.statements, given)
  const window = { fromMs, toMs, list: 'payouts' as const }
  const statement = newStatement()
  const pages = ['BFA/XOF/ 0 0', 'BFA/XOF/ 1 0', 'BFA/XOF/ 2 0'].map((cursor) => statement.page({ ...window, cursor }))
  expect(await Promise.all(pages)).toContainEqual(expect.objectContaining({ kind: 'unavailable' }))
})

it('lists nothing for the near loop, and no deposits or changes', async () => {
  const before = fake.statements.made()
  const nothing = { kind: 'page', lines: [], next: null }
  const statement = newStatement()
  for (const list of ['deposits', 'ledger'] as const)
    expect(await statement.page({ list, fromMs, toMs, cursor: null })).toEqual(nothing)
  expect(await statement.page({ list: 'payouts', fromMs: toMs - dayMs, toMs, cursor: null })).toEqual(nothing)
  expect(fake.statements.made()).toBe(before)
})

describeStatement({
  statement: {
    ...newStatement(),
    page: (question) => newStatement().page({ ...question, fromMs: question.fromMs - dayMs }),
  },
  now: () => clock.now(),
  script: (act) => fake.meet(/^POST .*\/statements$/, act),
})
