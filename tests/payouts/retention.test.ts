// How many drafts are stored, and for how long, under a clock that the test moves.

import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { dayMs } from '#platform/durations.ts'
import { inLane } from '#platform/db/db.ts'
import { parseId } from '#platform/ids.ts'
import { deleteOldDrafts } from '#payouts/queries.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const drafts = `${below(service, 'staging')}/payout-drafts`

it('deletes a draft that expired long ago, and keeps an older one that was submitted today', async () => {
  const owner = await addPerson(service, { role: 'owner' })
  expectSuccess(await owner.patch(`${below(service, 'staging')}/payout-policy`, { mode: 'every' }))
  const rows = [{ amount: '1,500.00', bank: 'GTBank', account: '2000000001', name: 'ADA OBI' }]
  const newDraft = async (): Promise<string> =>
    expectSuccess(await owner.post(drafts, { key: randomUUID(), title: 'Salaries', rows })).id
  const [expired, waiting] = [await newDraft(), await newDraft()]
  expectSuccess(await owner.post(`${drafts}/${expired}/submit`, { confirmedDuplicates: 0 }))
  clock.advance(30 * dayMs)
  const later = await addPerson(service, { role: 'owner' })
  await asOwner(service.database, `update payout_draft set maker_id = '${later.id}', maker_email = '${later.email}'`)
  expectSuccess(await later.post(`${drafts}/${waiting}/submit`, { confirmedDuplicates: 0 }))
  // No worker runs here, so the look-ups of the names are taken as done.
  await asOwner(service.database, 'update payout_draft set due_at = null')
  const { lane } = service.business.tenants.staging
  await deleteOldDrafts(inLane(service.ctx.db, lane), new Date(clock.now() - 20 * dayMs), 10)
  const kept = await asOwner<{ id: string }>(service.database, 'select id from payout_draft')
  expect(kept.map(({ id }) => id)).toEqual([parseId('payoutDraft', waiting)])
})

it('returns a draft that was made with the same key, also if the business has no room for more', async () => {
  const owner = await addPerson(service, { role: 'owner' })
  const { lane, id: tenantId } = service.business.tenants.staging
  const rows = [{ amount: '1,500.00', bank: 'GTBank', account: '2000000002', name: 'ADA OBI' }]
  const body = { key: randomUUID(), title: 'Salaries', rows }
  const { id } = expectSuccess(await owner.post(drafts, body))
  await asOwner(
    service.database,
    `insert into payout_draft (lane, tenant_id, id, key, title, status, maker_id, maker_name, maker_email, created_at, rows)
     select ${lane}, '${tenantId}', gen_random_uuid(), 'filler-' || n, 'Filler', 'editing', gen_random_uuid(), 'Ada', 'a@b.example', now(), 0
       from generate_series(1, 500) as n`,
  )
  expectError(await owner.post(drafts, { ...body, key: randomUUID() }), 409, 'CONFLICT')
  expect(expectSuccess(await owner.post(drafts, body)).id).toBe(id)
})
