// Several rails: one that hangs or fails delays the others by no more than their share, and never gets a payment twice.

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Rail } from '#rails/rail.ts'
import { submitSlackMs } from '#rails/time-limits.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout, succeeded, timesOf, type ScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, rowOf, startProcess, turn, until, type Process } from './process.ts'

const database = await useTestDatabase()
const never = (): Promise<never> => new Promise(() => undefined)
const submitLimitSeconds = 1 + submitSlackMs / 1_000
const leasesMax = 12
/** The share of a rail that hangs, and that of another rail beside it. */
const share = leasesMax / 2
const shareBeside = share / 2
const names = ['hanging', 'failing', 'good'] as const
type Name = (typeof names)[number]
let clock: FakeClock
let banks: Record<Name, ScriptedPayout>
let tenant: Tenant

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return prepare()
})

afterEach(() => vi.useRealTimers())

async function prepare(): Promise<void> {
  await asOwner(database, 'truncate payment, event')
  clock = createFakeClock()
  banks = {
    hanging: createScriptedPayout(clock),
    failing: createScriptedPayout(clock),
    good: createScriptedPayout(clock),
  }
  banks.hanging.onSubmit = never
  banks.hanging.onStatus = never
  banks.failing.onSubmit = () => Promise.reject(new Error('connection refused'))
  banks.good.onSubmit = () => succeeded
}

function start(first: Name, leasesNew = true): Process {
  const rails: Rail[] = [first, ...names.filter((name) => name !== first)].map((name) => {
    return { name, payout: banks[name] }
  })
  return startProcess({ database, clock, rails, leasesNew, leasesMax })
}

async function accept({ payments }: Process): Promise<string> {
  const request = requestOf({ amount: 1_000n as ReturnType<typeof requestOf>['amount'] })
  expect((await payments.initiate(tenant, request)).kind).toBe('accepted')
  await turn()
  return request.reference
}

async function acceptMany(process: Process, count: number): Promise<string[]> {
  const references: string[] = []
  while (references.length < count) references.push(await accept(process))
  return references
}

function pass(seconds: number): void {
  clock.advance(seconds * 1_000)
  vi.advanceTimersByTime(seconds * 1_000)
}

/** Runs a turn of the loop. It waits a second for a rail that hangs, which passes once the other rails are done. */
async function work({ payments }: Process): Promise<number> {
  const before = banks.hanging.asked.length
  let count: number | undefined
  const working = payments.work(tenant.lane).then((done) => (count = done))
  await until(() => count !== undefined || banks.hanging.asked.length > before, 'the rails are asked')
  if (count === undefined) await turn()
  pass(1)
  return working
}

const untilStatus = (reference: string, status: string): Promise<void> =>
  until(async () => (await rowOf(database, reference)).status === status, `it is ${status}`)

describe('a rail that hangs', () => {
  it('has its share of the leases and no more; what another rail is asked goes on at once', async () => {
    const serving = start('hanging')
    tenant = await createTenant(serving)
    await acceptMany(serving, 10)
    expect(timesOf(banks.hanging)).toEqual(Array.from({ length: share }, () => 'submit 0'))
    const reference = await accept(start('good', false))
    expect(await work(serving)).toBe(1)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(banks.good)).toEqual(['submit 0'])
  })

  it('has its share of a turn, however many of its payments are due before those of others', async () => {
    const apart = start('hanging', false)
    tenant = await createTenant(apart)
    await acceptMany(apart, 20)
    clock.advance(1_000)
    const reference = await accept(start('good', false))
    const worker = start('good')
    expect(await work(worker)).toBe(share + 1)
    await untilStatus(reference, 'SUCCESS')
    expect(banks.hanging.asked).toHaveLength(share)
  })

  it('gives its places back when its time is over, and its payment is asked about, not sent, after that', async () => {
    const serving = start('hanging')
    tenant = await createTenant(serving)
    const [first = ''] = await acceptMany(serving, share)
    const after = await accept(serving)
    expect((await rowOf(database, after)).submitted_at).toBeNull()
    pass(submitLimitSeconds)
    await until(
      async () => (await rowOf(database, first)).due_at?.getTime() === clock.now() + 5_000,
      'it is postponed, to be asked about in 5 s',
    )
    const kept = await accept(serving)
    expect((await rowOf(database, kept)).submitted_at).not.toBeNull()
    expect((await serving.ctx.metrics.railCallsLate.get()).values).toEqual([
      { labels: { rail: 'hanging', call: 'submit' }, value: share },
    ])
  })

  it('has no effect when it answers after its time', async () => {
    const serving = start('hanging')
    tenant = await createTenant(serving)
    const { promise, resolve } = Promise.withResolvers<{ kind: 'failed'; reason: 'DO_NOT_HONOR' }>()
    banks.hanging.onSubmit = () => promise
    const reference = await accept(serving)
    pass(submitLimitSeconds)
    await until(async () => (await rowOf(database, reference)).asks === 1, 'it is postponed')
    const noted = await rowOf(database, reference)
    resolve({ kind: 'failed', reason: 'DO_NOT_HONOR' })
    await turn()
    await serving.lanes.drain()
    expect(await rowOf(database, reference)).toEqual(noted)
  })
})

describe('rails of which one hangs, one fails and one is well', () => {
  it('finish what the good one has within as many turns as its share needs, and send nothing twice', async () => {
    const mix = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(mix, async (sent) => {
        await prepare()
        const doors = { hanging: start('hanging', false), failing: start('failing', false), good: start('good', false) }
        tenant = await createTenant(doors.good)
        const good: string[] = []
        for (const name of sent) {
          const reference = await accept(doors[name])
          if (name === 'good') good.push(reference)
        }
        const worker = start('good')
        for (let turns = 0; turns < 1 + Math.ceil(good.length / shareBeside); turns++) await work(worker)
        for (const reference of good) await untilStatus(reference, 'SUCCESS')
        // Long enough for the process to give the rest up, put it down and claim it again.
        for (let minute = 0; minute < 5; minute++) {
          pass(60)
          await work(worker)
        }
        for (const name of names) {
          const submitted = banks[name].asked.filter(({ call }) => call === 'submit')
          expect(new Set(submitted.map(({ order }) => order.railReference)).size).toBe(submitted.length)
        }
        pass(60)
        await worker.payments.release()
      }),
      { numRuns: 10 },
    )
  })
})
