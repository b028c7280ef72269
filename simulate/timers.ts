// The service waits with setTimeout, which knows nothing of a world's clock. This file makes the timers of the
// service's own code follow the world's time, so that the loops run when the world's time passes; timers of libraries
// stay real. Each timer belongs to an instance: an instance that stalls gets its timers when it goes on, and a dead one
// never.

import { AsyncLocalStorage } from 'node:async_hooks'
import path from 'node:path'
import { clearRealTimeout, setRealTimeout, type Alarm, type WorldTime } from './clocks.ts'

/** The timers of one instance. */
export type Pulse = {
  readonly time: WorldTime
  state(): 'awake' | 'stalled' | 'dead'
  stall(): void
  goOn(): void
  die(): void
  /** Resolves at once if the instance is awake, later if it stalls, and never if it is dead. */
  awake(): Promise<void>
  /** Every timer that `work` starts belongs to this instance. */
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
/** The timers of rails hold calls until a provider's limit allows them. */
const railsFolder = path.join(serviceFolder, 'rails')

/** Replaces the timers of this process. Call it once. */
export function followTheWorld(): void {
  const setFollowing = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
    const owner = running.getStore()
    const caller = owner === undefined ? '' : callerOf(setFollowing)
    if (owner === undefined || !caller.includes(serviceFolder)) return setRealTimeout(callback, ms, ...args)
    const inContext = AsyncLocalStorage.snapshot()
    // The handle that the service holds. It never rings by itself.
    const handle = setRealTimeout(() => undefined, 0)
    clearRealTimeout(handle)
    alarms.set(
      handle,
      owner.time.after(
        ms,
        () => owner.whenAwake(() => inContext(callback, ...args)),
        caller.includes(railsFolder) ? 'a call' : undefined,
      ),
    )
    return handle
  }
  globalThis.setTimeout = Object.assign(setFollowing, setRealTimeout)
  globalThis.clearTimeout = (handle) => {
    if (typeof handle === 'object') alarms.get(handle)?.cancel()
    clearRealTimeout(handle)
  }
}

function callerOf(below: (...args: never[]) => unknown): string {
  const place: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  Error.captureStackTrace(place, below)
  Error.stackTraceLimit = limit
  return place.stack ?? ''
}
