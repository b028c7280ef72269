import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useService } from '#tests/support/service.ts'
import { eventId, subscribe, writeLog, type LogRow } from '#tests/webhooks/requests.ts'

// No worker, because it prunes deliveries as old as these.
const service = await useService({ roles: ['api'] })
const { staging, production, database } = service
const { tenants } = service.business
const [one, two] = [await subscribe(staging), await subscribe(staging)]

const startMs = Date.parse('2026-01-15T09:30:00.000Z')
const minuteMs = 60_000
const at = (minute: number): Date => new Date(startMs + minute * minuteMs)

/** The log, oldest first: deliveries to two subscriptions in turn, a minute apart. */
const rows: Partial<LogRow>[] = Array.from({ length: 12 }, (_, index) => ({
  status: (['delivered', 'failed', 'pending', 'delivered'] as const)[index % 4] ?? 'pending',
  event: index % 3 === 0 ? 'transfer.failed' : 'transfer.success',
  reference: `R-${index % 5}`,
  createdAt: at(index),
}))
const ids: string[] = []
for (const [index, row] of rows.entries()) {
  const [id] = await writeLog(database, tenants.staging, index % 2 === 0 ? one.id : two.id, [row])
  ids.push(eventId(id ?? newUuid(0)))
}

const ask = (query: string) => staging.get(`/v1/webhooks/events?${query}`)
const wantedIds = (chosen: (row: Partial<LogRow>, index: number) => boolean): string[] =>
  ids.filter((_, index) => chosen(rows[index] ?? {}, index)).toReversed()

describe('200', () => {
  it('shows records in full', async () => {
    const data = expectSuccess(await ask('limit=1&status=failed'))
    expect(data).toEqual({
      events: [
        {
          id: ids[9],
          event: 'transfer.failed',
          reference: 'R-4',
          webhookId: two.id,
          url: two.url,
          environment: 'sandbox',
          status: 'failed',
          attempts: 1,
          maxAttempts: 5,
          responseCode: null,
          lastError: null,
          lastAttemptAt: null,
          nextAttemptAt: null,
          deliveredAt: null,
          createdAt: at(9).toISOString(),
          updatedAt: at(9).toISOString(),
          deliveryAttempts: [
            {
              attempt: 1,
              trigger: 'automatic',
              responseCode: 500,
              error: 'answered 500',
              durationMs: 12,
              createdAt: at(9).toISOString(),
            },
          ],
        },
      ],
    })
  })

  it.each([
    ['', () => true],
    ['status=failed', (row) => row.status === 'failed'],
    ['status=pending', (row) => row.status === 'pending'],
    ['status=delivered', (row) => row.status === 'delivered'],
    [`webhookId=${one.id}`, (_, index) => index % 2 === 0],
    [`webhookId=${two.id}&status=failed`, (row, index) => index % 2 === 1 && row.status === 'failed'],
    [`webhookId=${two.id}&status=delivered`, (row, index) => index % 2 === 1 && row.status === 'delivered'],
    [`webhookId=${two.id}&event=transfer.failed`, (row, index) => index % 2 === 1 && row.event === 'transfer.failed'],
    ['event=transfer.failed', (row) => row.event === 'transfer.failed'],
    ['event=transfer.failed&status=failed', (row) => row.event === 'transfer.failed' && row.status === 'failed'],
    [
      'event=transfer.success&status=delivered',
      (row) => row.event === 'transfer.success' && row.status === 'delivered',
    ],
    ['event=webhook.test', () => false],
    ['reference=R-3', (row) => row.reference === 'R-3'],
    ['reference=R-3&status=pending', (row) => row.reference === 'R-3' && row.status === 'pending'],
    ['reference=R', () => false],
    [`reference=R-4&webhookId=${two.id}`, (row, index) => row.reference === 'R-4' && index % 2 === 1],
  ] as [string, (row: Partial<LogRow>, index: number) => boolean][])(
    '%s: the latest first, page by page, with exact totals, in any range of time',
    async (filter, chosen) => {
      const ranges: [string, number, number][] = [
        ['', 0, 99],
        [`&from=${at(3).toISOString()}`, 3, 99],
        [`&to=${at(8).toISOString()}`, 0, 8],
        [`&from=${at(2).toISOString()}&to=${at(10).toISOString()}`, 2, 10],
        [`&from=${at(6).toISOString()}&to=${at(6).toISOString()}`, 6, 6],
        [`&from=${at(7).toISOString()}&to=${at(5).toISOString()}`, 7, 5],
      ]
      for (const [range, first, last] of ranges) {
        const wanted = wantedIds((row, index) => chosen(row, index) && index >= first && index <= last)
        const shown: string[] = []
        for (let page = 1; page <= 5; page++) {
          const answer = await ask(`${filter}${range}&limit=3&page=${page}`)
          shown.push(...expectSuccess(answer).events.map(({ id }: { id: string }) => id))
          expect([filter, range, answer.body.meta?.pagination.total]).toEqual([filter, range, wanted.length])
        }
        expect([filter, range, ...shown]).toEqual([filter, range, ...wanted])
      }
    },
  )

  it('has no delivery of another tenant', async () => {
    const other = await service.addBusiness('Other')
    for (const client of [production, other.staging]) {
      expect(expectSuccess(await client.get('/v1/webhooks/events')).events).toEqual([])
      expect(expectSuccess(await client.get(`/v1/webhooks/events?webhookId=${one.id}`)).events).toEqual([])
    }
  })

  it('still shows deliveries of a deleted webhook', async () => {
    const gone = await subscribe(production)
    await writeLog(database, tenants.production, gone.id, [{}])
    expectSuccess(await production.delete(`/v1/webhooks/${gone.id}`))
    const { events } = expectSuccess(await production.get(`/v1/webhooks/events?webhookId=${gone.id}`))
    expect(events).toMatchObject([{ webhookId: gone.id, url: gone.url, environment: 'production', maxAttempts: 10 }])
  })
})

describe('400 VALIDATION_ERROR', () => {
  it.each([
    ['status', 'status=FAILED'],
    ['status', 'status=failed&status=failed'],
    ['event', 'event=transfer'],
    ['event', 'event=__proto__'],
    ['webhookId', 'webhookId=1'],
    ['webhookId', `webhookId=evt_01h455vb4pex5vsknk084sn02q`],
    ['reference', 'reference='],
    ['reference', `reference=${'x'.repeat(101)}`],
    ['query', 'reference=%00'],
    ['from', 'from=yesterday'],
    ['to', 'to=2026-13-01'],
    ['page', 'page=0'],
    ['limit', 'limit=0'],
  ])('%s: %s', async (field, query) => {
    const answer = await ask(query)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
  })
})

describe('404', () => {
  it('is no webhook called events', async () => {
    expectError(await staging.delete('/v1/webhooks/events'), 404, 'NOT_FOUND')
    expectSuccess(await staging.get('/v1/webhooks/events/'))
  })
})
