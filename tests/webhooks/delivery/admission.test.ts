// Fairness as a property: for any deliveries and outcomes, the limits hold, and every receiver that may go on does.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeliveryScheduler, type InFlightAttempt } from '#webhooks/delivery/scheduler.ts'

const limits = {
  slots: 16,
  atOnceFirst: 2,
  atOnceSure: 4,
  atOnceMax: 12,
  waiting: 60,
  waitingPerTrusted: 20,
  waitingPerUnknown: 10,
  waitingPerDoubtful: 3,
}
const slowMs = 2_000
const usual = { promised: false, failing: false }

type Step =
  | { kind: 'add'; key: number; count: number; failing: boolean }
  | { kind: 'end'; index: number; succeeded: boolean }
  | { kind: 'wait'; ms: number }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    key: fc.nat(6),
    count: fc.nat(12),
    failing: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('end' as const), index: fc.nat(), succeeded: fc.boolean() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(3_000) }),
)

/** A naive model of the scheduler: outcomes and attempts under way decide which receivers are doubtful. */
class Account {
  scheduler = new DeliveryScheduler<number>(limits)
  nowMs = 0
  flights: { flight: InFlightAttempt<number>; key: string; sinceMs: number }[] = []
  last = new Map<string, 'good' | 'bad'>()
  given = 0
  begun = 0
  wrong: string[] = []

  isDoubtful(key: string): boolean {
    const slow = this.flights.some((one) => one.key === key && this.nowMs - one.sinceMs >= slowMs)
    return slow || this.last.get(key) === 'bad'
  }

  doubtful(): number {
    return this.flights.filter(({ key }) => this.isDoubtful(key)).length
  }

  step(step: Step): void {
    if (step.kind === 'wait') this.nowMs += step.ms
    else if (step.kind === 'add') this.#add(step)
    else this.#end(step)
    this.#beginAll()
  }

  #add({ key: number, count, failing }: Extract<Step, { kind: 'add' }>): void {
    const key = `s${number}`
    const room = this.scheduler.room(key, this.nowMs)
    for (let index = 0; index < Math.min(count, room); index++) {
      if (failing && !this.last.has(key)) this.last.set(key, 'bad')
      this.scheduler.add(key, this.given++, { promised: false, failing })
    }
  }

  #end({ index, succeeded }: Extract<Step, { kind: 'end' }>): void {
    const [ended] = this.flights.splice(this.flights.length === 0 ? 0 : index % this.flights.length, 1)
    if (ended === undefined) return
    const quick = succeeded && this.nowMs - ended.sinceMs < slowMs
    this.scheduler.end(ended.flight, succeeded, this.nowMs)
    this.last.set(ended.key, quick ? 'good' : 'bad')
  }

  #beginAll(): void {
    for (;;) {
      const before = this.doubtful()
      const half = this.flights.length < limits.slots / 2
      const flight = this.scheduler.next(this.nowMs)
      if (flight === undefined) return
      const key = flight.line.key
      if (this.isDoubtful(key) && before >= limits.slots / 2) this.wrong.push(`${key} is one doubtful too many`)
      this.begun++
      this.flights.push({ flight, key, sinceMs: this.nowMs })
      if (this.flights.length > limits.slots) this.wrong.push('more than there are slots')
      const own = this.flights.filter((one) => one.key === key).length
      const most = this.isDoubtful(key) ? 2 : half ? limits.atOnceMax : limits.atOnceSure
      if (own > most) this.wrong.push(`${key} has ${own} at once`)
    }
  }
}

function begunOf(scheduler: DeliveryScheduler<number>): InFlightAttempt<number>[] {
  const begun: InFlightAttempt<number>[] = []
  for (let flight = scheduler.next(0); flight !== undefined; flight = scheduler.next(0)) begun.push(flight)
  return begun
}

