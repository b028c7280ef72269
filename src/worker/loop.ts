// The back door: looks for rows that are due, again and again, every so often. The loops that send webhooks are also woken
// by their process: when a business asks for a retry, and when there is room again for what had been left behind.

import { brief, Unavailable } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'

export type Loop = {
  start(): void
  /** Looks at once instead of at the next turn. */
  wake(): void
  /** Resolves when the turn under way is over. */
  stop(): Promise<void>
}

export type LoopOptions = {
  name: string
  everyMs: number
  /** Does what is due, a limited amount at a time; resolves with how much that was. More than nothing: it is called again. */
  turn: () => Promise<number>
  log: Log
}

/** After a failed turn: the database may be restarting. */
const pauseAfterFailureMs = 1_000
/** A database that stays away is told of once, and then every five minutes or so. */
const toldAgainAfterFailures = 300

export function createLoop({ name, everyMs, turn, log }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = true
  let wanted = false
  let failures = 0

  /** Does all that is due; resolves with how long to pause. */
  async function run(): Promise<number> {
    try {
      do wanted = false
      while ((await turn()) > 0 && !stopped)
      if (failures > 0) log.info({ loop: name, failures }, 'a loop works again')
      failures = 0
      return everyMs
    } catch (error) {
      if (failures % toldAgainAfterFailures === 0) tell(error)
      failures += 1
      return Math.max(everyMs, pauseAfterFailureMs)
    }
  }

  /** Whatever is not the database's absence is a bug, and wants its stack. */
  function tell(error: unknown): void {
    const what = error instanceof Unavailable ? { error: brief(error) } : { err: error }
    const again = failures === 0 ? {} : { failures }
    log.warn({ loop: name, ...what, ...again }, 'a loop could not do its turn; it tries again every second')
  }

  async function runAndSchedule(): Promise<void> {
    const pauseMs = await run()
    running = undefined
    if (!stopped) schedule(wanted ? 0 : pauseMs)
  }

  function schedule(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running ??= runAndSchedule()
    }, ms)
  }

  return {
    start() {
      stopped = false
      schedule(0)
    },
    wake() {
      wanted = true
      if (running === undefined && !stopped) schedule(0)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
