// When a breaker opens, how long it stays open, and what closes it.

import { beforeEach, describe, expect, it } from 'vitest'
import { createBreaker, type Breaker, type Experience } from '#rails/breaker.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'

let clock: FakeClock
let breaker: Breaker

beforeEach(() => {
  clock = createFakeClock()
  breaker = createBreaker(clock)
})

const answered: Experience = { kind: 'answered' }
const fault: Experience = { kind: 'fault', detail: 'no answer' }
const unreached: Experience = { kind: 'unreached', detail: 'no connection' }
const misconfigured: Experience = { kind: 'misconfigured', detail: 'refused us with 401' }
const refusedFor = (payee: string): Experience => ({ kind: 'refused', detail: 'refused with 400 odd', payee })
const submit = (...experiences: Experience[]) => experiences.forEach((one) => breaker.noteSubmission(one))
const times = (count: number, experience: Experience) => Array.from({ length: count }, () => experience)
const payees = (...names: string[]) => names.map(refusedFor)
const rest = (seconds = 30) => clock.advance(seconds * 1_000)

describe('a machine that fails', () => {
  it('opens it when half of at least twenty calls within a minute fail, and not for answers', () => {
    submit(...times(10, answered), ...times(9, fault))
    expect(breaker.state()).toBe('closed')
    submit(fault)
    expect(breaker.opening()).toEqual({ cause: 'failing', detail: 'no answer', sinceMs: clock.now() })
  })

  it('opens it also behind a hundred thousand calls of the same minute, each of which takes the same time', () => {
    for (let call = 0; call < 100_000; call++) {
      breaker.noteSubmission(answered)
      if (call % 2_000 === 0) clock.advance(1_000)
    }
    submit(...times(99_999, fault))
    expect(breaker.state()).toBe('closed')
    submit(fault)
    expect(breaker.state()).toBe('open')
  })

  it('is forgotten after a minute', () => {
    submit(...times(19, fault))
    clock.advance(60_001)
    submit(fault)
    expect(breaker.state()).toBe('closed')
  })

  it('opens it when five connections in a row were not made, and questions count', () => {
    submit(...times(4, unreached))
    expect(breaker.state()).toBe('closed')
    breaker.noteStatusQuery(unreached, 0)
    expect(breaker.state()).toBe('open')
  })

  it('rests for twice as long each time that a call fails, and no longer after it was closed', () => {
    submit(...times(5, unreached))
    const sinceMs = clock.now()
    clock.advance(29_999)
    expect([breaker.state(), breaker.wantsProbe()]).toEqual(['open', false])
    clock.advance(1)
    expect([breaker.state(), breaker.wantsProbe(), breaker.isWell()]).toEqual(['half-open', true, false])
    breaker.noteProbe(fault)
    clock.advance(59_999)
    expect([breaker.state(), breaker.opening()?.sinceMs]).toEqual(['open', sinceMs])
    clock.advance(1)
    breaker.noteProbe(answered)
    expect([breaker.state(), breaker.opening(), breaker.isWell()]).toEqual(['closed', undefined, true])
    submit(misconfigured)
    rest()
    expect(breaker.state()).toBe('half-open')
  })

  it('rests as long, and forgets as soon, after the database clock was set back by an hour', () => {
    submit(...times(19, fault))
    clock.set(-3_600_000)
    clock.advance(60_001)
    submit(fault)
    expect(breaker.state()).toBe('closed')
    submit(...times(5, unreached))
    clock.set(-3_600_000)
    rest()
    expect([breaker.state(), breaker.wantsProbe()]).toEqual(['half-open', true])
    expect(breaker.opening()?.sinceMs).toBe(clock.now() + 3_600_000 - 30_000)
  })

  it('is well again when it answers a question about a payment', () => {
    submit(...times(5, unreached))
    breaker.noteStatusQuery(answered, 0)
    expect(breaker.state()).toBe('open')
    rest()
    breaker.noteStatusQuery(answered, 0)
    expect(breaker.state()).toBe('closed')
  })
})

describe('a provider that refuses payments in words of no list', () => {
  it('opens it with five payees in a row, and is called misconfigured', () => {
    submit(...payees('a', 'b', 'c', 'd'))
    expect(breaker.state()).toBe('closed')
    submit(refusedFor('e'))
    expect(breaker.opening()).toMatchObject({
      cause: 'misconfigured',
      detail: '5 payees in a row were refused: refused with 400 odd',
    })
  })

  it('does not with one payee, however often, nor when it accepted or rejected one in between', () => {
    submit(...times(50, refusedFor('a')), ...payees('b', 'c', 'd'), answered, ...payees('e', 'f', 'g', 'h'))
    expect(breaker.state()).toBe('closed')
    submit(refusedFor('i'))
    expect(breaker.state()).toBe('open')
  })

  it('does although it tells of older payments meanwhile', () => {
    submit(...payees('a', 'b', 'c'))
    breaker.noteStatusQuery(answered, 0)
    submit(...payees('d', 'e'))
    expect(breaker.state()).toBe('open')
  })
})

describe('a provider that refuses us', () => {
  beforeEach(() => submit(misconfigured))

  it('opens it at once, and says why', () => {
    expect(breaker.opening()).toMatchObject({ cause: 'misconfigured', detail: 'refused us with 401' })
    expect(breaker.admits(1_000)).toBe(false)
  })

  it('gets one payment at a time when its balance can be read again, until one is accepted', () => {
    rest()
    expect(breaker.admits(1_000)).toBe(false)
    breaker.noteProbe(answered)
    expect([breaker.state(), breaker.wantsProbe(), breaker.isWell()]).toEqual(['half-open', false, true])
    expect([breaker.admits(1_000), breaker.admits(1_000), breaker.isWell()]).toEqual([true, false, false])
    submit(answered)
    expect([breaker.state(), breaker.admits(1_000), breaker.admits(1_000)]).toEqual(['closed', true, true])
  })

  it.each<[string, Experience]>([
    ['refuses us', misconfigured],
    ['refuses it in words of no list', refusedFor('a')],
    ['does not answer', fault],
  ])('rests for longer when it %s again', (_which, experience) => {
    const { sinceMs } = breaker.opening() ?? {}
    rest()
    breaker.noteProbe(answered)
    breaker.admits(1_000)
    submit(experience)
    expect(breaker.opening()).toMatchObject({ cause: 'misconfigured', sinceMs })
    rest()
    expect(breaker.state()).toBe('open')
    rest()
    expect(breaker.state()).toBe('half-open')
  })

  it('gets the next payment when the outcome of the trial payment is unknown', () => {
    rest()
    breaker.noteProbe(answered)
    expect(breaker.admits(1_000)).toBe(true)
    clock.advance(999)
    expect(breaker.admits(1_000)).toBe(false)
    clock.advance(1)
    expect(breaker.admits(1_000)).toBe(true)
  })

  it('is not well because it answers a question', () => {
    rest()
    breaker.noteStatusQuery(answered, 0)
    expect(breaker.state()).toBe('half-open')
  })

  it('is handed payments when a person says so, whatever it says of payments from before', () => {
    const submittedAtMs = clock.now()
    clock.advance(1)
    breaker.reset()
    breaker.noteStatusQuery(misconfigured, submittedAtMs)
    expect(breaker.state()).toBe('closed')
    clock.advance(1)
    breaker.noteStatusQuery(misconfigured, clock.now())
    expect(breaker.state()).toBe('open')
  })
})