describe('the admission', () => {
  it('keeps its limits, loses no delivery and begins none twice', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        const account = new Account()
        for (const step of steps) {
          account.step(step)
          expect(account.scheduler.waiting).toBeLessThanOrEqual(limits.waiting)
          expect(account.scheduler.underWay).toBe(account.flights.length)
          expect(account.begun + account.scheduler.waiting).toBe(account.given)
        }
        while (account.flights.length > 0) account.step({ kind: 'end', index: 0, succeeded: true })
        expect([account.wrong, account.scheduler.waiting, account.begun]).toEqual([[], 0, account.given])
      }),
    )
  })

  it('begins with a new receiver at once while half of the slots hang and more deliveries wait for them', () => {
    const scheduler = new DeliveryScheduler<string>(limits)
    const hang = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    for (const key of hang)
      for (const item of ['1', '2', '3']) scheduler.add(key, key + item, { ...usual, failing: true })
    const begun: string[] = []
    for (let flight = scheduler.next(0); flight !== undefined; flight = scheduler.next(0)) begun.push(flight.item)
    expect(begun).toHaveLength(limits.slots / 2)
    scheduler.add('new', 'new', usual)
    expect(scheduler.next(5_000)?.item).toBe('new')
  })

  it('gives each subscription its turn, however many deliveries wait for one of them', () => {
    const scheduler = new DeliveryScheduler<string>({ ...limits, slots: 3 })
    for (const item of ['1', '2', '3', '4']) scheduler.add('busy', `busy ${item}`, usual)
    scheduler.add('quiet', 'quiet', usual)
    const first = scheduler.next(0)
    expect([first?.item, scheduler.next(0)?.item]).toEqual(['busy 1', 'quiet'])
  })

  it('allows a quick receiver more attempts at once, and fewer after a failure', () => {
    const scheduler = new DeliveryScheduler<number>()
    for (let item = 0; item < 500; item++) scheduler.add('one', item, usual)
    let flights = begunOf(scheduler)
    expect(flights).toHaveLength(4)
    for (let round = 0; round < 200; round++) {
      const [done, ...rest] = flights
      if (done !== undefined) scheduler.end(done, true, 0)
      flights = [...rest, ...begunOf(scheduler)]
    }
    expect(flights).toHaveLength(128)
    for (const [index, flight] of flights.entries()) scheduler.end(flight, index < 127, 0)
    expect(begunOf(scheduler)).toHaveLength(2)
  })

  it('gives a subscription no more than its sure share once half of the slots are taken', () => {
    const scheduler = new DeliveryScheduler<number>({ slots: 100, waiting: 100_000, waitingPerTrusted: 10_000 })
    const keys = ['a', 'b', 'c', 'd']
    for (const key of keys) for (let item = 0; item < 10_000; item++) scheduler.add(key, item, usual)
    // All four receivers answer well, and then hang.
    for (let round = 0; round < 100; round++) for (const flight of begunOf(scheduler)) scheduler.end(flight, true, 0)
    const hanging = begunOf(scheduler)
    expect(hanging.length).toBeGreaterThanOrEqual(4 * 16)
    expect(hanging.length).toBeLessThanOrEqual(100 / 2 + 3 * 16)
    scheduler.add('new', 0, usual)
    expect(scheduler.next(0)?.line.key).toBe('new')
  })

  it('keeps a reserved place, and frees it when no delivery comes', () => {
    const scheduler = new DeliveryScheduler<number>({ waitingPerUnknown: 2, promiseMs: 1_000 })
    expect([1, 2, 3].map(() => scheduler.promise('one', 0))).toEqual([true, true, false])
    scheduler.add('one', 1, { ...usual, promised: true })
    expect(scheduler.room('one', 0)).toBe(0)
    expect(scheduler.room('one', 1_001)).toBe(1)
  })

  it('returns the waiting deliveries of one subscription, or of all', () => {
    const scheduler = new DeliveryScheduler<string>()
    for (const key of ['a', 'b', 'c']) scheduler.add(key, key, usual)
    expect(scheduler.takeBack('b')).toEqual(['b'])
    expect(scheduler.takeBack()).toEqual(['a', 'c'])
    expect([scheduler.waiting, scheduler.next(0)]).toEqual([0, undefined])
  })
})
