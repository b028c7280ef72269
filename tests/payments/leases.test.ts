// The payments that a process has leased: the limit, those that stay, those that it gives back, and the rest when the
// process stops.

import { beforeEach, describe, expect, it } from 'vitest'
import { Leases } from '#payments/execution/executor.ts'
import type { LeasedPayment } from '#payments/execution/step.ts'
import type { PayoutState } from '#rails/rail.ts'
import { succeeded, timesOf } from '#tests/support/scripted-rail.ts'
import { leaseMs, never, useLeases } from './leasing.ts'
import { collection } from './made.ts'
import { turn } from './process.ts'

const leasesMax = 12
const { clock, lane, leased, means, pass, rails } = useLeases()
let leases: Leases

beforeEach(() => {
  leases = new Leases(means(), leasesMax)
})

const queueOf = (rail: string | null) => ({ kind: 'bank_transfer' as const, rail })
const rooms = () => [leases.room, leases.roomFor(queueOf('a')), leases.roomFor(queueOf('b')), leases.roomForNew]
const again = (askAgainAfterMs: number): PayoutState => ({ kind: 'pending', askAgainAfterMs })

function hang(count: number, rail: 'a' | 'b' = 'a'): void {
  rails[rail].onSubmit = never
  while (count-- > 0) void leases.execute(leased(rail))
}

/** Takes a payment about which the service asks its rail again after this time. */
async function keep(ms: number, one: LeasedPayment = leased()): Promise<void> {
  rails.a.onSubmit = () => again(ms)
  await leases.execute(one)
}

/** A rail whose answer the test gives later. */
function heldBack() {
  const { promise, resolve } = Promise.withResolvers<PayoutState>()
  return { answer: () => promise, say: resolve }
}

describe('the room for leases', () => {
  it('is halved for each rail that fills its share', () => {
    expect([rooms(), leases.queues]).toEqual([[12, 6, 6, 6], []])
    hang(1)
    expect([rooms(), leases.queues]).toEqual([[11, 5, 6, 6], [{ ...queueOf('a'), count: 1 }]])
    hang(5)
    expect(rooms()).toEqual([6, 0, 3, 3])
    hang(2, 'b')
    expect([rooms(), leases.queues]).toEqual([
      [4, 0, 1, 2],
      [
        { ...queueOf('a'), count: 6 },
        { ...queueOf('b'), count: 2 },
      ],
    ])
  })

  it('is 0 and never negative, even with more leases than the limit', () => {
    hang(leasesMax + 1)
    expect(rooms()).toEqual([0, 0, 0, 0])
  })

  it('counts payments that name no rail apart', () => {
    hang(1, 'b')
    void leases.execute({ ...leased(null) })
    expect([leases.roomFor(queueOf(null)), leases.roomFor(queueOf('b')), leases.roomForNew]).toEqual([5, 5, 5])
    expect(leases.queues).toHaveLength(2)
  })

  it('grows by one with each payment that ends', async () => {
    rails.a.onSubmit = () => succeeded
    const first = heldBack()
    hang(1)
    rails.a.onSubmit = first.answer
    const ending = [leases.execute(leased()), leases.execute(leased())]
    expect(rooms()).toEqual([9, 3, 5, 5])
    first.say(succeeded)
    await Promise.all(ending)
    expect([rooms(), leases.queues]).toEqual([[11, 5, 6, 6], [{ ...queueOf('a'), count: 1 }]])
    expect(lane.settled.map(({ result }) => result.kind)).toEqual(['succeeded', 'succeeded'])
  })

  it('grows once for a payment whose step fails', async () => {
    const troubled = new Leases(
      means(() => Promise.reject(new Error('nobody knows what is stopped'))),
      leasesMax,
    )
    await troubled.execute(leased())
    expect([troubled.room, troubled.queues]).toEqual([12, []])
    lane.broken = true
    hang(1)
    rails.a.onSubmit = () => succeeded
    await leases.execute(leased())
    expect([rooms(), leases.queues]).toEqual([[11, 5, 6, 6], [{ ...queueOf('a'), count: 1 }]])
  })
})

