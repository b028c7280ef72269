// The loops of a worker process.

import type { Deposits } from '#deposits/service.ts'
import type { Mail } from '#mail/send.ts'
import type { Payments } from '#payments/service.ts'
import type { Payouts } from '#payouts/service.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Retain } from '#privacy/retain.ts'
import type { Notices } from '#rail-notices/service.ts'
import type { Reconciliation } from '#reconciliation/service.ts'
import type { WriteAlertLetters } from '#reporting/alerts.ts'
import type { Follow } from '#reporting/search-index.ts'
import type { Accounts } from '#virtual-accounts/service.ts'
import type { DeliveryService } from '#webhooks/delivery/service.ts'
import { briefMessage, Unavailable } from '#platform/errors.ts'

/**
 * How often a loop looks for due rows and for rows whose lease has ended. Some loops have the longer intervals below.
 */
const everyMs = 1_000
/** Each pending deposit is polled once an hour, so this loop need not be quick. */
const pendingEveryMs = 30_000
const alarmsEveryMs = 60_000
const pruneLettersEveryMs = 60_000
const alertLettersEveryMs = 60_000
/** Each turn of the search index reads the database even if nothing is new, and no user searches within a second. */
const searchEveryMs = 2_000

type WorkerModules = {
  payments: Payments
  payouts: Pick<Payouts, 'work' | 'runSchedules' | 'verifyRecipients'>
  accounts: Accounts
  deposits: Deposits
  deliveries: DeliveryService
  notices: Notices
  retain: Retain
  follow: Follow
  reconciliation: Pick<Reconciliation, 'work'>
  mail: Pick<Mail, 'work'> | undefined
  writeAlertLetters: WriteAlertLetters
  pruneLetters: () => Promise<number>
  answerResets: () => Promise<number>
}

export function createLoops(
  modules: WorkerModules,
  laneNumbers: () => Promise<number[]>,
  log: Log,
): Omit<Loop, 'wake'> {
  const { payments, payouts, accounts, deposits, deliveries, notices, retain, reconciliation, follow } = modules
  const senders: Loop[] = []
  const others: Loop[] = []
  const lanes = new Set<number>()

  function workOn(lane: number): void {
    const begin = (into: Loop[], name: string, turn: () => Promise<number>, pauseMs = everyMs): void => {
      into.push(createLoop({ name: `${name} ${lane}`, everyMs: pauseMs, log, turn }))
      into.at(-1)?.start()
    }
    lanes.add(lane)
    begin(senders, 'webhooks', async () => ((await deliveries.work(lane)).more ? 1 : 0))
    begin(others, 'payments', () => payments.work(lane))
    begin(others, 'payout drafts', () => payouts.work(lane))
    begin(others, 'payout schedules', () => payouts.runSchedules(lane))
    begin(others, 'recipients', () => payouts.verifyRecipients(lane))
    begin(others, 'payment alarms', () => payments.raiseAlarms(lane), alarmsEveryMs)
    begin(others, 'virtual accounts', () => accounts.expire(lane))
    // Separate from the expiry of accounts, so that a rail that does not answer cannot delay the expiry.
    begin(others, 'account openings', () => accounts.releaseNumbers(lane))
    begin(others, 'pending deposits', () => deposits.poll(lane), pendingEveryMs)
    begin(others, 'refunds', () => deposits.sendBack(lane))
    begin(others, 'webhook log', () => deliveries.prune(lane))
    begin(others, 'alert letters', () => modules.writeAlertLetters(lane), alertLettersEveryMs)
    begin(others, 'retention', () => retain(lane))
    // Resolves with 0, so that the next turn always begins after the pause.
    begin(others, 'finder', () => follow(lane).then(() => 0), searchEveryMs)
  }

  deliveries.onWake(() => senders.forEach((loop) => loop.wake()))
  const laneLoop = createLoop({
    name: 'lanes',
    everyMs,
    log,
    async turn() {
      for (const lane of await laneNumbers()) if (!lanes.has(lane)) workOn(lane)
      return 0
    },
  })
  // Notices have no lane, because their business is unknown until they are processed.
  const noticeLoop = createLoop({ name: 'rail notices', everyMs, log, turn: notices.work })
  const noticeLogLoop = createLoop({ name: 'rail notice log', everyMs, log, turn: notices.prune })
  const reconciling = createLoop({ name: 'reconciliation', everyMs, log, turn: reconciliation.work })
  const shared = [noticeLoop, noticeLogLoop, reconciling, ...createMailLoops(modules, log)]
  notices.onWake(() => noticeLoop.wake())
  return {
    start() {
      for (const loop of [laneLoop, ...shared]) loop.start()
    },
    async stop() {
      await laneLoop.stop()
      await Promise.all([...senders, ...others, ...shared].map((loop) => loop.stop()))
    },
  }
}

/** E-mails to people have no lane, because people belong to no tenant. */
function createMailLoops({ mail, pruneLetters, answerResets }: WorkerModules, log: Log): Loop[] {
  return [
    ...(mail === undefined ? [] : [createLoop({ name: 'mail', everyMs, log, turn: mail.work })]),
    createLoop({ name: 'mail log', everyMs: pruneLettersEveryMs, log, turn: pruneLetters }),
    createLoop({ name: 'password resets', everyMs, log, turn: answerResets }),
  ]
}

// A loop looks for due rows at an interval. The process also wakes the loop of rail notices, when a notice is stored,
// and the loops that send webhooks, when a business requests a retry or when the scheduler can take deliveries again.

export type Loop = {
  start(): void
  wake(): void
  stop(): Promise<void>
}

type LoopOptions = {
  name: string
  everyMs: number
  /** Does a limited amount of due work and resolves with that amount. It is called again at once if that is not 0. */
  turn: () => Promise<number>
  log: Log
}

/** The pause after a failed turn, because the database may be restarting. */
const pauseAfterFailureMs = 1_000
/** A lasting outage is logged once, and then about every five minutes. */
const logAgainMs = 300_000

export function createLoop({ name, everyMs: idleMs, turn, log }: LoopOptions): Loop {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = true
  let wanted = false
  let failures = 0
  const retryMs = Math.max(idleMs, pauseAfterFailureMs)
  const logAgainAfterFailures = Math.ceil(logAgainMs / retryMs)

  /** Does turns until nothing is due or the loop is stopped; resolves with the pause that follows. */
  async function run(): Promise<number> {
    try {
      do wanted = false
      while ((await turn()) > 0 && !stopped)
      if (failures > 0) log.info({ loop: name, failures }, 'loop recovered')
      failures = 0
      return idleMs
    } catch (error) {
      if (failures % logAgainAfterFailures === 0) logFailure(error)
      failures += 1
      return retryMs
    }
  }

  /** An error other than an unavailable database is a bug, so its stack is logged. */
  function logFailure(error: unknown): void {
    const what = error instanceof Unavailable ? { error: briefMessage(error) } : { err: error }
    const again = failures === 0 ? {} : { failures }
    log.warn({ loop: name, ...what, ...again, retryMs }, 'loop failed; it retries after retryMs')
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
