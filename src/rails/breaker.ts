// A breaker for one port of one rail: it opens when the machine behind it fails, not when it refuses, and closes when one
// call that moves no money has come back. Pure but for its clock; in the memory of one process.

import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'

export type BreakerState = 'closed' | 'half-open' | 'open'

/** `word`: the provider answered, whatever it said. `unreached`: nothing left. `misconfigured`: it refuses us as such. */
export type Experience = 'word' | 'fault' | 'unreached' | 'misconfigured'

export type Breaker = {
  state(): BreakerState
  note(experience: Experience): void
  /** A person says that what was wrong with us is put right: it is closed, as if nothing had been. */
  reset(): void
}

const windowMs = minuteMs
const callsMin = 20
const faultShare = 0.5
const unreachedInRowMax = 5
const restMsFirst = 30_000
const restMsMost = 10 * minuteMs

type Noted = { atMs: number; isFault: boolean }

export function createBreaker(clock: Clock): Breaker {
  let noted: Noted[] = []
  let unreachedInRow = 0
  let restMs = restMsFirst
  let openUntilMs: number | undefined

  function open(): void {
    if (openUntilMs !== undefined) restMs = Math.min(2 * restMs, restMsMost)
    openUntilMs = clock.now() + restMs
    noted = []
    unreachedInRow = 0
  }

  function state(): BreakerState {
    if (openUntilMs === undefined) return 'closed'
    return clock.now() < openUntilMs ? 'open' : 'half-open'
  }

  function isTooMuch(): boolean {
    if (unreachedInRow >= unreachedInRowMax) return true
    const faults = noted.filter(({ isFault }) => isFault).length
    return noted.length >= callsMin && faults >= noted.length * faultShare
  }

  return {
    state,
    note(experience) {
      const nowMs = clock.now()
      const isFault = experience !== 'word'
      const before = state()
      if (before === 'half-open') {
        if (isFault) return open()
        ;[openUntilMs, restMs] = [undefined, restMsFirst]
      }
      // Whatever was under way when it opened says nothing new.
      if (before === 'open') return
      if (experience === 'misconfigured') return open()
      noted = [...noted.filter(({ atMs }) => atMs > nowMs - windowMs), { atMs: nowMs, isFault }]
      unreachedInRow = experience === 'unreached' ? unreachedInRow + 1 : 0
      if (isTooMuch()) open()
    },
    reset() {
      ;[noted, unreachedInRow, openUntilMs, restMs] = [[], 0, undefined, restMsFirst]
    },
  }
}
