// Every question to the delivery log gets the answer that a reader of all rows would give.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { createDeliveryLog, type LogQuestion } from '#webhooks/log.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const log = createDeliveryLog({ ctx, maxAttempts: () => 10 })

const startMs = Date.parse('2026-01-15T09:30:00.000Z')
const [one, two] = [newUuid(startMs), newUuid(startMs)]
const statuses = ['delivered', 'delivered', 'delivered', 'failed', 'pending'] as const
const events = ['transfer.success', 'deposit.success', 'webhook.test']

type Row = {
  id: Uuid
  subscriptionId: Uuid
  status: (typeof statuses)[number]
  event: string
  reference: string
  createdAt: Date
}

/** Numbers that look random and are the same in every run. */
function dice(index: number, sides: number): number {
  return Math.abs(Math.imul(index + 1, 2_654_435_761) >> 8) % sides
}

/**
 * A log written by processes with different clocks: each row is up to 9 s off, rows are a second apart, and the first
 * ones were pruned.
 */
async function newLog(count: number): Promise<{ tenant: Tenant; rows: Row[] }> {
  const tenant = (await createBusiness(ctx, 'Log')).tenants.production
  const rows = Array.from({ length: count }, (_, index): Row => {
    const createdAt = new Date(startMs + index * 1_000 + dice(index, 9_000))
    return {
      id: newUuid(createdAt.getTime()),
      subscriptionId: dice(index * 7, 3) === 0 ? one : two,
      status: statuses[dice(index * 3, statuses.length)] ?? 'failed',
      event: events[dice(index * 5, events.length)] ?? 'webhook.test',
      reference: `R-${dice(index * 11, 40)}`,
      createdAt,
    }
  })
  const column = (value: (row: Row) => string) => rows.map(value)
  await asOwner(
    database,
    `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
     select $1, $2, id, 'https://example.com', '{transfer.success}', 'active', '', '', $4, $4 from unnest($3::uuid[]) as s (id)`,
    [tenant.lane, tenant.id, [one, two], new Date(startMs)],
  )
  await asOwner(
    database,
    `insert into webhook_delivery
       (lane, tenant_id, id, subscription_id, source_id, event, reference, status, delivered_at, created_at, updated_at,
        ordinal, subscription_ordinal)
     select $1, $2, v.id, v.subscription_id, v.id, v.event, v.reference, v.status,
            case when v.status = 'delivered' then v.created_at end, v.created_at, v.created_at, 100 + number,
            7 + row_number() over (partition by v.subscription_id order by number)
       from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
         with ordinality as v (id, subscription_id, event, reference, status, created_at, number)`,
    [
      tenant.lane,
      tenant.id,
      column(({ id }) => id),
      column(({ subscriptionId }) => subscriptionId),
      column(({ event }) => event),
      column(({ reference }) => reference),
      column(({ status }) => status),
      column(({ createdAt }) => createdAt.toISOString()),
    ],
  )
  return { tenant, rows }
}

const { tenant, rows } = await newLog(400)

function oracle(question: LogQuestion): { ids: Uuid[]; total: number } {
  const { status, event, subscriptionId, reference, from, before, page, limit } = question
  const found = rows
    .filter((row) => status === undefined || row.status === status)
    .filter((row) => event === undefined || row.event === event)
    .filter((row) => subscriptionId === undefined || row.subscriptionId === subscriptionId)
    .filter((row) => reference === undefined || row.reference === reference)
    .filter((row) => from === undefined || row.createdAt >= from)
    .filter((row) => before === undefined || row.createdAt < before)
    .toReversed()
  return { ids: found.slice((page - 1) * limit, page * limit).map(({ id }) => id), total: found.length }
}

const time = fc.integer({ min: -30_000, max: 440_000 }).map((ms) => new Date(startMs + ms))
const sometimes = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })

it('a page and its total are those of a reader of every row, though the clocks differ and the beginning was pruned', async () => {
  const questions = fc.record({
    status: sometimes(fc.constantFrom('pending', 'delivered', 'failed')),
    event: sometimes(fc.constantFrom(...events)),
    subscriptionId: sometimes(fc.constantFrom(one, two, newUuid(0))),
    reference: sometimes(fc.constantFrom('R-1', 'R-2', 'nobody')),
    from: fc.option(time, { nil: undefined }),
    before: fc.option(time, { nil: undefined }),
    page: fc.integer({ min: 1, max: 12 }),
    limit: fc.constantFrom(1, 7, 20, 100),
  })
  await fc.assert(
    fc.asyncProperty(questions, async (question) => {
      const { records, total } = await log.list(tenant, question)
      expect({ ids: records.map(({ id }) => id), total }).toEqual(oracle(question))
    }),
    { numRuns: 300 },
  )
})

it('an empty log has an empty page, whatever the filter', async () => {
  const nobody = (await createBusiness(ctx, 'Nobody')).tenants.staging
  const firstPage = { page: 1, limit: 20 }
  const at = new Date(startMs)
  for (const filter of [{}, { subscriptionId: one }, { status: 'delivered' as const }, { from: at, before: at }]) {
    expect(await log.list(nobody, { ...filter, ...firstPage })).toEqual({ records: [], total: 0 })
  }
})
