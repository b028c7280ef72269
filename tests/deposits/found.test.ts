// What is looked up in the order of an index is what was asked for, and never what stands next to it there: another notice,
// another provider, another business.

import { expect, it } from 'vitest'
import type { Environment, Tenant } from '#base/context.ts'
import { inLane } from '#base/db.ts'
import { createBusiness } from '#businesses/business.ts'
import { findKnownMoney } from '#deposits/of-provider.ts'
import { findDeposits, findDepositsOfNotices } from '#deposits/sql.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx } = room

const before = (await createBusiness(ctx, 'Before')).tenants
const { production } = (await createBusiness(ctx, 'Paid')).tenants
const lane = inLane(ctx.db, production.lane)

/** The one whose index ends right before that of who was paid. */
const neighbour = Object.values(before).toSorted((left, right) => (left.id < right.id ? 1 : -1))[0] as Tenant

/** Money of which a provider told, and that went back. */
async function overpay(provider: string, providerId: string) {
  const accountNumber = await room.openDynamic(production, 10_000, 'exact')
  const notice = room.notice({ provider, providerId, accountNumber, amount: 12_000 })
  const outcome = await room.deposits.receive('production', notice)
  if (outcome.kind !== 'recorded') throw new Error(outcome.kind)
  return outcome.deposit
}

const deposit = await overpay('bank', 'B')

/** Somebody has taken these notices, and made no deposit of them. */
async function take(tenant: Tenant, environment: Environment, provider: string, providerId: string): Promise<void> {
  await asOwner(
    database,
    'insert into provider_notice (lane, environment, provider, provider_id, tenant_id) values ($1, $2, $3, $4, $5)',
    [tenant.lane, environment, provider, providerId, tenant.id],
  )
}
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
    room.deposits.hearOfRefund(environment, { provider, providerId })
  for (const [, environment, provider, providerId] of besides)
    expect(await told(environment, provider, providerId)).toBe('ended')
  const sql = 'select due_at from deposit_refund'
  await asOwner(
    database,
    `update deposit_refund set status = 'ASKED', asked_at = due_at, due_at = due_at + interval '1 h'`,
  )
  expect(await told('production', 'bank', 'B')).toBe('asked')
  expect(await asOwner(database, sql)).toEqual([{ due_at: new Date(ctx.clock.now()) }])
})

it('a word of a refund hastens that one alone, and never puts one off', async () => {
  const other = await overpay('bank', 'OTHER')
  const sql = 'select due_at from deposit_refund where deposit_id = $1'
  const dueAt = async (id: string) => (await asOwner<{ due_at: Date }>(database, sql, [id]))[0]?.due_at
  await asOwner(
    database,
    `update deposit_refund set status = 'ASKED', asked_at = created_at, due_at = created_at + interval '1 h'`,
  )
  const [early, late] = [await dueAt(other.id), new Date(ctx.clock.now() + 10)]
  ctx.clock.advance(10)
  for (let times = 0; times < 2; times++) {
    await room.deposits.hearOfRefund('production', { provider: 'bank', providerId: 'B' })
    expect([await dueAt(deposit.id), await dueAt(other.id)]).toEqual([late, early])
    ctx.clock.advance(10)
  }
})

it.each(besides)('money by what its provider calls it is not %s', async (_what, environment, provider, providerId) => {
  expect(await findKnownMoney(ctx, { environment, provider }, [providerId])).toEqual(new Map())
  const found = await findKnownMoney(ctx, { environment: 'production', provider: 'bank' }, ['A', 'B', 'C'])
  expect(found).toEqual(
    new Map([['B', expect.objectContaining({ kind: 'deposit', status: 'FAILED', isReturned: true, amount: 12_000n })]]),
  )
})

it('money that is kept is known by its own name, as long as it is kept', async () => {
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
