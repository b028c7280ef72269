// The figures of Home equal the totals and sums of the lists that they open, whenever the payments ended.

import { beforeAll, describe, expect, it } from 'vitest'
import { expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { parseCsv } from '#tests/support/csv.ts'
import { useService } from '#tests/support/service.ts'
import { phones } from '#tests/payments/momo-requests.ts'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'

type Jsonish = ReturnType<typeof expectSuccess>

const clock = createFakeClock(Date.parse('2026-11-15T08:00:00Z'))
const service = await useService({ clock, roles: ['api'] })
const { staging } = service
const here = below(service, 'staging')
let owner: TestPerson

const ask = async (answer: ReturnType<typeof staging.get>) => expectSuccess(await answer)
const moveTo = (time: string): void => clock.advance(Date.parse(time) - clock.now())

const kinds = {
  transfers: { path: '/v1/transfers/initiate', complete: '/v1/sandbox/transfers', to: { accountNumber: neverEnding } },
  'momo-transfers': {
    path: '/v1/momo/transfer',
    complete: '/v1/sandbox/momo/transfer',
    to: { phoneNumber: phones.neverEnding },
  },
  collections: {
    path: '/v1/momo/collection',
    complete: '/v1/sandbox/momo/collection',
    to: { phoneNumber: phones.neverEnding },
  },
} as const
type Noun = keyof typeof kinds

async function start(noun: Noun, reference: string, amount: number, to: Record<string, string> = kinds[noun].to) {
  const body = noun === 'transfers' ? transferBody({ reference, amount, ...to }) : { reference, amount, ...to }
  await ask(staging.post(kinds[noun].path, body))
}

async function end(noun: Noun, reference: string, status: string, more: Record<string, string> = {}) {
  await ask(staging.post(`${kinds[noun].complete}/${reference}/complete`, { status, ...more }))
}

const inFrancs = { phoneNumber: '+2250500000008' }

/** Days of Lagos begin at 23:00 UTC. */
async function seed(): Promise<void> {
  const admin = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })
  await ask(admin.patch(`${here}/currencies`, { on: ['XOF'] }))
  const order = { amount: 70_000, reference: 'ORDER', expiresInMinutes: 1_440 }
  const { accountNumber } = await ask(staging.post('/v1/virtual-accounts/dynamic', order))
  await start('transfers', 'B-OLD', 1_000)
  await start('transfers', 'B-LATER-BACK', 2_000)
  await start('collections', 'C-OLD', 50_000)
  const pending = await ask(staging.post('/v1/sandbox/deposits', { accountNumber, amount: 70_000, status: 'PENDING' }))
  moveTo('2026-11-19T10:00:00Z')
  await end('transfers', 'B-LATER-BACK', 'SUCCESS')
  await ask(staging.post(`/v1/sandbox/deposits/${pending.reference}/settle`, { status: 'SUCCESSFUL' }))
  moveTo('2026-11-20T22:59:30Z')
  await start('transfers', 'B-BEFORE', 4_000)
  await end('transfers', 'B-BEFORE', 'SUCCESS')
  await start('transfers', 'B-OVER', 8_000)
  moveTo('2026-11-20T23:00:30Z')
  await end('transfers', 'B-OVER', 'SUCCESS')
  await end('transfers', 'B-OLD', 'SUCCESS')
  await end('transfers', 'B-LATER-BACK', 'REVERSED')
  await end('collections', 'C-OLD', 'SUCCESS')
  moveTo('2026-11-21T12:00:00Z')
  await start('transfers', 'B-BACK', 16_000)
  await end('transfers', 'B-BACK', 'SUCCESS')
  await end('transfers', 'B-BACK', 'REVERSED')
  await start('transfers', 'B-WRONG', 32_000)
  await end('transfers', 'B-WRONG', 'FAILED', { failureReason: 'DORMANT_ACCOUNT' })
  await start('momo-transfers', 'M-1', 64_000)
  await end('momo-transfers', 'M-1', 'SUCCESS')
  await start('momo-transfers', 'M-WRONG', 128_000)
  await end('momo-transfers', 'M-WRONG', 'FAILED')
  await start('momo-transfers', 'X-1', 2_500, inFrancs)
  await end('momo-transfers', 'X-1', 'SUCCESS')
  await start('collections', 'XC-1', 5_000, inFrancs)
  await end('collections', 'XC-1', 'SUCCESS')
  await start('collections', 'C-WRONG', 90_000)
  await end('collections', 'C-WRONG', 'FAILED')
  moveTo('2026-11-22T10:00:00Z')
  await start('transfers', 'B-SOON-BACK', 256_000)
  await end('transfers', 'B-SOON-BACK', 'SUCCESS')
  moveTo('2026-11-22T23:30:00Z')
  await end('transfers', 'B-SOON-BACK', 'REVERSED')
  await start('transfers', 'B-WAITS', 512_000)
  await start('momo-transfers', 'X-2', 700, inFrancs)
  await end('momo-transfers', 'X-2', 'FAILED')
  moveTo('2026-11-23T11:30:00Z')
}

beforeAll(async () => {
  await seed()
  owner = await addPerson(service, { role: 'owner' })
})

const startOfDay = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) - 3_600_000).toISOString()
const endOfDay = (day: string): string => new Date(Date.parse(startOfDay(day)) + 86_399_999).toISOString()

const periods = [
  ['2026-11-23', '2026-11-23'],
  ['2026-11-22', '2026-11-22'],
  ['2026-11-21', '2026-11-21'],
  ['2026-11-20', '2026-11-20'],
  ['2026-11-19', '2026-11-19'],
  ['2026-11-20', '2026-11-21'],
  ['2026-11-17', '2026-11-23'],
  ['2026-10-25', '2026-11-23'],
  ['2026-08-26', '2026-11-23'],
] as const
type Days = Readonly<{ from: string; to: string; currency: string }>

