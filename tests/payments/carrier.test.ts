// Which accepted payments a process keeps, for how long, and how long it waits when it stops.

import { describe, expect, it } from 'vitest'
import { createCarrier, type Carrier } from '#payments/execution/executor.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { never, submitLeaseMs, useHand } from './in-hand.ts'
import { turn } from './process.ts'

const { clock, lane, leased, means, pass, rails } = useHand()
/** A submission, and the margin of its lease. */
const keptMs = submitLeaseMs + 10_000
const wayOf = (rail: string) => ({ kind: 'bank_transfer' as const, rail })
const carries = (inHandMax?: number): Carrier => createCarrier(means(), { carries: true, inHandMax })
const keepMs = (carrier: Carrier, rail = 'a'): number => carrier.keepMs(wayOf(rail), 'production')

/** Takes up a new payment, as acceptance does. */
function take(carrier: Carrier): void {
  const { payment, environment } = leased('a', { submittedAt: new Date(clock.now()) })
  carrier.take(payment, environment)
}

describe('a new payment', () => {
  it('is kept for as long as sending it can take, and ten seconds more', () => {
    expect(keepMs(carries())).toBe(keptMs)
  })

  it('is left to others by a process that does not carry, has no room, or has stopped', async () => {
    expect(keepMs(createCarrier(means(), { carries: false }))).toBe(0)
    expect([keepMs(carries(0)), keepMs(carries(1))]).toEqual([0, keptMs])
    const stopped = carries()
    await stopped.release()
    expect(keepMs(stopped)).toBe(0)
  })

  it('is left to others when its rail has its share, which another rail still has', () => {
    rails.a.onSubmit = never
    const carrier = carries(3)
    const kept = () => [keepMs(carrier, 'a'), keepMs(carrier, 'b')]
    expect(kept()).toEqual([keptMs, keptMs])
    take(carrier)
    take(carrier)
    expect(kept()).toEqual([0, keptMs])
  })

  it('finds room for twenty thousand by default, half of which one rail may have', () => {
    const carrier = createCarrier(means(never), { carries: true })
    for (let taken = 0; taken < 9_999; taken++) take(carrier)
    expect(keepMs(carrier)).toBe(keptMs)
    take(carrier)
    expect([keepMs(carrier, 'a'), keepMs(carrier, 'b')]).toEqual([0, keptMs])
  })

  it('is sent at once, under the lease that it was born with', async () => {
    rails.a.onSubmit = () => ({ kind: 'pending', askAgainAfterMs: keptMs - 5_000 })
    rails.a.onStatus = () => succeeded
    const carrier = carries()
    take(carrier)
    await turn()
    expect(rails.a.asked).toMatchObject([{ call: 'submit', order: { leaveBeforeMs: clock.monotonicMs() + keptMs } }])
    await pass(keptMs - 5_000)
    expect([rails.a.asked.length, lane.putDown, lane.settled.length]).toEqual([2, [], 1])
  })
})

describe('a process that stops', () => {
  it('waits twenty seconds for a step that does not end, and no longer', async () => {
    const carrier = createCarrier(means(never), { carries: true })
    take(carrier)
    let stopped = false
    void carrier.release().then(() => (stopped = true))
    await pass(19_999)
    expect(stopped).toBe(false)
    await pass(1)
    expect(stopped).toBe(true)
  })
})
