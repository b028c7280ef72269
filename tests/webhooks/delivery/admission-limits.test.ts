// Each limit of the admission at its exact edge, and how a receiver becomes doubtful and trusted again.

import { describe, expect, it } from 'vitest'
import { DeliveryScheduler, type InFlightAttempt } from '#webhooks/delivery/scheduler.ts'

const usual = { promised: false, failing: false }
const failing = { promised: false, failing: true }
const slowMs = 2_000

const make = (limits = {}): DeliveryScheduler<string> => new DeliveryScheduler<string>(limits)

function begin(scheduler: DeliveryScheduler<string>, nowMs = 0): InFlightAttempt<string>[] {
  const begun: InFlightAttempt<string>[] = []
  for (let flight = scheduler.next(nowMs); flight !== undefined; flight = scheduler.next(nowMs)) begun.push(flight)
  return begun
}

function addMany(scheduler: DeliveryScheduler<string>, key: string, count: number, how = usual): void {
  for (let item = 0; item < count; item++) scheduler.add(key, `${key}${item}`, how)
}

function attempt(
  scheduler: DeliveryScheduler<string>,
  key: string,
  { succeeds = true, atMs = 0, tookMs = 0 } = {},
): void {
  scheduler.add(key, key, usual)
  for (const flight of begin(scheduler, atMs)) scheduler.end(flight, succeeds, atMs + tookMs)
}

