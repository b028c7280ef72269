// The one order in which rows are locked (ARCHITECTURE.md): tenants first. Two transactions that follow it wait for
// each other at most in line. If one does not, PostgreSQL notices the deadlock only after a second, in which the whole
// lane stands still.

import { expect, it } from 'vitest'
import { statement } from '#platform/db/db.ts'
import { openBook } from '#ledger/post.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { waitingForLocks } from '#tests/support/locks.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, startProcess, until } from './process.ts'

const database = await useTestDatabase()
const lockNow = statement('test.lock_now', 'select 1 from payment where lane = $1 and reference = $2 for update nowait')

it('a process that puts a payment down waits for its tenant before it holds the payment', async () => {
  const clock = createFakeClock()
  const rail = createScriptedPayout(clock)
  const process = startProcess({ database, clock, rail })
  const tenant = await createTenant(process)
  const { reference } = requestOf()
  await process.payments.initiate(tenant, requestOf({ reference }))
  await until(() => rail.asked.length === 1, 'the rail was asked')
  const other = startProcess({ database, clock })
  const under = Promise.withResolvers<void>()

  await other.ctx.db.transaction(async (tx) => {
    await openBook(tx, [tenant.id])
    // One batch has both: the process gives its payment back, and another payment is accepted.
    const released = process.payments.release()
    const accepted = process.payments.initiate(tenant, requestOf())
    void Promise.all([released, accepted]).then(() => under.resolve(), under.reject)
    await until(async () => (await waitingForLocks(database)) > 0, 'the batch waits for the tenant')
    expect(await tx.query(lockNow, [tenant.lane, reference])).toHaveLength(1)
  }, tenant.lane)
  await under.promise
})