async function figuresOf({ from, to, currency }: Days) {
  const query = new URLSearchParams({ from: startOfDay(from), to: endOfDay(to), currency, by: 'day' })
  return ask(owner.get(`${here}/figures?${query.toString()}`))
}

/** Reads all pages of a list, two rows each, and expects that the last page says so. */
async function listOf(noun: Noun | 'deposits', { from, to, currency }: Days, filter: Record<string, string>) {
  const query = { endedFrom: startOfDay(from), endedTo: endOfDay(to), currency, limit: '2', ...filter }
  const path = noun === 'deposits' ? 'ended-deposits' : `search/${noun}`
  const rows: Jsonish[] = []
  let behind: string | null | undefined
  let answer: Jsonish
  do {
    const page = new URLSearchParams({ ...query, ...(typeof behind === 'string' ? { behind } : {}) })
    answer = await ask(owner.get(`${here}/${path}?${page.toString()}`))
    rows.push(...(answer.payments ?? answer.deposits))
    expect(answer.found).toBe(rows.length)
    behind = answer.next
  } while (behind !== null)
  const amount = rows.reduce((sum: number, row) => sum + row.amount, 0)
  expect(answer.total).toBe(rows.length)
  expect(answer.sums).toEqual(rows.length === 0 ? [] : [{ currency, amount }])
  return { count: rows.length, amount, rows }
}

const less = (whole: Jsonish, part: Jsonish) => ({
  count: whole.count - part.count,
  amount: whole.amount - part.amount,
})
const sumOf = ({ count, amount }: Jsonish) => ({ count, amount })

describe.each(['NGN', 'XOF'])('in %s', (currency) => {
  it.each(periods)('each figure of %s to %s is the total and the sum of its list', async (from, to) => {
    const days = { from, to, currency }
    const { totals, failureReasons } = await figuresOf(days)
    const list = async (noun: Noun | 'deposits', filter: Record<string, string>) => listOf(noun, days, filter)
    const bank = (status: string) => list('transfers', { status })
    const wallet = (status: string) => list('momo-transfers', { status })
    expect(sumOf(await bank('SUCCESS'))).toEqual(totals.outByBank)
    expect(sumOf(await wallet('SUCCESS'))).toEqual(less(totals.out, totals.outByBank))
    expect(sumOf(await bank('REVERSED'))).toEqual(totals.returnedByBank)
    expect(sumOf(await wallet('REVERSED'))).toEqual(less(totals.returned, totals.returnedByBank))
    expect(sumOf(await list('deposits', { status: 'SUCCESSFUL' }))).toEqual(totals.in)
    const failed = [await bank('FAILED'), await wallet('FAILED')]
    expect(failed.map(({ count }) => count)).toEqual([totals.failedByBank, totals.failed - totals.failedByBank])
    const ended = totals.out.count + totals.returned.count + totals.failed
    expect(totals.successRate).toBe(ended === 0 ? null : totals.out.count / ended)
    const collected = [
      await list('collections', { status: 'SUCCESS' }),
      await list('collections', { status: 'FAILED' }),
    ]
    expect(collected.map(({ count }) => count)).toEqual([totals.collections.succeeded, totals.collections.failed])
    for (const { noun, reason, count } of failureReasons)
      expect((await list(noun, { failureReason: reason })).count, reason).toBe(count)
  })
})

it('Out is what stayed out, and a return counts on its own day', async () => {
  const sums = async (day: string) => {
    const { totals } = await figuresOf({ from: day, to: day, currency: 'NGN' })
    return [totals.in.amount, totals.out.amount, totals.returned.amount, totals.failed]
  }
  expect(await sums('2026-11-19')).toEqual([70_000, 0, 0, 0])
  expect(await sums('2026-11-20')).toEqual([0, 4_000, 0, 0])
  expect(await sums('2026-11-21')).toEqual([50_000, 8_000 + 1_000 + 64_000, 2_000 + 16_000, 2])
  expect(await sums('2026-11-22')).toEqual([0, 0, 0, 0])
  expect(await sums('2026-11-23')).toEqual([0, 0, 256_000, 0])
})

it('the chart adds up to the figures', async () => {
  const { totals, series } = await figuresOf({ from: '2026-11-17', to: '2026-11-23', currency: 'NGN' })
  const sum = (name: string) =>
    series.reduce((all: number, point: Record<string, number>) => all + (point[name] ?? 0), 0)
  expect([sum('in'), sum('out'), sum('returned')]).toEqual([
    totals.in.amount,
    totals.out.amount,
    totals.returned.amount,
  ])
})

it('the file of a list has its rows', async () => {
  const query = new URLSearchParams({
    endedFrom: startOfDay('2026-11-21'),
    endedTo: endOfDay('2026-11-21'),
    columns: 'reference',
  })
  const file = async (noun: string, more: string) => {
    const csv = await owner.get(`${here}/export/${noun}.csv?${query.toString()}${more}`)
    return parseCsv(csv.text).slice(1).flat().toSorted()
  }
  expect(await file('transfers', '&status=SUCCESS')).toEqual(['B-OLD', 'B-OVER'])
  expect(await file('transfers', '&status=REVERSED')).toEqual(['B-BACK', 'B-LATER-BACK'])
  expect(await file('momo-transfers', '&currency=XOF')).toEqual(['X-1'])
  expect(await file('deposits', '&currency=XOF')).toHaveLength(1)
})
