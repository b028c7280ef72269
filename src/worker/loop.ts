// A loop looks for due rows at an interval. The process also wakes the loops that send webhooks: when a business requests a
// retry, and when the scheduler can take deliveries again.

import { briefMessage, Unavailable } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'

export type Loop = {
  start(): void
  /** Begins a turn at once. */
  wake(): void
  /** Resolves when the current turn has ended. */
  stop(): Promise<void>
}

export type LoopOptions = {
  name: string
  everyMs: number
  /** Does a limited amount of due work and resolves with that amount. It is called again at once if that is not 0. */
  turn: () => Promise<number>
  log: Log
}

/** The pause after a failed turn, because the database may be restarting. */
const pauseAfterFailureMs = 1_000
/** A lasting outage is logged once, and then about every five minutes. */
const logAgainAfterFailures = 300

export function createLoop({ name, everyMs, turn, log }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = true
  let wanted = false
  let failures = 0

  /** Does all due work; resolves with the pause that follows. */
  async function run(): Promise<number> {
    try {
      do wanted = false
      while ((await turn()) > 0 && !stopped)
      if (failures > 0) log.info({ loop: name, failures }, 'loop recovered')
      failures = 0
      return everyMs
    } catch (error) {
      if (failures % logAgainAfterFailures === 0) logFailure(error)
      failures += 1
      return Math.max(everyMs, pauseAfterFailureMs)
    }
  }

  /** An error other than an unavailable database is a bug, so its stack is logged. */
  function logFailure(error: unknown): void {
    const what = error instanceof Unavailable ? { error: briefMessage(error) } : { err: error }
    const again = failures === 0 ? {} : { failures }
    log.warn({ loop: name, ...what, ...again }, 'loop failed; it retries every second')
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