const keysOf = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name}${index}`)
const itemsOf = (flights: InFlightAttempt<string>[]): string[] => flights.map(({ item }) => item)

describe('the 512 slots', () => {
  it('are all for trusted subscriptions', () => {
    const scheduler = make()
    for (const key of keysOf(600, 'good')) attempt(scheduler, key)
    for (const key of keysOf(600, 'good')) scheduler.add(key, key, usual)
    expect(begin(scheduler)).toHaveLength(512)
  })

  it('go to unknown subscriptions up to three quarters, and to doubtful ones up to half', () => {
    const scheduler = make()
    for (const key of keysOf(600, 'bad')) scheduler.add(key, key, failing)
    expect(begin(scheduler)).toHaveLength(256)
    for (const key of keysOf(600, 'new')) scheduler.add(key, key, usual)
    expect(begin(scheduler)).toHaveLength(128)
  })

  it('may all be taken by unknown subscriptions, with none left for doubtful ones', () => {
    const scheduler = make()
    for (const key of keysOf(600, 'new')) scheduler.add(key, key, usual)
    expect(begin(scheduler)).toHaveLength(384)
    scheduler.add('bad', 'bad', failing)
    expect(begin(scheduler)).toEqual([])
  })

  it('count a hanging attempt as doubtful from two seconds on until it ends', () => {
    const scheduler = make()
    for (const key of keysOf(256, 'new')) scheduler.add(key, key, usual)
    const hanging = begin(scheduler)
    scheduler.add('bad', 'bad', failing)
    expect(begin(scheduler, slowMs)).toEqual([])
    scheduler.add('later', 'later', usual)
    expect(itemsOf(begin(scheduler, slowMs))).toEqual(['later'])
    scheduler.abandon(hanging[0] as InFlightAttempt<string>)
    expect(itemsOf(begin(scheduler, slowMs))).toEqual(['bad'])
  })

  it('go to a single trusted subscription up to half, and then up to its sure share', () => {
    const scheduler = make({ slots: 12, atOnceSure: 2, atOnceMax: 12 })
    for (let round = 0; round < 10; round++) attempt(scheduler, 'one')
    addMany(scheduler, 'one', 20)
    expect(begin(scheduler)).toHaveLength(6)
  })
})

describe('attempts at once', () => {
  it('are four, one more with each quick success after the first, and two after a failure', () => {
    const scheduler = make()
    addMany(scheduler, 'one', 100)
    let flights = begin(scheduler)
    const sizes = [flights.length]
    for (const succeeds of [true, true, true, false]) {
      const [ended, ...rest] = flights
      if (ended !== undefined) scheduler.end(ended, succeeds, 0)
      flights = [...rest, ...begin(scheduler)]
      sizes.push(flights.length)
    }
    expect(sizes).toEqual([4, 4, 5, 6, 5])
    for (const flight of flights.slice(2)) scheduler.abandon(flight)
    expect(begin(scheduler)).toEqual([])
    scheduler.abandon(flights[0] as InFlightAttempt<string>)
    expect(begin(scheduler)).toHaveLength(1)
  })

  it('are two while one takes long, also of those that did well', () => {
    const scheduler = make()
    for (let round = 0; round < 3; round++) attempt(scheduler, 'one')
    addMany(scheduler, 'one', 2)
    const [hanging] = begin(scheduler)
    addMany(scheduler, 'one', 3)
    expect(begin(scheduler, slowMs)).toEqual([])
    scheduler.abandon(hanging as InFlightAttempt<string>)
    expect(begin(scheduler, slowMs)).toHaveLength(1)
  })

  it('go in turns to each kind, and in each kind to each subscription', () => {
    const scheduler = make()
    for (const key of ['good', 'fine']) attempt(scheduler, key)
    for (const key of ['good', 'fine']) addMany(scheduler, key, 2)
    addMany(scheduler, 'new', 2)
    addMany(scheduler, 'bad', 2, failing)
    expect(itemsOf(begin(scheduler))).toEqual(['good0', 'bad0', 'new0', 'fine0', 'bad1', 'new1', 'good1', 'fine1'])
  })

  it('skip a subscription without waiting deliveries', () => {
    const scheduler = make()
    addMany(scheduler, 'a', 1)
    addMany(scheduler, 'b', 3)
    expect(itemsOf(begin(scheduler))).toEqual(['a0', 'b0', 'b1', 'b2'])
    for (const key of ['c', 'd']) addMany(scheduler, key, 1)
    expect(scheduler.takeBack('c')).toEqual(['c0'])
    expect(scheduler.takeBack('nobody')).toEqual([])
    expect(itemsOf(begin(scheduler))).toEqual(['d0'])
  })
})

describe('room', () => {
  it('is for 64 deliveries of an unknown, 512 of a trusted and 4 of a doubtful subscription', () => {
    const scheduler = make()
    attempt(scheduler, 'good')
    attempt(scheduler, 'bad', { succeeds: false })
    expect(['new', 'good', 'bad'].map((key) => scheduler.room(key, 0))).toEqual([64, 512, 4])
    addMany(scheduler, 'bad', 5)
    expect(scheduler.room('bad', 0)).toBe(0)
  })

  it('is for 8,192 in all', () => {
    const scheduler = make()
    for (const key of keysOf(128, 'k')) addMany(scheduler, key, 64)
    expect([scheduler.roomInAll(), scheduler.room('new', 0)]).toEqual([0, 0])
    scheduler.add('k0', 'promised before', { promised: true, failing: false })
    expect(scheduler.roomInAll()).toBe(0)
    scheduler.takeBack('k0')
    expect([scheduler.roomInAll(), scheduler.room('new', 0)]).toEqual([64, 64])
    addMany(scheduler, 'k0', 54)
    expect(scheduler.room('new', 0)).toBe(10)
  })

  it('is kept for reserved deliveries, for a minute after the last reservation', () => {
    const scheduler = make()
    expect([scheduler.promise('one', 100_000), scheduler.promise('one', 150_000)]).toEqual([true, true])
    expect(['one', 'one'].map((key, index) => scheduler.room(key, 210_000 + index))).toEqual([62, 64])
    scheduler.add('one', 'late', { promised: true, failing: false })
    expect(scheduler.room('one', 210_002)).toBe(63)
  })

  it('is not freed by a delivery that comes without a reservation', () => {
    const scheduler = make()
    scheduler.add('one', 'one', { promised: true, failing: false })
    expect(scheduler.room('one', 0)).toBe(63)
  })

  it('that was reserved is taken only by deliveries with a reservation', () => {
    const scheduler = make()
    for (let count = 0; count < 2; count++) scheduler.promise('one', 0)
    scheduler.add('one', 'another', usual)
    expect(scheduler.room('one', 0)).toBe(61)
    for (const item of ['first', 'second']) scheduler.add('one', item, { promised: true, failing: false })
    expect(scheduler.room('one', 0)).toBe(61)
  })
})

describe('a doubt', () => {
  const roomAfter = (options: { atMs: number; tookMs: number }): number => {
    const scheduler = make()
    attempt(scheduler, 'one', options)
    return scheduler.room('one', options.atMs + options.tookMs)
  }

  it('comes of an attempt of two seconds, whatever it ends with', () => {
    expect(roomAfter({ atMs: 10_000, tookMs: slowMs - 1 })).toBe(512)
    expect(roomAfter({ atMs: 10_000, tookMs: slowMs })).toBe(4)
  })

  it('is there before such an attempt ends, and goes with it where it says nothing', () => {
    const scheduler = make()
    scheduler.add('one', 'one', usual)
    const [flight] = begin(scheduler, 10_000)
    const rooms = [slowMs - 1, slowMs, slowMs + 1].map((afterMs) => scheduler.room('one', 10_000 + afterMs))
    expect(rooms).toEqual([64, 4, 4])
    scheduler.abandon(flight as InFlightAttempt<string>)
    expect(scheduler.room('one', 20_000)).toBe(64)
  })

  it('does not come of an attempt that was given up before, and comes of the next one all the same', () => {
    const scheduler = make()
    addMany(scheduler, 'one', 2)
    const [first] = begin(scheduler)
    scheduler.abandon(first as InFlightAttempt<string>)
    expect(scheduler.room('one', slowMs - 1)).toBe(64)
    expect(scheduler.room('one', slowMs)).toBe(4)
    const other = make()
    other.add('one', 'one', usual)
    for (const flight of begin(other)) other.abandon(flight)
    expect(other.room('one', slowMs)).toBe(64)
  })

  it('does not come to one that did well in this process because it failed in another', () => {
    const scheduler = make()
    attempt(scheduler, 'good')
    scheduler.add('good', 'good', failing)
    expect(scheduler.room('good', 0)).toBe(511)
  })
})

describe('more deliveries are claimed', () => {
  it('of a subscription that is not doubtful, while at most half of its queue is full', () => {
    const scheduler = make()
    expect(scheduler.isHungry('nobody')).toBe(false)
    addMany(scheduler, 'one', 32)
    expect(scheduler.isHungry('one')).toBe(true)
    addMany(scheduler, 'one', 1)
    expect(scheduler.isHungry('one')).toBe(false)
    scheduler.add('bad', 'bad', failing)
    expect(scheduler.isHungry('bad')).toBe(false)
  })

  it('while at most half of all queues together is full', () => {
    const scheduler = make()
    for (const key of keysOf(64, 'k')) addMany(scheduler, key, 64)
    scheduler.takeBack('k0')
    addMany(scheduler, 'k1', 63)
    addMany(scheduler, 'one', 1)
    expect([scheduler.waiting, scheduler.isHungry('one')]).toEqual([4_096, true])
    addMany(scheduler, 'k2', 1)
    expect(scheduler.isHungry('one')).toBe(false)
  })

  it('of none that has an attempt that hangs', () => {
    const scheduler = make()
    addMany(scheduler, 'one', 2)
    const [hanging] = begin(scheduler)
    addMany(scheduler, 'one', 1)
    const later = scheduler.next(1_500)
    expect(hanging?.item).toBe('one0')
    scheduler.end(later as InFlightAttempt<string>, true, slowMs)
    expect(scheduler.isHungry('one')).toBe(false)
  })
})

describe('ten thousand subscriptions are remembered', () => {
  const remembered = 10_000

  /**
   * A scheduler whose receivers are all doubtful, so that the test notices when it forgets one: then it has room for
   * 64.
   */
  function filled(): DeliveryScheduler<string> {
    const scheduler = make()
    for (const key of keysOf(remembered, 'k')) attempt(scheduler, key, { succeeds: false })
    return scheduler
  }

  it('and reuse costs none of them its place', () => {
    const scheduler = filled()
    attempt(scheduler, 'k5', { succeeds: false })
    expect(scheduler.room('k0', 0)).toBe(4)
  })

  it('and then the one that was used longest ago is not', () => {
    const scheduler = filled()
    expect(['k0', 'k1'].map((key) => scheduler.room(key, 0))).toEqual([4, 4])
    attempt(scheduler, 'k0', { succeeds: false })
    expect(['k0', 'k1'].map((key) => scheduler.room(key, 0))).toEqual([4, 4])
    attempt(scheduler, 'more')
    expect(['k0', 'k1', 'k2'].map((key) => scheduler.room(key, 0))).toEqual([4, 64, 4])
  })

  it('and those of which something is promised or under way always are', () => {
    const scheduler = filled()
    scheduler.add('k1', 'under way', usual)
    expect(begin(scheduler)).toHaveLength(1)
    scheduler.promise('k2', 0)
    for (const key of keysOf(remembered, 'other')) attempt(scheduler, key)
    expect(['k0', 'k1', 'k2'].map((key) => scheduler.room(key, 0))).toEqual([64, 4, 3])
  })
})
