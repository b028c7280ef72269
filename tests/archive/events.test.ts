// Months of events in archive files: when events may be archived, the proofs of the files, and how they come back.

import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { createRetain } from '#privacy/retain.ts'
import { asOwner } from '#tests/support/owner.ts'
import { openBooks, today, type Books } from './books.ts'

const noun = 'events'

/** Books whose events of more than 90 days ago contain no personal data any more. */
async function openForgotten(): Promise<Books> {
  const books = await openBooks()
  const retain = createRetain(books.ctx, { eventDays: 60, payerDays: undefined })
  while ((await retain(1)) > 0);
  return books
}

const eventsIn = ({ database }: Books, where = 'true'): Promise<Record<string, unknown>[]> =>
  asOwner(database, `select * from event where ${where} order by lane, tenant_id, source_id, name`)

const told = async (books: Books, options = {}): Promise<[string, string[]][]> =>
  (await books.breaches(options)).map(({ message, ids }) => [message, ids])

const apart = 'payments and events disagree in a month that is archived'
const firstWhere = (month: string): string =>
  `id = (select id from event where created_at >= '${month}-10' and name = 'transfer.success' order by created_at limit 1)`

describe('months of events', () => {
  it('leave the table, and payments verify against their files, whether tenants are small or large', async () => {
    const books = await openForgotten()
    const before = await eventsIn(books)
    const months = await books.archive({ noun, monthsKept: 1 })
    expect(months.map(({ month }) => month)).toEqual(['2026-01', '2026-02', '2026-03'])
    const archived = months.reduce((sum, { rows }) => sum + Number(rows), 0)
    expect(archived).toBeGreaterThan(200)
    expect(await eventsIn(books)).toHaveLength(before.length - archived)
    expect(await eventsIn(books, `created_at < '2026-04-01T00:00:00Z'`)).toEqual([])
    await books.archive({ monthsKept: 1 })
    for (const options of [{ rowsPerPage: 300 }, { rowsPerPage: 20_000 }, { rowsPerSnapshot: 0, rowsPerPage: 300 }])
      expect(await told(books, options)).toEqual([])
    for (const { lane, month, rows } of months) {
      const file = await books.fileOf(month, noun)
      expect(await books.prove(file)).toEqual({ file, noun, lane, month, rows, faults: [] })
    }
  })

  it('are restored unchanged, the newest first, and make the same files again', async () => {
    const books = await openForgotten()
    const before = await eventsIn(books)
    const months = await books.archive({ noun })
    for (const { month } of months.toReversed()) {
      expect(await books.bringBack(await books.fileOf(month, noun))).toMatchObject({ noun, month })
      expect(await told(books)).toEqual([])
    }
    expect(await eventsIn(books)).toEqual(before)
    expect((await books.archive({ noun })).map(({ digest }) => digest)).toEqual(months.map(({ digest }) => digest))
  })

  it('are continued from every step at which archiving was killed', async () => {
    const books = await openForgotten()
    for (let at = 0, isDone = false; !isDone; at++) {
      let left = at
      const tell = (): void => {
        if (left-- === 0) throw new Error('cut off')
      }
      isDone = await books.archive({ noun, monthsKept: 3, tell }).then(
        () => left >= 0,
        () => false,
      )
      expect(await told(books, { rowsPerSnapshot: 0 })).toEqual([])
    }
    expect(await eventsIn(books, `created_at < '2026-03-01T00:00:00Z'`)).toEqual([])
    expect((await books.archive({ noun, monthsKept: 2 })).map(({ month }) => month)).toEqual(['2026-03'])
    expect(await told(books)).toEqual([])
  })

  it('may be archived by two processes at once', async () => {
    const books = await openForgotten()
    await Promise.all([books.archive({ noun }), books.archive({ noun })])
    expect(await told(books)).toEqual([])
    expect(await eventsIn(books, `created_at < '2026-04-01T00:00:00Z'`)).toEqual([])
    for (const month of ['2026-01', '2026-02', '2026-03'])
      expect((await books.prove(await books.fileOf(month, noun))).faults).toEqual([])
  })
})

