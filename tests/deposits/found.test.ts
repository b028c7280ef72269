// A look-up by an index finds the requested row and never its neighbor in the index: another notice, another provider,
// another business.

import { expect, it } from 'vitest'
import type { Environment, Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { createBusiness } from '#businesses/business.ts'
import { findKnownMoney } from '#deposits/provider-lookup.ts'
import { findOwners } from '#deposits/notice-claims.ts'
import { createAdopting } from '#deposits/adopt.ts'
import type { Deposit } from '#deposits/deposit.ts'
import { findRefund } from '#deposits/refund-queries.ts'
import { findDeposits, findDepositsOfNotices, settleDeposits } from '#deposits/queries.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx } = room

const earliest = (await createBusiness(ctx, 'Earliest')).tenants.production
const before = (await createBusiness(ctx, 'Before')).tenants
const { production } = (await createBusiness(ctx, 'Paid')).tenants
const lane = inLane(ctx.db, production.lane)
const inAnHour = () => new Date(ctx.clock.now() + 3_600_000)

/** The business whose index entries end right before those of the paid one. */
const neighbour = Object.values(before).toSorted((left, right) => (left.id < right.id ? 1 : -1))[0] as Tenant

/** A provider reports money that has to go back. */
const overpay = async (provider: string, providerId: string, tenant = production) =>
  (await room.overpay(tenant, { provider, providerId })).deposit

async function take(tenant: Tenant, environment: Environment, provider: string, providerId: string): Promise<void> {
  await asOwner(
    database,
    'insert into provider_notice (lane, environment, provider, provider_id, tenant_id) values ($1, $2, $3, $4, $5)',
    [tenant.lane, environment, provider, providerId, tenant.id],
  )
}

await overpay('bank', 'EARLIEST', earliest)
await take(neighbour, 'production', 'aaa', 'B')
await take(neighbour, 'production', 'bank', '0')
await take(earliest, 'staging', 'aaa', 'B')
await take(earliest, 'staging', 'bank', '0')
const deposit = await overpay('bank', 'B')
await take(production, 'production', 'bank', 'A')
await take(production, 'production', 'abank', 'B')
await take(neighbour, 'staging', 'bank', 'B')

const besides = [
  ['another id', 'production', 'bank', 'A'],
  ['another provider', 'production', 'abank', 'B'],
  ['another business', 'staging', 'bank', 'B'],
  ['what nobody told of', 'production', 'bank', 'C'],
] as const

it('a refund is that of the money that its provider names', async () => {
  const told = (environment: Environment, provider: string, providerId: string) =>
    room.deposits.applyRefundNotice(environment, { provider, providerId })
  for (const [, environment, provider, providerId] of besides)
    expect(await told(environment, provider, providerId)).toBe('ended')
  // Accepted money has no refund, even when its business has refunds for other money.
  const accountNumber = await room.openStatic(production)
  await room.deposits.receive('production', room.notice({ providerId: 'Z-ACCEPTED', accountNumber }))
  expect(await told('production', 'bank', 'Z-ACCEPTED')).toBe('ended')
  const sql = 'select due_at from deposit_refund where deposit_id = $1'
  await asOwner(database, `update deposit_refund set status = 'ASKED', asked_at = due_at, due_at = $1`, [inAnHour()])
  expect(await told('production', 'bank', 'B')).toBe('asked')
  expect(await asOwner(database, sql, [deposit.id])).toEqual([{ due_at: new Date(ctx.clock.now()) }])
})

it('a notice of a refund makes that refund due earlier, never later, and no other', async () => {
  const other = await overpay('bank', 'OTHER')
  const sql = 'select due_at from deposit_refund where deposit_id = $1'
  const dueAt = async (id: string) => (await asOwner<{ due_at: Date }>(database, sql, [id]))[0]?.due_at
  await asOwner(database, `update deposit_refund set status = 'ASKED', asked_at = created_at, due_at = $1`, [
    inAnHour(),
  ])
  const [early, late] = [await dueAt(other.id), new Date(ctx.clock.now() + 10)]
  ctx.clock.advance(10)
  for (let times = 0; times < 2; times++) {
    await room.deposits.applyRefundNotice('production', { provider: 'bank', providerId: 'B' })
    expect([await dueAt(deposit.id), await dueAt(other.id)]).toEqual([late, early])
    ctx.clock.advance(10)
  }
  // A refund that was not requested yet is due when there is room for it.
  await asOwner(database, `update deposit_refund set status = 'WAITING', due_at = $1`, [inAnHour()])
  await room.deposits.applyRefundNotice('production', { provider: 'bank', providerId: 'B' })
  expect((await dueAt(deposit.id))?.getTime()).toBeGreaterThan(ctx.clock.now())
})

it.each(besides)('money by what its provider calls it is not %s', async (_what, environment, provider, providerId) => {
  expect(await findKnownMoney(ctx, { environment, provider }, [providerId])).toEqual(new Map())
  const found = await findKnownMoney(ctx, { environment: 'production', provider: 'bank' }, ['A', 'B', 'C'])
  expect(found).toEqual(
    new Map([['B', expect.objectContaining({ kind: 'deposit', status: 'FAILED', isReturned: true, amount: 12_000n })]]),
  )
})

it('money whose notice is stored is found by its own id, as long as the notice awaits review', async () => {
  await room.deposits.receive('production', room.notice({ providerId: 'KEPT' }))
  const find = async (environment: Environment, provider: string, providerId: string) =>
    (await findKnownMoney(ctx, { environment, provider }, [providerId])).get(providerId)
  expect(await find('production', 'bank', 'KEPT')).toEqual({ kind: 'kept' })
  expect(await find('staging', 'bank', 'KEPT')).toBeUndefined()
  expect(await find('production', 'other', 'KEPT')).toBeUndefined()
  expect(await find('production', 'bank', 'KEPT-2')).toBeUndefined()
  await asOwner(database, `update inbound_notice set resolved_at = received_at where provider_id = 'KEPT'`)
  expect(await find('production', 'bank', 'KEPT')).toBeUndefined()
})

it('a taken notice is identified by its environment, its provider and its id', async () => {
  const tenant: Tenant = { ...neighbour, environment: 'staging' }
  const notice = room.owned({ provider: 'bank', providerId: 'B' })
  const owners = await ctx.db.transaction((tx) => findOwners(tx, [{ tenant, notice }]), neighbour.lane)
  expect(owners).toEqual(new Map([['staging:bank:B', neighbour.id]]))
})

it('adopting takes that notice, and none of another provider or environment', async () => {
  const number = await room.openStatic(production)
  const notice = room.notice({ providerId: 'TOLD' })
  await room.deposits.receive('staging', { ...notice, status: 'FAILED' })
  await room.deposits.receive('production', { ...notice, provider: 'other', status: 'FAILED' })
  await room.deposits.receive('production', { ...notice, providerId: 'TOLD-2', status: 'FAILED' })
  await room.deposits.receive('production', notice)
  const noticeId = { environment: 'production' as const, provider: 'bank', providerId: 'TOLD' }
  const by = { kind: 'terminal' as const, name: 'ada@office' }
  const adopting = createAdopting(ctx, room.lanes.of)
  expect((await adopting({ noticeId, accountNumber: number, note: '', by })).kind).toBe('adopted')
  const sql = `select environment, provider, provider_id, resolved_at is not null as resolved from inbound_notice
    where provider_id like 'TOLD%' and resolved_at is not null`
  expect(await asOwner(database, sql)).toMatchObject([
    { environment: 'production', provider: 'bank', provider_id: 'TOLD' },
  ])
})

it('a refund is found by its own key', async () => {
  const { id } = deposit
  expect(await findRefund(lane, { tenantId: production.id, id })).toMatchObject({ depositId: id, providerId: 'B' })
  expect(await findRefund(lane, { tenantId: neighbour.id, id })).toBeUndefined()
})

it('a deposit that has ended stays as it is, whatever is written of it', async () => {
  const written: Deposit = { ...deposit, status: 'SUCCESSFUL', returnReason: null }
  await ctx.db.transaction(async (tx) => settleDeposits(tx, [written]), production.lane)
  expect(await findDeposits(lane, [{ tenantId: production.id, id: deposit.id }])).toMatchObject([
    { status: 'FAILED', returnReason: 'OVERPAID' },
  ])
})

it('a deposit is found by its own key and its own notice', async () => {
  const { id } = deposit
  const [tenantId, mine] = [production.id, { tenantId: production.id, id }]
  expect(await findDeposits(lane, [mine])).toMatchObject([{ id }])
  expect(await findDeposits(lane, [{ tenantId: neighbour.id, id }])).toEqual([])
  expect(await findDeposits(lane, [{ tenantId, id: tenantId }])).toEqual([])
  const notices = [
    { tenantId, provider: 'bank', providerId: 'A' },
    { tenantId, provider: 'abank', providerId: 'B' },
    { tenantId: neighbour.id, provider: 'bank', providerId: 'B' },
  ]
  expect(await findDepositsOfNotices(lane, notices)).toEqual([])
  expect(await findDepositsOfNotices(lane, [{ tenantId, provider: 'bank', providerId: 'B' }])).toMatchObject([{ id }])
})
