// Collections and their deposits, where some of them have lost each other.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid } from '#platform/ids.ts'
import type { Draft, Result } from '#payments/payment.ts'
import { findStrays } from '#payments/verify-queries.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
let tenants: readonly [Tenant, Tenant]

const owner = (text: string, ...values: unknown[]) => asOwner(database, text, values)
const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo' }
const collection: Partial<Draft> = {
  ...wallet,
  kind: 'momo_collection',
  customerName: null,
  approval: { kind: 'handset' },
}
const brought: Result = { kind: 'succeeded', operatorReference: 'M-1' }

async function make(tenant: Tenant, reference: string, changes: Partial<Draft>, ...results: Result[]): Promise<void> {
  const outcome = await room.accept(tenant, reference, { draft: commandOf(tenant, { reference, ...changes }).draft })
  expect(outcome.kind).toBe('accepted')
  for (const result of results) await room.settle(tenant, reference, { result })
}

/** Finds them by their references; a deposit that no collection names has none. */
async function strays(limit = 100, tenant = tenants[0]): Promise<string[]> {
  const rows = await room.rows(tenant)
  const walk = { lane: inLane(ctx.db, 1), rowsPerPage: 100, from: firstUuid, upTo: lastUuid }
  const found = await findStrays(walk, tenant.id, limit)
  return found.map(({ id, total }) => `${rows.find((row) => row.id === id)?.reference ?? 'none'} of ${total}`)
}

beforeEach(async () => {
  await owner('truncate payment, deposit, event')
  room = await open()
  tenants = room.tenants
  for (const tenant of tenants) {
    for (const reference of ['IN-1', 'IN-2', 'IN-3']) await make(tenant, reference, collection, brought)
    await make(tenant, 'REFUSED', collection, { kind: 'failed', reason: 'PAYMENT_NOT_APPROVED' })
    await make(tenant, 'WAITING', collection)
    await make(tenant, 'OUT', {}, { kind: 'succeeded' })
  }
  await owner(
    `insert into deposit
     select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'ordinal', 10, 'provider', 'a'))).* from deposit d
      where tenant_id = $1 limit 1`,
    tenants[0].id,
  )
})

it('none is, where each has its own, whatever else there is', async () => {
  for (const tenant of tenants) expect(await strays(100, tenant)).toEqual([])
})

it('a collection is without its deposit, and a deposit without its collection, each of its business', async () => {
  const idOf = `(select deposit_id from payment where reference = $1 and tenant_id = $2)`
  await owner(`delete from deposit where id = ${idOf}`, 'IN-1', tenants[0].id)
  expect(await strays()).toEqual(['IN-1 of 1'])
  expect(await strays(100, tenants[1])).toEqual([])
  await owner(`update deposit set fee = fee + 1 where id = ${idOf}`, 'IN-3', tenants[1].id)
  expect(await strays(100, tenants[1])).toEqual(['IN-3 of 1'])
  await owner('delete from payment where reference = $1 and tenant_id = $2', 'IN-3', tenants[1].id)
  expect(await strays(100, tenants[1])).toEqual(['none of 1'])
})

it('a collection is reported with the deposit that it names, though that is gone', async () => {
  const named = await owner('select id, deposit_id as "depositId" from payment where deposit_id is not null order by 2')
  await owner('truncate deposit')
  const walk = { lane: inLane(ctx.db, 1), rowsPerPage: 100, from: firstUuid, upTo: lastUuid }
  const found = [...(await findStrays(walk, tenants[0].id, 9)), ...(await findStrays(walk, tenants[1].id, 9))]
  expect(found.map(({ id, depositId }) => ({ id, depositId }))).toEqual(expect.arrayContaining(named))
})

it('the first deposits of many are reported, with their number', async () => {
  await owner('update payment set fee = fee + 1 where deposit_id is not null')
  const rows = await owner(
    `select reference, deposit_id from payment where tenant_id = $1 and deposit_id is not null order by deposit_id`,
    tenants[0].id,
  )
  expect(await strays(2)).toEqual(rows.slice(0, 2).map(({ reference }) => `${reference as string} of 3`))
})