describe('a month of events stays', () => {
  it('until retention has erased its personal data', async () => {
    const books = await openBooks()
    const steps: string[] = []
    expect(await books.archive({ noun, tell: (step) => steps.push(step) })).toEqual([])
    expect(steps).toEqual([expect.stringMatching(/^events of 2026-01 in lane 1 stay: .* RETAIN_EVENT_DATA_DAYS$/)])
  })

  it('while a delivery of it is in the log', async () => {
    const books = await openForgotten()
    await asOwner(
      books.database,
      `insert into webhook_delivery (lane, status, tenant_id, id, subscription_id, source_id, event, reference, ordinal,
         subscription_ordinal, created_at, updated_at, delivered_at)
       select lane, 'delivered', tenant_id, $1, $1, source_id, name, reference, 1, 1, created_at, created_at, created_at
         from event where created_at >= '2026-02-10' order by created_at limit 1`,
      [newUuid(today)],
    )
    const steps: string[] = []
    expect((await books.archive({ noun, tell: (step) => steps.push(step) })).map(({ month }) => month)).toEqual([
      '2026-01',
    ])
    expect(steps.at(-1)).toMatch(/^events of 2026-02 in lane 1 stay: .* WEBHOOK_LOG_DAYS$/)
  })
})

describe('a mismatch is reported with its month', () => {
  it.each([
    ['an event that was never in the table', `delete from event where ${firstWhere('2026-02')}`],
    ['an event of another name', `update event set name = 'transfer.failed' where ${firstWhere('2026-02')}`],
    ['an event of another payment', `update event set reference = 'PAY-0' where ${firstWhere('2026-02')}`],
  ])('%s, when it is archived', async (_what, change) => {
    const books = await openForgotten()
    await asOwner(books.database, change)
    await books.archive({ noun })
    expect(await told(books)).toEqual([[apart, ['2026-02']]])
    expect(await told(books, { rowsPerSnapshot: 0 })).toEqual([[apart, ['2026-02']]])
  })

  it('a payment that was changed afterwards, and a seal', async () => {
    const books = await openForgotten()
    await books.archive({ noun })
    const payment = (status: string) =>
      asOwner(
        books.database,
        `update payment set reference = 'PAY-${status}' where reference = 'PAY-${status === '13' ? 'X' : '13'}' and tenant_id = $1`,
        [books.tenants[0]?.id],
      )
    await payment('X')
    expect(await told(books)).toContainEqual([apart, ['2026-01']])
    await payment('13')
    expect(await told(books)).toEqual([])
    await asOwner(
      books.database,
      `update event_archive_digest set digest = digest + 1 where until = '2026-03-01T00:00:00Z'`,
    )
    expect(await told(books)).toContainEqual([apart, ['2026-02']])
    expect((await books.prove(await books.fileOf('2026-02', noun))).faults).toEqual([
      'the sums of its seal were changed',
    ])
  })

  it('an event in the table that belongs to an archived month', async () => {
    const books = await openForgotten()
    await books.archive({ noun })
    await asOwner(
      books.database,
      `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
       select lane, tenant_id, source_id, name || '.again', gen_random_uuid(), reference, data, '2026-01-15T00:00:00Z' from event limit 1`,
    )
    expect((await told(books)).map(([message]) => message)).toContain('events of a month whose rows were all taken out')
  })

  it('an event of a young payment that is missing, by the payment', async () => {
    const books = await openForgotten()
    await books.archive({ noun })
    await asOwner(books.database, `delete from event where ${firstWhere('2026-04')}`)
    expect(await told(books)).toEqual([
      ['SUCCESS, but its events are not those of SUCCESS', [expect.stringMatching(/^trf_/)]],
    ])
  })

  it('an event in the table that the status of its old payment does not allow, by the payment', async () => {
    const books = await openForgotten()
    await books.archive({ noun })
    await asOwner(
      books.database,
      `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
       select lane, tenant_id, id, 'transfer.reversed', gen_random_uuid(), reference, '{}', '2026-06-01' from payment
        where reference = 'PAY-13' and tenant_id = $1`,
      [books.tenants[0]?.id],
    )
    expect(await told(books)).toEqual([
      ['SUCCESS, but its events are not those of SUCCESS', [expect.stringMatching(/^trf_/)]],
    ])
  })
})
