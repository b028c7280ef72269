// A turn of the loop: how many due payments it claims, how long it leases them, and how long it waits for them.

import { beforeEach, expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import type { Tenant } from '#platform/context.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, requestOf, rowOf, turn, until, type Process } from './process.ts'

const { accept, clock, database, pass, rail, start } = await useExecuting()
/** The submission of the fake rail takes a second, and the margin is ten. */
const leaseMs = 11_000
let serving: Process
let tenant: Tenant

beforeEach(async () => {
  serving = start({ leasesNew: false })
  tenant = await createTenant(serving)
})

const acceptMany = async (count: number): Promise<void> => {
  const requests = Array.from({ length: count }, () => requestOf({ amount: toMoney(100) }))
  const outcomes = await serving.payments.initiateMany(tenant, requests)
  expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(count)
}

it('a turn claims 512 payments of one kind at one rail, also if the process already has some of that rail', async () => {
  const worker = start({ leasesMax: 10_000 })
  await acceptMany(3)
  rail.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: 1_000 })
  expect(await worker.payments.work(tenant.lane)).toBe(3)
  await acceptMany(520)
  rail.onSubmit = () => succeeded
  expect(await worker.payments.work(tenant.lane)).toBe(512)
  expect(await worker.payments.work(tenant.lane)).toBe(8)
  await worker.payments.release()
})

it('a turn takes up no more of one rail than its share of the leases, and nothing when it has that', async () => {
  const worker = start({ leasesMax: 6 })
  await acceptMany(6)
  rail.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: 1_000 })
  expect(await worker.payments.work(tenant.lane)).toBe(3)
  expect(await worker.payments.work(tenant.lane)).toBe(0)
  await worker.payments.release()
})

it('a turn waits a second for a rail that does not answer, and has its payment for as long as sending it can take', async () => {
  const reference = await accept(serving, tenant)
  const answer = Promise.withResolvers<typeof succeeded>()
  rail.onSubmit = () => answer.promise
  let ended = false
  const working = serving.payments.work(tenant.lane).then((count) => ((ended = true), count))
  await until(() => rail.asked.length === 1, 'it is submitted')
  const { due_at: leaseEnd } = await rowOf(database, reference)
  expect(leaseEnd?.getTime()).toBe(clock.now() + leaseMs)
  pass(0.999)
  await turn()
  expect(ended).toBe(false)
  pass(0.001)
  expect(await working).toBe(1)
  answer.resolve(succeeded)
  await until(async () => (await rowOf(database, reference)).status === 'SUCCESS', 'it has ended')
})
