// Listening on tables that grew from empty without ANALYZE: a start and each look cost the events that they return.

import { expect, it } from 'vitest'
import { createBusiness } from '#businesses/business.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useGrowingTables } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'
import { listenFromNow } from '#webhooks/listen.ts'

const events = 10_000
const { database, db, expectRows } = await useGrowingTables('never')

it('reads as much as it returns, however many events came before', async () => {
  const clock = createFakeClock()
  const [tenant] = Object.values((await createBusiness(createTestContext(db, clock), 'Listened to')).tenants)
  if (tenant === undefined) throw new Error('there is no tenant')
  const happen = (from: number, to: number): Promise<unknown> =>
    asOwner(
      database,
      `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
       select $1::smallint, $2::uuid, md5('s' || n)::uuid, 'deposit.success', md5('e' || n)::uuid, 'R' || n, '{}',
              $3::timestamptz + n * interval '1 second'
         from generate_series($4::int, $5::int) n`,
      [tenant.lane, tenant.id, new Date(clock.now()), from, to],
    )
  await happen(1, events)
  // The listener begins ten seconds before the newest event, and reads each event of these twice, in the index and in
  // the table.
  await expectRows(100, async () => {
    const listener = await listenFromNow(db, tenant)
    expect((await listener.readNext(db)).events).toEqual([])
    await happen(events + 1, events + 1)
    expect((await listener.readNext(db)).events.map(({ reference }) => reference)).toEqual([`R${events + 1}`])
  })
})
