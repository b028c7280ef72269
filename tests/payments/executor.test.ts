// Which accepted payments a process keeps, for how long, and how long it waits when it stops.

import { describe, expect, it } from 'vitest'
import { createExecutor, type Executor } from '#payments/execution/executor.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { never, submitLeaseMs, useLeases } from './leasing.ts'
import { turn } from './process.ts'

const { clock, lane, leased, means, pass, rails } = useLeases()
const keptMs = submitLeaseMs + 10_000
const queueOf = (rail: string) => ({ kind: 'bank_transfer' as const, rail })
const start = (leasesMax?: number): Executor => createExecutor(means(), { leasesNew: true, leasesMax })
const keepMs = (executor: Executor, rail = 'a'): number => executor.keepMs(queueOf(rail), 'production')

function take(executor: Executor): void {
  const { payment, environment } = leased('a', { submittedAt: new Date(clock.now()) })
  executor.take(payment, environment, new Date(clock.now() + keptMs))
}

describe('a new payment', () => {
  it('is kept for as long as sending it can take, and ten seconds more', () => {
    expect(keepMs(start())).toBe(keptMs)
  })

  it('is left to others by a process that does not carry, has no room, or has stopped', async () => {
    expect(keepMs(createExecutor(means(), { leasesNew: false }))).toBe(0)
    expect([keepMs(start(0)), keepMs(start(1))]).toEqual([0, keptMs])
    const stopped = start()
    await stopped.release()
    expect(keepMs(stopped)).toBe(0)
  })

  it('is left to others when its rail has its share, which another rail still has', () => {
    rails.a.onSubmit = never
    const executor = start(3)
    const kept = () => [keepMs(executor, 'a'), keepMs(executor, 'b')]
    expect(kept()).toEqual([keptMs, keptMs])
    take(executor)
    take(executor)
    expect(kept()).toEqual([0, keptMs])
  })

  it('finds room for twenty thousand by default, half of which one rail may have', () => {
    const executor = createExecutor(means(never), { leasesNew: true })
    for (let taken = 0; taken < 9_999; taken++) take(executor)
    expect(keepMs(executor)).toBe(keptMs)
    take(executor)
    expect([keepMs(executor, 'a'), keepMs(executor, 'b')]).toEqual([0, keptMs])
  })

  it('is sent at once, under the lease that it was born with', async () => {
    rails.a.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: keptMs - 5_000 })
    rails.a.onStatus = () => succeeded
    const executor = start()
    take(executor)
    await turn()
    expect(rails.a.asked).toMatchObject([{ call: 'submit', order: { leaveBeforeMs: clock.monotonicMs() + keptMs } }])
    await pass(keptMs - 5_000)
    expect([rails.a.asked.length, lane.postponed, lane.settled.length]).toEqual([2, [], 1])
  })
})

describe('a process that stops', () => {
  it('waits twenty seconds for a step that does not end, and no longer', async () => {
    const executor = createExecutor(means(never), { leasesNew: true })
    take(executor)
    let stopped = false
    void executor.release().then(() => (stopped = true))
    await pass(19_999)
    expect(stopped).toBe(false)
    await pass(1)
    expect(stopped).toBe(true)
  })
})
