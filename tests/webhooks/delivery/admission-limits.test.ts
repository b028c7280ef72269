// The usual limits of the admission, each to the last place, and what makes and ends a doubt.

import { describe, expect, it } from 'vitest'
import { Admission, type Flight } from '#webhooks/delivery/scheduler.ts'

const usual = { promised: false, failing: false }
const failing = { promised: false, failing: true }
const slowMs = 2_000

const make = (limits = {}): Admission<string> => new Admission<string>(limits)

/** Everything that may begin now, in order. */
function begin(admission: Admission<string>, nowMs = 0): Flight<string>[] {
  const begun: Flight<string>[] = []
  for (let flight = admission.next(nowMs); flight !== undefined; flight = admission.next(nowMs)) begun.push(flight)
  return begun
}

function addMany(admission: Admission<string>, key: string, count: number, how = usual): void {
  for (let item = 0; item < count; item++) admission.add(key, `${key}${item}`, how)
}

/** One attempt that ends after so long. */
function attempt(admission: Admission<string>, key: string, { succeeds = true, atMs = 0, tookMs = 0 } = {}): void {
  admission.add(key, key, usual)
  for (const flight of begin(admission, atMs)) admission.end(flight, succeeds, atMs + tookMs)
}

const keysOf = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name}${index}`)
const itemsOf = (flights: Flight<string>[]): string[] => flights.map(({ item }) => item)

describe('of 512 slots', () => {
  it('all are for those that do well', () => {
    const admission = make()
    for (const key of keysOf(600, 'good')) attempt(admission, key)
    for (const key of keysOf(600, 'good')) admission.add(key, key, usual)
    expect(begin(admission)).toHaveLength(512)
  })

  it('three quarters are for those not known yet, of which half of all may be doubtful', () => {
    const admission = make()
    for (const key of keysOf(600, 'bad')) admission.add(key, key, failing)
    expect(begin(admission)).toHaveLength(256)
    for (const key of keysOf(600, 'new')) admission.add(key, key, usual)
    expect(begin(admission)).toHaveLength(128)
  })

  it('those not known yet may leave the doubtful ones none', () => {
    const admission = make()
    for (const key of keysOf(600, 'new')) admission.add(key, key, usual)
    expect(begin(admission)).toHaveLength(384)
    admission.add('bad', 'bad', failing)
    expect(begin(admission)).toEqual([])
  })

  it('what hangs is doubtful after two seconds, and counts as that until it ends', () => {
    const admission = make()
    for (const key of keysOf(256, 'new')) admission.add(key, key, usual)
    const hanging = begin(admission)
    admission.add('bad', 'bad', failing)
    expect(begin(admission, slowMs)).toEqual([])
    admission.add('later', 'later', usual)
    expect(itemsOf(begin(admission, slowMs))).toEqual(['later'])
    admission.abandon(hanging[0] as Flight<string>)
    expect(itemsOf(begin(admission, slowMs))).toEqual(['bad'])
  })

  it('one that does well alone takes half, and its sure share of the rest', () => {
    const admission = make({ slots: 12, atOnceSure: 2, atOnceMax: 12 })
    for (let round = 0; round < 10; round++) attempt(admission, 'one')
    addMany(admission, 'one', 20)
    expect(begin(admission)).toHaveLength(6)
  })
})

describe('at once', () => {
  it('are four, one more with each quick success after the first, and two after a failure', () => {
    const admission = make()
    addMany(admission, 'one', 100)
    let flights = begin(admission)
    const sizes = [flights.length]
    for (const succeeds of [true, true, true, false]) {
      const [ended, ...rest] = flights
      if (ended !== undefined) admission.end(ended, succeeds, 0)
      flights = [...rest, ...begin(admission)]
      sizes.push(flights.length)
    }
    expect(sizes).toEqual([4, 4, 5, 6, 5])
    for (const flight of flights.slice(2)) admission.abandon(flight)
    expect(begin(admission)).toEqual([])
    admission.abandon(flights[0] as Flight<string>)
    expect(begin(admission)).toHaveLength(1)
  })

  it('are two while one takes long, also of those that did well', () => {
    const admission = make()
    for (let round = 0; round < 3; round++) attempt(admission, 'one')
    addMany(admission, 'one', 2)
    const [hanging] = begin(admission)
    addMany(admission, 'one', 3)
    expect(begin(admission, slowMs)).toEqual([])
    admission.abandon(hanging as Flight<string>)
    expect(begin(admission, slowMs)).toHaveLength(1)
  })

  it('each kind has its turn, and in each kind each subscription', () => {
    const admission = make()
    for (const key of ['good', 'fine']) attempt(admission, key)
    for (const key of ['good', 'fine']) addMany(admission, key, 2)
    addMany(admission, 'new', 2)
    addMany(admission, 'bad', 2, failing)
    expect(itemsOf(begin(admission))).toEqual(['good0', 'bad0', 'new0', 'fine0', 'bad1', 'new1', 'good1', 'fine1'])
  })

  it('one with nothing left takes no turn of the others', () => {
    const admission = make()
    addMany(admission, 'a', 1)
    addMany(admission, 'b', 3)
    expect(itemsOf(begin(admission))).toEqual(['a0', 'b0', 'b1', 'b2'])
    for (const key of ['c', 'd']) addMany(admission, key, 1)
    expect(admission.takeBack('c')).toEqual(['c0'])
    expect(admission.takeBack('nobody')).toEqual([])
    expect(itemsOf(begin(admission))).toEqual(['d0'])
  })
})

describe('room', () => {
  it('is for 64 of one not known yet, for 512 of one that does well, for 4 of a doubtful one', () => {
    const admission = make()
    attempt(admission, 'good')
    attempt(admission, 'bad', { succeeds: false })
    expect(['new', 'good', 'bad'].map((key) => admission.room(key, 0))).toEqual([64, 512, 4])
    addMany(admission, 'bad', 5)
    expect(admission.room('bad', 0)).toBe(0)
  })

  it('is for 8,192 in all', () => {
    const admission = make()
    for (const key of keysOf(128, 'k')) addMany(admission, key, 64)
    expect([admission.roomInAll(), admission.room('new', 0)]).toEqual([0, 0])
    admission.add('k0', 'promised before', { promised: true, failing: false })
    expect(admission.roomInAll()).toBe(0)
    admission.takeBack('k0')
    expect([admission.roomInAll(), admission.room('new', 0)]).toEqual([64, 64])
    addMany(admission, 'k0', 54)
    expect(admission.room('new', 0)).toBe(10)
  })

  it('is kept for what was promised, for a minute after the last promise', () => {
    const admission = make()
    expect([admission.promise('one', 100_000), admission.promise('one', 150_000)]).toEqual([true, true])
    expect(['one', 'one'].map((key, index) => admission.room(key, 210_000 + index))).toEqual([62, 64])
    admission.add('one', 'late', { promised: true, failing: false })
    expect(admission.room('one', 210_002)).toBe(63)
  })

  it('is not given twice by what comes without a promise', () => {
    const admission = make()
    admission.add('one', 'one', { promised: true, failing: false })
    expect(admission.room('one', 0)).toBe(63)
  })

  it('that was promised is taken by what was promised, and by nothing else', () => {
    const admission = make()
    for (let count = 0; count < 2; count++) admission.promise('one', 0)
    admission.add('one', 'another', usual)
    expect(admission.room('one', 0)).toBe(61)
    for (const item of ['first', 'second']) admission.add('one', item, { promised: true, failing: false })
    expect(admission.room('one', 0)).toBe(61)
  })
})

describe('a doubt', () => {
  const roomAfter = (options: { atMs: number; tookMs: number }): number => {
    const admission = make()
    attempt(admission, 'one', options)
    return admission.room('one', options.atMs + options.tookMs)
  }

  it('comes of an attempt of two seconds, whatever it ends with', () => {
    expect(roomAfter({ atMs: 10_000, tookMs: slowMs - 1 })).toBe(512)
    expect(roomAfter({ atMs: 10_000, tookMs: slowMs })).toBe(4)
  })

  it('is there before such an attempt ends, and goes with it where it says nothing', () => {
    const admission = make()
    admission.add('one', 'one', usual)
    const [flight] = begin(admission, 10_000)
    const rooms = [slowMs - 1, slowMs, slowMs + 1].map((afterMs) => admission.room('one', 10_000 + afterMs))
    expect(rooms).toEqual([64, 4, 4])
    admission.abandon(flight as Flight<string>)
    expect(admission.room('one', 20_000)).toBe(64)
  })

  it('does not come of an attempt that was given up before, and comes of the next one all the same', () => {
    const admission = make()
    addMany(admission, 'one', 2)
    const [first] = begin(admission)
    admission.abandon(first as Flight<string>)
    expect(admission.room('one', slowMs - 1)).toBe(64)
    expect(admission.room('one', slowMs)).toBe(4)
    const other = make()
    other.add('one', 'one', usual)
    for (const flight of begin(other)) other.abandon(flight)
    expect(other.room('one', slowMs)).toBe(64)
  })

  it('does not come to one that did well in this process because it failed in another', () => {
    const admission = make()
    attempt(admission, 'good')
    admission.add('good', 'good', failing)
    expect(admission.room('good', 0)).toBe(511)
  })
})

describe('it is worth looking for more', () => {
  it('of one that is known and not doubtful, of which half of what may wait does not', () => {
    const admission = make()
    expect(admission.isHungry('nobody')).toBe(false)
    addMany(admission, 'one', 32)
    expect(admission.isHungry('one')).toBe(true)
    addMany(admission, 'one', 1)
    expect(admission.isHungry('one')).toBe(false)
    admission.add('bad', 'bad', failing)
    expect(admission.isHungry('bad')).toBe(false)
  })

  it('while half of all that may wait does not', () => {
    const admission = make()
    for (const key of keysOf(64, 'k')) addMany(admission, key, 64)
    admission.takeBack('k0')
    addMany(admission, 'k1', 63)
    addMany(admission, 'one', 1)
    expect([admission.waiting, admission.isHungry('one')]).toEqual([4_096, true])
    addMany(admission, 'k2', 1)
    expect(admission.isHungry('one')).toBe(false)
  })

  it('not of one of which another attempt has come to hang when one ends', () => {
    const admission = make()
    addMany(admission, 'one', 2)
    const [hanging] = begin(admission)
    addMany(admission, 'one', 1)
    const later = admission.next(1_500)
    expect(hanging?.item).toBe('one0')
    admission.end(later as Flight<string>, true, slowMs)
    expect(admission.isHungry('one')).toBe(false)
  })
})

describe('ten thousand subscriptions are remembered', () => {
  const remembered = 10_000

  /** Doubtful ones, so that it shows when one is forgotten: then there is room for 64. */
  function filled(): Admission<string> {
    const admission = make()
    for (const key of keysOf(remembered, 'k')) attempt(admission, key, { succeeds: false })
    return admission
  }

  it('and those that are used again cost none of them its place', () => {
    const admission = filled()
    attempt(admission, 'k5', { succeeds: false })
    expect(admission.room('k0', 0)).toBe(4)
  })

  it('and then the one that was used longest ago is not', () => {
    const admission = filled()
    expect(['k0', 'k1'].map((key) => admission.room(key, 0))).toEqual([4, 4])
    attempt(admission, 'k0', { succeeds: false })
    expect(['k0', 'k1'].map((key) => admission.room(key, 0))).toEqual([4, 4])
    attempt(admission, 'more')
    expect(['k0', 'k1', 'k2'].map((key) => admission.room(key, 0))).toEqual([4, 64, 4])
  })

  it('and those of which something is promised or under way always are', () => {
    const admission = filled()
    admission.add('k1', 'under way', usual)
    expect(begin(admission)).toHaveLength(1)
    admission.promise('k2', 0)
    for (const key of keysOf(remembered, 'other')) attempt(admission, key)
    expect(['k0', 'k1', 'k2'].map((key) => admission.room(key, 0))).toEqual([64, 4, 3])
  })
})
