// Deliveries of a subscription by hour. The page counts all if there are few, and a sample if there are many.

import { expect, it } from 'vitest'
import { hourMs } from '#platform/durations.ts'
import { formatId, newUuid, parseId } from '#platform/ids.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

/** No hour ends between two questions. */
const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const { staging } = service
const owner = await addPerson(service, { role: 'owner' })
const here = below(service, 'staging')

type Hour = { at: string; total: number; delivered: number; failed: number; pending: number }

async function hoursOf(id: string): Promise<Hour[]> {
  return expectSuccess(await owner.get(`${here}/webhooks/${id}/hours`)).hours
}

const counts = ({ total, delivered, failed, pending }: Hour) => [total, delivered, failed, pending]

async function subscribe(): Promise<string> {
  const body = { url: 'https://shop.example.com/hook', events: ['transfer.success'] }
  return expectSuccess(await staging.post('/v1/webhooks', body)).id
}

/** Each row says how many hours before the present one it came; the rows are in the order of their arrival. */
async function deliver(id: string, rows: { hoursAgo: number; status: string }[]): Promise<void> {
  const { lane, id: tenantId } = service.business.tenants.staging
  const nowMs = Math.floor(clock.now() / hourMs) * hourMs
  const times = rows.map(({ hoursAgo }) => new Date(nowMs - hoursAgo * hourMs).toISOString())
  await asOwner(
    service.database,
    `insert into webhook_delivery (lane, tenant_id, id, subscription_id, source_id, event, reference, ordinal,
         subscription_ordinal, status, delivered_at, created_at, updated_at)
     select $1, $2, gen_random_uuid(), $5, gen_random_uuid(), 'transfer.success', 'R-' || n, most.ordinal + n, n, status,
            case when status = 'delivered' then at end, at, at
       from unnest($3::text[], $4::timestamptz[]) with ordinality as v (status, at, n)
      cross join (select coalesce(max(ordinal), 0) as ordinal from webhook_delivery) as most`,
    [lane, tenantId, rows.map(({ status }) => status), times, parseId('webhook', id)],
  )
}

const many = (count: number, row: { hoursAgo: number; status: string }) => Array.from({ length: count }, () => row)

it('counts each of the last 24 hours, and none before', async () => {
  const id = await subscribe()
  expect((await hoursOf(id)).map(counts)).toEqual(Array.from({ length: 24 }, () => [0, 0, 0, 0]))
  await deliver(id, [
    ...many(3, { hoursAgo: 24, status: 'failed' }),
    ...many(2, { hoursAgo: 23, status: 'failed' }),
    ...many(4, { hoursAgo: 23, status: 'delivered' }),
    { hoursAgo: 5, status: 'delivered' },
    { hoursAgo: 0, status: 'pending' },
  ])
  const hours = await hoursOf(id)
  expect(hours).toHaveLength(24)
  expect(hours.map(({ at }) => Date.parse(at) % hourMs)).toEqual(hours.map(() => 0))
  expect(counts(hours[0] as Hour)).toEqual([6, 4, 2, 0])
  expect(counts(hours[18] as Hour)).toEqual([1, 1, 0, 0])
  expect(counts(hours[23] as Hour)).toEqual([1, 0, 0, 1])
  expect(hours.reduce((sum, { total }) => sum + total, 0)).toBe(8)
})

it('looks at the latest 500 of an hour that has more, and knows how many there are', async () => {
  const id = await subscribe()
  await deliver(id, [
    ...many(700, { hoursAgo: 2, status: 'delivered' }),
    ...many(100, { hoursAgo: 2, status: 'failed' }),
    ...many(7, { hoursAgo: 1, status: 'delivered' }),
  ])
  const hours = await hoursOf(id)
  expect(counts(hours[21] as Hour)).toEqual([800, 400, 100, 0])
  expect(counts(hours[22] as Hour)).toEqual([7, 7, 0, 0])
})

it('shows one subscription of this business to people who may see webhooks', async () => {
  const id = await subscribe()
  expect((await hoursOf(id)).map(({ total }) => total)).toEqual(Array.from({ length: 24 }, () => 0))
  expectError(await owner.get(`${below(service, 'production')}/webhooks/${id}/hours`), 404, 'NOT_FOUND')
  expectError(await owner.get(`${here}/webhooks/${formatId('webhook', newUuid(0))}/hours`), 404, 'NOT_FOUND')
  const finance = await addPerson(service, { role: 'finance' })
  expectError(await finance.get(`${here}/webhooks/${id}/hours`), 403, 'FORBIDDEN')
})
