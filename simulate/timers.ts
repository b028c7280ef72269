// Makes the timers of the service's own code follow world time, so that its loops run when world time jumps. Timers of libraries
// stay real. Each timer belongs to an instance: the timers of a stalled instance ring when it goes on, those of a dead one
// never.

import { AsyncLocalStorage } from 'node:async_hooks'
import path from 'node:path'
import { clearRealTimeout, setRealTimeout, type Alarm, type WorldTime } from './clocks.ts'

/** The timers of one instance, and whether it is awake, stalled or dead. */
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
/** A timer of this folder delays a call to a provider until the provider's rate limit allows it. */
const railsFolder = path.join(serviceFolder, 'rails')

/** Replaces the timers of this process. Call it once. */
export function followTheWorld(): void {
  const setFollowing = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
    const owner = running.getStore()
    const caller = owner === undefined ? '' : callerOf(setFollowing)
    if (owner === undefined || !caller.includes(serviceFolder)) return setRealTimeout(callback, ms, ...args)
    const inContext = AsyncLocalStorage.snapshot()
    // A handle that the service can pass to clearTimeout. Its own timer is cancelled at once, because the alarm
    // replaces it.
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
