// Payments are found by the references of rails and by the keys that other rows hold: each with its own tenant, and no
// other payment.

import { beforeEach, expect, it } from 'vitest'
import { findHoldsOf } from '#payments/settle.ts'
import { findByRailReference, findManyByRailReference } from '#payments/rail-notice.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>

/** Each test begins with the same two references for three tenants, one of them of staging. */
beforeEach(async () => {
  await asOwner(database, 'truncate payment')
  room = await open()
  for (const tenant of owners())
    for (const reference of ['R-1', 'R-2']) await room.accept(tenant, reference, { isToldOf: true })
})

const owners = () => [room.tenants[0], room.tenants[1], room.businesses[0].tenants.staging]

async function all() {
  const rows = []
  for (const tenant of owners())
    for (const { id, rail_reference: railReference } of await room.rows(tenant))
      rows.push({ id, environment: tenant.environment, railReference: railReference ?? '' })
  return rows
}

it('by the reference at its rail: that payment with its environment, or none', async () => {
  for (const { id, environment, railReference } of await all())
    expect(await findByRailReference(ctx.db, [1], railReference)).toMatchObject({ payment: { id }, environment })
  expect(await findByRailReference(ctx.db, [1], crypto.randomUUID())).toBeUndefined()
})

it('by many references at once: each existing payment once', async () => {
  const [one, , two, , three] = await all()
  const wanted = [one, two, three]
  const references = [crypto.randomUUID(), ...wanted.map((row) => row?.railReference ?? '')]
  const found = await findManyByRailReference(ctx.db, [1], references)
  const told = found.map(({ payment, environment, railReference }) => ({ id: payment.id, environment, railReference }))
  expect(told).toHaveLength(3)
  expect(told).toEqual(expect.arrayContaining(wanted))
})

it('the hold of a payment is read for its own tenant and reference', async () => {
  const words = ['pending', 'unknown', 'not-found', 'no-rail', 'pending', 'unknown']
  const rows = await all()
  for (const [index, { id }] of rows.entries())
    await asOwner(database, 'update payment set rail_word = $2 where id = $1', [id, words[index]])
  const keys = owners().flatMap(({ id }) => ['R-1', 'R-2'].map((reference) => ({ tenantId: id, reference })))
  const holds = await ctx.db.transaction((tx) => findHoldsOf(tx, keys), 1)
  const told = new Map(holds.map(({ tenantId, reference, railAnswer }) => [`${tenantId} ${reference}`, railAnswer]))
  expect(keys.map(({ tenantId, reference }) => told.get(`${tenantId} ${reference}`))).toEqual(words)
})
