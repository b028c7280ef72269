// `ledger verify` finds a deposit that is missing in the float book of its rail.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { depositReference, type Deposit } from '#deposits/deposit.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const invariants = depositInvariants.filter(({ name }) => name.includes('float book'))
let tenant: Tenant
let number: string
/** The proof leaves out deposits that came before the first booked one. */
let unasked: Deposit
let middle: Deposit

const unbook = ({ providerId }: Deposit) =>
  asOwner(database, 'delete from float_movement where subject = $1', [providerId])

async function receive(changes: object = {}): Promise<Deposit> {
  const notice = room.notice({ accountNumber: number, amount: 10_000, ...changes })
  const rail = notice.provider === 'simulator' ? 'bank' : notice.provider
  if ('number' in notice.account) await room.openedBy(notice.account.number, rail)
  const outcome = await room.deposits.receive('production', notice)
  if (outcome.kind !== 'recorded') throw new Error(outcome.kind)
  room.ctx.clock.advance(1_000)
  return outcome.deposit
}

async function breaches(rowsPerPage = 20_000) {
  return (await verifyLedger(room.ctx, { invariants, rowsPerPage })).map(({ tenantId, ids, message }) => ({
    tenantId,
    ids,
    message,
  }))
}

beforeEach(async () => {
  await asOwner(database, 'delete from float_movement')
  await asOwner(database, `update deposit set status = 'FAILED'`)
  tenant = await room.newTenant()
  number = await room.openStatic(tenant)
  await receive({ provider: 'another' })
  await asOwner(database, `update float_movement set environment = 'staging', rail = 'bank' where rail = 'another'`)
  await receive({ provider: 'other' })
  await unbook((unasked = await receive()))
  await receive()
  middle = await receive()
  await receive()
  await receive({ status: 'PENDING' })
  await receive({ status: 'FAILED' })
  await receive({ provider: 'simulator' })
  const order = await room.openDynamic(tenant, 20_000, 'exact')
  await receive({ accountNumber: order })
  await asOwner(database, `delete from deposit where provider = 'another'`)
})

it('books that agree have no breach, in pages of any size', async () => {
  for (const rowsPerPage of [1, 3, 20_000]) expect(await breaches(rowsPerPage)).toEqual([])
})

it.each([
  ['that was not booked', 'delete from float_movement where subject = $1'],
  ['of another amount', 'update float_movement set amount = amount + 1 where subject = $1'],
  ['that is nobody’s there', `update float_movement set kind = 'unowned' where subject = $1`],
  ['of another rail', `update float_movement set rail = 'other' where subject = $1`],
  ['of the other environment', `update float_movement set environment = 'staging' where subject = $1`],
])('a deposit %s is named', async (_what, sql) => {
  await asOwner(database, sql, [middle.providerId])
  const message = 'SUCCESSFUL, but the float book of its rail does not say so'
  const named = [{ tenantId: tenant.id, ids: [depositReference(middle.id)], message }]
  for (const rowsPerPage of [1, 20_000]) expect(await breaches(rowsPerPage)).toEqual(named)
})

it('a deposit of the same moment as the first booked one may come from an earlier version', async () => {
  await asOwner(
    database,
    `update deposit set updated_at = (select min(at) from float_movement where rail = 'bank' and environment = 'production')
      where id = $1`,
    [unasked.id],
  )
  expect(await breaches()).toEqual([])
})
