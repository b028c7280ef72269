// The search index may be at work while personal data is erased: it must not add afterwards what it has read before.

import { expect, it, onTestFinished } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { followDepositsOf, takeProgress } from '#reporting/search-index.ts'
import { eraseCustomer } from '#privacy/erase.ts'
import { createRetain } from '#privacy/retain.ts'
import { createRoom } from '#tests/deposits/room.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner, moved } from '#tests/support/owner.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx, accounts, deposits } = room
const payerNumber = 'PAYER-4711'

/** A person who was paid and has no open account any more. */
async function formerCustomer(tenant: Tenant): Promise<string> {
  const accountNumber = await room.openStatic(tenant)
  await deposits.receive('production', room.notice({ accountNumber, senderAccountNumber: payerNumber }))
  await accounts.close(tenant, accountNumber)
  const [customer] = await asOwner<{ reference: string }>(
    database,
    'select reference from customer where tenant_id = $1 order by id desc',
    [tenant.id],
  )
  return customer?.reference ?? ''
}

/** Starts filling the search index: it has read the deposits of this tenant, and commits when the test says so. */
async function follower(tenant: Tenant): Promise<() => Promise<void>> {
  const [told, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const filling = ctx.db.transaction(async (tx) => {
    const list = { tenantId: tenant.id, kind: 'deposit' as const }
    const progress = await takeProgress(tx, list)
    if (progress === undefined) throw new Error('somebody else fills it')
    if ((await followDepositsOf(tx, list, progress, 10)) === 0) throw new Error('there was nothing to fill it with')
    read.resolve()
    await told.promise
  }, tenant.lane)
  onTestFinished(() => told.resolve())
  await Promise.race([read.promise, filling])
  return async () => {
    told.resolve()
    await filling
  }
}

const termsOf = ({ id }: Tenant) => asOwner(database, 'select term from search_term where tenant_id = $1', [id])

it.each([
  ['for the first time', false],
  ['again', true],
])('an erasure waits for the search index to be filled %s, and erases what was added', async (_when, isKnown) => {
  const tenant = await room.newTenant()
  if (isKnown) {
    await deposits.receive('production', room.notice({ accountNumber: await room.openStatic(tenant) }))
    await (
      await follower(tenant)
    )()
  }
  const reference = await formerCustomer(tenant)
  const commit = await follower(tenant)
  const erasing = eraseCustomer(ctx, tenant, { reference, note: 'test' })
  await untilWaiting(database, 1)
  await commit()
  expect(await erasing).toMatchObject({ kind: 'erased', erasure: { deposits: 1 } })
  expect(await termsOf(tenant)).not.toContainEqual({ term: payerNumber })
})

it('retention waits for the search index to be filled, and erases what was added', async () => {
  const tenant = await room.newTenant()
  await formerCustomer(tenant)
  await asOwner(database, `update deposit set ${moved('created_at', '-100 days')} where tenant_id = $1`, [tenant.id])
  const commit = await follower(tenant)
  const retain = createRetain(ctx, { eventDays: undefined, payerDays: 90 })
  const retaining = retain(tenant.lane)
  await untilWaiting(database, 1)
  await commit()
  expect(await retaining).toBeGreaterThan(0)
  expect(await termsOf(tenant)).not.toContainEqual({ term: payerNumber })
})
