// Reads one payment by its id, with the facts that belong to it.

import { expect, it } from 'vitest'
import { newUuid, type Uuid } from '#platform/ids.ts'
import type { Payment } from '#payments/payment.ts'
import { findPaymentById } from '#payments/list.ts'
import { readPaymentStory } from '#payments/history.ts'
import type { Try } from '#payments/execution/rail-call.ts'
import { useSettling, type Kept } from './settling.ts'

const { clock, ctx, open } = await useSettling()
// Ids never go back, and earlier files may have made later ones; a payment has the time of its id.
clock.advance(msOf(newUuid(clock.now())) - clock.now())

function msOf(id: Uuid): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

async function openWithTwo() {
  const room = await open()
  const [tenant, other] = room.tenants
  for (const reference of ['A', 'B']) await room.accept(tenant, reference)
  const [first, second] = (await room.rows(tenant)) as [Kept, Kept]
  return { ...room, tenant, other, first, second }
}

it('is found by its id, by its business and as what it is alone', async () => {
  const { tenant, other, first, second } = await openWithTwo()
  const find = async (id: string, kind: 'bank_transfer' | 'momo_transfer' = 'bank_transfer', whose = tenant) =>
    (await findPaymentById(ctx, whose, kind, id as Uuid))?.reference
  expect([await find(first.id), await find(second.id)]).toEqual(['A', 'B'])
  expect(await find(newUuid(clock.now()))).toBeUndefined()
  expect(await find(first.id, 'momo_transfer')).toBeUndefined()
  expect(await find(first.id, 'bank_transfer', other)).toBeUndefined()
})

it('has the answers of its rails in the order in which they came, and the rails that it left', async () => {
  const { tenant, rows, settle, first } = await openWithTwo()
  const answer = (asked: Try['asked'], answered: Try['answered'], seconds: number): Try => {
    const at = new Date(clock.now() + seconds * 1_000)
    return { asked, answered, detail: '', firstAt: at, lastAt: at, times: 1, milliseconds: 1 }
  }
  const tries = [answer('status', 'pending', 3), answer('submit', 'unknown', 1), answer('status', 'not-found', 2)]
  const leave = async (from: string, to: string) => {
    const [row] = (await rows(tenant)) as [Kept]
    const leaseEnd = row.due_at as Date
    const result = { kind: 'rail-changed' as const, from, to, why: 'float' as const, leaseEnd, railReference: null }
    return settle(tenant, 'A', { result, tries: from === 'a' ? tries : [] })
  }
  const story = async (attempts: number) =>
    readPaymentStory(ctx, tenant, {
      lane: tenant.lane,
      tenantId: tenant.id,
      id: first.id,
      reference: 'A',
      attempts,
    } as Payment)
  expect(await story(1)).toMatchObject({ tries: [], railsLeft: [] })
  expect((await leave('a', 'b')).kind).toBe('settled')
  const once = await story(2)
  expect(once.tries.map(({ asked, answered }) => `${asked} ${answered}`)).toEqual([
    'submit unknown',
    'status not-found',
    'status pending',
  ])
  expect(once.railsLeft).toMatchObject([{ rail: 'a' }])
  expect((await leave('b', 'c')).kind).toBe('settled')
  expect((await story(3)).railsLeft).toMatchObject([{ rail: 'a' }, { rail: 'b' }])
})
