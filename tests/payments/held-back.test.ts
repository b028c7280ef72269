// A turn of the loop with payments that it may not send: a pause leaves them where they are, and so does a stopped
// rail, unless another rail may have them.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { pausePayouts } from '#payments/brakes.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useChangingRails, type Name } from './changing-rails.ts'
import { createTenant, type Process } from './process.ts'

const { accept, calls, clock, database, left, row, start, stop } = await useChangingRails()
let tenant: Tenant

beforeEach(() => asOwner(database, 'truncate brake'))

/** A process with routes to these rails, and a payment at the first of them. */
async function waiting(over: Name[]): Promise<{ process: Process; reference: string }> {
  const process = start(over)
  tenant = await createTenant(process)
  return { process, reference: await accept(process, tenant) }
}

it('a payment that a pause holds back is left alone for ten minutes, and stays with its rail', async () => {
  const { process, reference } = await waiting(['a', 'b'])
  await pausePayouts(process.ctx, { environment: 'production' })
  expect(await process.payments.work(tenant.lane)).toBe(1)
  const { due_at: dueAt, ...after } = await row(reference)
  expect(dueAt?.getTime()).toBe(clock.now() + 600_000)
  expect([after, await left(), calls('a')]).toMatchObject([{ rail: 'a', attempts: 1 }, [], []])
})

it('a payment that a stopped rail holds back goes on to the next rail', async () => {
  const { process, reference } = await waiting(['a', 'b'])
  await stop(process, 'a')
  expect(await process.payments.work(tenant.lane)).toBe(1)
  const { due_at: dueAt, ...after } = await row(reference)
  expect(dueAt?.getTime()).toBeLessThanOrEqual(clock.now())
  expect([after, await left()]).toMatchObject([{ rail: 'b' }, [{ rail: 'a', attempt: 1, why: 'stopped' }]])
})

it('a payment that a stopped rail holds back stays there if there is no other rail, and no failure is reported', async () => {
  const { process, reference } = await waiting(['a'])
  await stop(process, 'a')
  const told = process.lines.length
  expect(await process.payments.work(tenant.lane)).toBe(1)
  expect([await row(reference), await left()]).toMatchObject([{ rail: 'a', attempts: 1 }, []])
  expect(process.lines.slice(told)).toEqual([])
})