describe('a leased payment', () => {
  it('is asked about again without a write, and is not sent again', async () => {
    rails.a.onStatus = () => succeeded
    const startMs = clock.now()
    await keep(2_000)
    expect([leases.room, lane.postponed]).toEqual([11, []])
    await pass(1_999)
    expect(rails.a.asked).toHaveLength(1)
    await pass(1)
    expect(rails.a.asked.map(({ call }) => call)).toEqual(['submit', 'status'])
    expect([leases.room, lane.settled, clock.now() - startMs]).toMatchObject([12, [{ reference: 'R-1' }], 2_000])
  })

  it('is asked about ever more rarely while the rail has no result', async () => {
    rails.a.onSubmit = () => ({ kind: 'pending' })
    rails.a.onStatus = () => ({ kind: 'pending' })
    await leases.execute({ ...leased(), leaveBeforeMs: clock.monotonicMs() + 300_000 })
    for (const ms of [5_000, 30_000, 120_000]) await pass(ms)
    expect(rails.a.asked).toHaveLength(4)
    expect(lane.postponed).toMatchObject([{ asks: 4, dueAt: new Date(clock.now() + 600_000) }])
  })

  it('is kept when its next step comes five seconds before the end of its lease, and postponed when later', async () => {
    const leaseEnd = new Date(clock.now() + leaseMs)
    await keep(leaseMs - 5_000)
    expect([leases.room, lane.postponed]).toEqual([11, []])
    await keep(leaseMs - 4_999)
    expect([leases.room, lane.postponed]).toMatchObject([
      11,
      [{ leaseEnd, dueAt: new Date(clock.now() + leaseMs - 4_999) }],
    ])
  })

  it('is postponed if it certainly was not sent', async () => {
    rails.a.onSubmit = () => ({ kind: 'unknown', detail: 'no answer', sent: false, askAgainAfterMs: 2_000 })
    await leases.execute(leased())
    expect([leases.room, lane.postponed]).toMatchObject([12, [{ submittedAt: null }]])
  })
})

describe('a collection', () => {
  const approved = (status: 'PENDING' | 'OTP_REQUIRED') =>
    leases.execute({ ...leased(), payment: collection({ status, rail: 'a' }) })

  it('stays with the process while the operator is asked, and is given back while it waits for a code', async () => {
    rails.a.onSubmit = () => again(2_000)
    await approved('PENDING')
    expect([leases.room, lane.postponed]).toEqual([11, []])
    await approved('OTP_REQUIRED')
    expect([leases.room, lane.postponed.length]).toEqual([11, 1])
  })
})

describe('a process that stops', () => {
  async function stopping(): Promise<() => boolean> {
    let stopped = false
    void leases.release().then(() => (stopped = true))
    await turn()
    return () => stopped
  }

  it('returns waiting payments at once if no step is under way', async () => {
    const { payment } = leased()
    await keep(2_000, leased('a', { asks: 3 }))
    expect((await stopping())()).toBe(true)
    expect(lane.postponed).toMatchObject([
      { dueAt: new Date(clock.now()), asks: 3, submittedAt: payment.submittedAt, reference: 'R-1' },
    ])
    expect([leases.room, leases.queues]).toEqual([12, []])
    await pass(2_000)
    expect([timesOf(rails.a).length, lane.postponed.length]).toEqual([1, 1])
  })

  it('waits for all steps that are under way, and for none that ended before', async () => {
    rails.a.onSubmit = () => succeeded
    await leases.execute(leased())
    const [first, second] = [heldBack(), heldBack()]
    for (const { answer } of [first, second]) {
      rails.a.onSubmit = answer
      void leases.execute(leased())
    }
    const stopped = await stopping()
    expect(stopped()).toBe(false)
    first.say(succeeded)
    await turn()
    expect(stopped()).toBe(false)
    second.say(succeeded)
    await turn()
    expect(stopped()).toBe(true)
  })

  it('also waits for steps whose result could not be written', async () => {
    const held = heldBack()
    rails.a.onSubmit = held.answer
    void leases.execute(leased())
    const stopped = await stopping()
    lane.broken = true
    held.say(succeeded)
    await turn()
    expect(stopped()).toBe(true)
  })

  it('postpones payments that it would have asked about again, and keeps those whose rail has not answered yet', async () => {
    const held = heldBack()
    rails.a.onStatus = held.answer
    await keep(2_000)
    await pass(2_000)
    const stopped = await stopping()
    expect([stopped(), lane.postponed, leases.room]).toEqual([false, [], 11])
    held.say(again(3_000))
    await turn()
    expect(stopped()).toBe(true)
    expect([lane.postponed, leases.room]).toMatchObject([[{ dueAt: new Date(clock.now() + 3_000) }], 12])
  })
})
