// Processes that serve rails share a provider's limits, and see each other's breakers.

import { afterAll, beforeEach, expect, it } from 'vitest'
import type { Context } from '#platform/context.ts'
import { createLimiter } from '#rails/call-limits.ts'
import { createProcesses, listBreakers, type BreakerReport, type Processes } from '#rails/processes.ts'
import { createTestContext } from '#tests/support/context.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const clock = createFakeClock()
const ctx: Context = createTestContext(database.connect(), clock)
afterAll(() => ctx.db.close())
beforeEach(() => asOwner(database, 'truncate rail_process'))

const seconds = (count: number) => clock.advance(count * 1_000)
const starting = async (breakers: BreakerReport[] = []): Promise<Processes> => {
  const process = createProcesses(ctx, () => breakers)
  await process.renew()
  return process
}
const sharesOf = (...processes: Processes[]) => processes.map((one) => one.share())

it('a process that is alone has all, and of several each has its part, when all know of it', async () => {
  const one = await starting()
  expect(one.share()).toBe(1)
  seconds(3)
  const two = await starting()
  expect(sharesOf(one, two)).toEqual([1, 1 / 8])
  seconds(7)
  await one.renew()
  expect(sharesOf(one, two)).toEqual([1 / 2, 1 / 8])
  for (let turn = 0; turn < 2; turn++) {
    seconds(10)
    await Promise.all([one.renew(), two.renew()])
  }
  expect(sharesOf(one, two)).toEqual([1 / 2, 1 / 2])
  await two.leave()
  await one.renew()
  expect(one.share()).toBe(1)
})

it('a process keeps its part when the database clock is set back by an hour', async () => {
  const one = await starting()
  seconds(30)
  clock.set(-3_600_000)
  expect(one.share()).toBe(1)
  clock.set(3_600_000)
})

it('of processes that begin at once no two have all', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => starting()))
  expect(sharesOf(...all).filter((share) => share === 1).length).toBeLessThan(2)
})

it('a process that died counts for less than a minute, and one that cannot say that it lives uses little', async () => {
  const one = await starting()
  const dead = await starting()
  seconds(44)
  await one.renew()
  expect(sharesOf(one, dead)).toEqual([1 / 2, 1 / 2])
  seconds(1)
  await one.renew()
  expect(one.share()).toBe(1)
  expect(dead.share()).toBe(1 / 8)
  // The process comes back as a new one.
  await dead.renew()
  expect(dead.share()).toBe(1 / 8)
})

it('before a process knows anything, and in a command, it has a part of what the others leave free', () => {
  expect(createProcesses(ctx, () => []).share()).toBe(1 / 4)
})

it('all of them together stay within the limit of the provider in every minute, while they come and go', async () => {
  const limit = 200
  const wentAt: number[] = []
  const running: { process: Processes; take: () => number; renewsAt: number }[] = []
  const begin = async (at: number) => {
    const process = await starting()
    const limiter = createLimiter({ submit: { calls: limit, perMs: 60_000 } }, clock, process.share)
    running.push({ process, take: () => limiter.take('submit'), renewsAt: at % 10 })
  }
  for (let at = 0; at < 400; at++) {
    if ([0, 70, 73, 140, 200, 201].includes(at)) await begin(at)
    // One process dies, and another one stops properly.
    if (at === 260) running.pop()
    if (at === 300) await running.pop()?.process.leave()
    for (const { process, renewsAt } of running) if (at % 10 === renewsAt) await process.renew()
    for (const { take } of running) while (take() === 0) wentAt.push(at)
    seconds(1)
  }
  const within = (from: number) => wentAt.filter((at) => at >= from && at < from + 60).length
  expect(Math.max(...wentAt.map(within))).toBeLessThanOrEqual(limit)
  expect(within(340)).toBeGreaterThan(limit / 2)
})

it('a command lists the breakers of living processes, oldest first', async () => {
  const refused: BreakerReport = { rail: 'a', port: 'payout', cause: 'misconfigured', detail: 'OTP is on', sinceMs: 2 }
  const failing: BreakerReport = { rail: 'b', port: 'payout', cause: 'failing', detail: 'no answer', sinceMs: 1 }
  const [breakers, others] = [[refused], [failing]]
  const one = await starting(breakers)
  await starting(others)
  expect(await listBreakers(ctx)).toEqual([failing, refused])
  breakers.pop()
  await one.renew()
  expect(await listBreakers(ctx)).toEqual([failing])
  seconds(45)
  expect(await listBreakers(ctx)).toEqual([])
})

it('processes that all forget each other at once do not wait for each other', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => starting()))
  for (let turn = 0; turn < 40; turn += 1) {
    seconds(60)
    await Promise.all(all.map((one) => one.renew()))
    // One of them may have renewed before any other began: then it alone has all.
    expect(sharesOf(...all).filter((share) => share === 1).length).toBeLessThan(2)
  }
})
