// The service waits with setTimeout, which knows nothing of clocks. Here the timers that its own code sets follow the
// world's time, so that a loop's second and a hand's minute pass when the world's do; those of its libraries stay real.
// They also know whose they are: an instance that stalls hears nothing until it goes on, one that is dead nothing more.

import { AsyncLocalStorage } from 'node:async_hooks'
import path from 'node:path'
import { clearRealTimeout, setRealTimeout, type Alarm, type WorldTime } from './clocks.ts'

/** One instance, as far as time is concerned. */
export type Pulse = {
  readonly time: WorldTime
  state(): 'awake' | 'stalled' | 'dead'
  stall(): void
  goOn(): void
  die(): void
  /** Resolves at once when it is awake, later when it stalls, and never when it is dead. */
  awake(): Promise<void>
  /** Whatever this starts belongs to it. */
  run<T>(work: () => T): T
}

const running = new AsyncLocalStorage<Owner>()

type Owner = { time: WorldTime; whenAwake(act: () => void): void }

export function createPulse(time: WorldTime): Pulse {
  let state: 'awake' | 'stalled' | 'dead' = 'awake'
  let held: (() => void)[] = []
  const whenAwake = (act: () => void): void => {
    if (state === 'awake') act()
    else if (state === 'stalled') held.push(act)
  }
  const owner: Owner = { time, whenAwake }
  return {
    time,
    state: () => state,
    stall: () => void (state === 'awake' && (state = 'stalled')),
    goOn() {
      if (state !== 'stalled') return
      state = 'awake'
      const acts = held
      held = []
      for (const act of acts) act()
    },
    die() {
      state = 'dead'
      held = []
    },
    awake: () => new Promise((resolve) => whenAwake(resolve)),
    run: (work) => running.run(owner, work),
  }
}

const alarms = new WeakMap<object, Alarm>()
const serviceFolder = path.resolve(import.meta.dirname, '../src')

/** Once a process. */
export function followTheWorld(): void {
  const setFollowing = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
    const owner = running.getStore()
    if (owner === undefined || !isCalledByService(setFollowing)) return setRealTimeout(callback, ms, ...args)
    const inContext = AsyncLocalStorage.snapshot()
    // The value that the service holds; it never rings by itself.
    const handle = setRealTimeout(() => undefined, 0)
    clearRealTimeout(handle)
    alarms.set(
      handle,
      owner.time.after(ms, () => owner.whenAwake(() => inContext(callback, ...args))),
    )
    return handle
  }
  globalThis.setTimeout = Object.assign(setFollowing, setRealTimeout)
  globalThis.clearTimeout = (handle) => {
    if (typeof handle === 'object') alarms.get(handle)?.cancel()
    clearRealTimeout(handle)
  }
}

function isCalledByService(below: (...args: never[]) => unknown): boolean {
  const place: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  Error.captureStackTrace(place, below)
  Error.stackTraceLimit = limit
  return place.stack?.includes(serviceFolder) === true
}
