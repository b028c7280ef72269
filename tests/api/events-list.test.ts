import { describe, expect, it } from 'vitest'
import { createEventOutbox } from '#events/outbox.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import type { Tenant } from '#platform/context.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createTestContext } from '#tests/support/context.ts'
import { shareService } from '#tests/support/service.ts'

const service = await shareService()
const { staging, production, database } = service
const ctx = createTestContext(database.connect())
const { emit } = createEventOutbox(ctx.clock)
const startMs = Date.parse('2026-01-15T09:30:00.000Z')

async function happen(tenant: Tenant, ...afterMs: number[]): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (const ms of afterMs) {
      const [atMs, reference] = [startMs + ms, `at-${ms}`]
      const event = { tenantId: tenant.id, name: 'transfer.success' as const, sourceId: newUuid(atMs), reference, atMs }
      emit(tx, { ...event, data: { ms } })
    }
  }, tenant.lane)
}

const ask = (query = '') => staging.get(`/v1/events?${query}`)
const referencesOf = (page: { events: { reference: string }[] }) => page.events.map(({ reference }) => reference)

describe('200', async () => {
  const nothingYet = await ask()
  await happen(service.business.tenants.staging, 20, 10, 30, 30)
  await happen(service.business.tenants.production, 15)

  it('shows each event as a webhook would send it', async () => {
    const { events } = expectSuccess(await ask('limit=1'))
    const createdAt = new Date(startMs + 10).toISOString()
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
        event: 'transfer.success',
        type: 'transfer.success',
        environment: 'sandbox',
        createdAt,
        timestamp: createdAt,
        reference: 'at-10',
        data: { ms: 10 },
      },
    ])
  })

  it('continues from the cursor of each page, also between two events of the same millisecond', async () => {
    const pages: string[][] = []
    for (let query = 'limit=3', more = true; more;) {
      const page = expectSuccess(await ask(query))
      pages.push(referencesOf(page))
      more = page.hasMore
      query = `limit=3&after=${page.cursor}`
    }
    expect(pages).toEqual([['at-10', 'at-20', 'at-30'], ['at-30']])
  })

  it('repeats the cursor that it was given if nothing has happened since', async () => {
    const { cursor } = expectSuccess(await ask())
    expect(expectSuccess(await ask(`after=${cursor}`))).toEqual({ events: [], cursor, hasMore: false })
    expect(expectSuccess(nothingYet)).toEqual({ events: [], cursor: null, hasMore: false })
  })

  it('begins at a time', async () => {
    const from = new Date(startMs + 20).toISOString()
    expect(referencesOf(expectSuccess(await ask(`from=${from}`)))).toEqual(['at-20', 'at-30', 'at-30'])
  })

  it('shows nothing of the other environment', async () => {
    expect(referencesOf(expectSuccess(await production.get('/v1/events')))).toEqual(['at-15'])
  })
})

describe('400', () => {
  const cursorOf = (id: Uuid, ms = '1768469400010') => `${ms}_${formatId('event', id)}`

  it.each([
    '',
    'x',
    '1_',
    '_evt_01h455vb4pex5vsknk084sn02q',
    cursorOf(newUuid(0), '9'.repeat(16)),
    `${cursorOf(newUuid(0))}x`,
  ])('to the cursor %j', async (cursor) => {
    const answer = await ask(`after=${cursor}`)
    expectError(answer, 400, 'VALIDATION_ERROR', /after must be a cursor that an earlier page returned/)
  })

  it('takes any cursor that has the right form, also of a time that no calendar has', async () => {
    expect(expectSuccess(await ask(`after=${cursorOf(newUuid(0), '9'.repeat(15))}`)).events).toEqual([])
  })

  it('to a cursor together with a time', async () => {
    const answer = await ask(`after=${cursorOf(newUuid(0))}&from=2026-01-15`)
    expectError(answer, 400, 'VALIDATION_ERROR', /from must not be given together with after/)
  })
})
