// Sends letters: claims due ones, hands them to the mail server, and records the outcome. If a process dies between
// sending and recording, the lease ends and another process sends the letter again, so a letter may arrive twice.

import { finishesWithin } from '#platform/concurrency.ts'
import type { Context } from '#platform/context.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '#platform/durations.ts'
import { briefMessage } from '#platform/errors.ts'
import { refreshAtScrape } from '#platform/observability/metrics.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { type LetterFacts, renderLetter, textOf } from './letter.ts'
import {
  claimLetters,
  deleteForgottenLetters,
  deleteLetters,
  endLetter,
  findWaiting,
  postponeLetter,
  type ClaimedLetter,
} from './queries.ts'
import { sealContext } from './queue.ts'
import { connectionsMax, sendMsMax, type MailTransport, type SendOutcome } from './transport.ts'

export type Mail = {
  /** Sends some due letters; resolves with how many were claimed. */
  work(): Promise<number>
  checkServer(): Promise<void>
  release(): Promise<void>
}

type MailOptions = { ctx: Context; box: SecretBox; transport: MailTransport; dashboardUrl: string }

/**
 * Twice the number of connections to the mail server. Few, because the next claim begins only when the slowest letter
 * of the previous claim has ended.
 */
const claimedMax = 2 * connectionsMax
/** Two rounds of letters, each with its whole time limit, and some time to record them. */
const leaseMs = 2 * sendMsMax + minuteMs
/** Waits after temporary refusals of one letter; after the last one, it is tried once an hour. */
const retryMs = [30 * secondMs, 2 * minuteMs, 5 * minuteMs, 15 * minuteMs, 30 * minuteMs]
/** Waits while the server accepts no letter. */
const pauseMsMin = 2 * secondMs
const pauseMsMax = minuteMs
/** For how many days a letter is stored after it was sent or given up. */
const keptDays = 30
/** How long a stop waits for letters that are being sent. */
const releaseMsMax = 20 * secondMs
const prunedAtOnce = 500

export function createMail(options: MailOptions): Mail {
  const { ctx, transport } = options
  const { log, clock } = ctx
  const server = watchServer(ctx)
  let sending = Promise.resolve()
  exportWaiting(ctx)

  /** Never rejects: a letter that was not sent, or whose outcome was not recorded, is due again when its lease ends. */
  async function take(letter: ClaimedLetter): Promise<void> {
    await sendLetter(options, server, letter).catch((error: unknown) =>
      log.warn(
        { letter: letter.id, error: briefMessage(error) },
        'an e-mail was not sent or its outcome not recorded; it is tried again',
      ),
    )
  }

  async function sendAll(letters: ClaimedLetter[]): Promise<void> {
    const left = [...letters]
    const next = async (): Promise<void> => {
      for (let letter = left.shift(); letter !== undefined; letter = left.shift()) await take(letter)
    }
    await Promise.all(Array.from({ length: connectionsMax }, next))
  }

  return {
    async work() {
      if (server.isPaused()) return 0
      const nowMs = clock.now()
      const leaseEnd = new Date(nowMs + leaseMs)
      const letters = await claimLetters(ctx.db, { now: new Date(nowMs), leaseEnd, limit: claimedMax })
      sending = sendAll(letters)
      await sending
      return letters.length
    },
    async checkServer() {
      const wrong = await transport.check()
      if (wrong !== undefined) log.warn({ why: wrong }, 'the mail server does not accept this service; check SMTP_URL')
    },
    async release() {
      await finishesWithin(releaseMsMax, sending)
      transport.close()
    },
  }
}

type ServerWatch = {
  isPaused(): boolean
  /** Called when the server accepts nothing. Returns for how long this process sends nothing. */
  pause(why: string): number
  resume(): void
  pauseMs(): number
}

/** While the mail server accepts nothing, all letters wait, so that no letter uses up its attempts. */
function watchServer({ clock, log }: Context): ServerWatch {
  let pauseMs = 0
  let untilMs = -Infinity
  return {
    isPaused: () => clock.monotonicMs() < untilMs,
    pause(why) {
      if (pauseMs === 0) log.warn({ why }, 'the mail server accepts no e-mails; they are retried for a day')
      pauseMs = Math.min(pauseMsMax, Math.max(pauseMsMin, 2 * pauseMs))
      untilMs = clock.monotonicMs() + pauseMs
      return pauseMs
    },
    resume() {
      if (pauseMs > 0) log.info('the mail server accepts e-mails again')
      pauseMs = 0
    },
    pauseMs: () => pauseMs,
  }
}

async function sendLetter(options: MailOptions, server: ServerWatch, letter: ClaimedLetter): Promise<void> {
  const { ctx } = options
  if (ctx.clock.now() >= letter.expiresAt.getTime()) return giveUp(ctx, letter, 'it is too old')
  if (server.isPaused()) return giveBack(ctx, letter, server.pauseMs(), null)
  const outcome = await hand(options, letter)
  ctx.metrics.mails.inc({ outcome: outcome.kind })
  if (outcome.kind === 'unreachable') return giveBack(ctx, letter, server.pause(outcome.why), outcome.why)
  server.resume()
  await record(ctx, letter, outcome)
}

async function hand({ box, transport, dashboardUrl }: MailOptions, letter: ClaimedLetter): Promise<SendOutcome> {
  const { id, kind, facts, token, recipient } = letter
  const opened = token === null ? '' : box.open(token, sealContext(id))
  const text = textOf(kind, JSON.parse(facts) as LetterFacts[typeof kind], opened)
  return transport.send(recipient, id, renderLetter(text, dashboardUrl))
}

/** Makes the letter due again after the pause. This counts no attempt, because the server accepts no letter. */
async function giveBack(ctx: Context, letter: ClaimedLetter, afterMs: number, why: string | null): Promise<void> {
  const nowMs = ctx.clock.now()
  const { attempts } = letter
  if (nowMs + afterMs >= letter.expiresAt.getTime()) return giveUp(ctx, letter, why)
  await postponeLetter(ctx.db, letter, { dueAt: new Date(nowMs + afterMs), attempts, error: why })
}

async function record(
  ctx: Context,
  letter: ClaimedLetter,
  outcome: Exclude<SendOutcome, { kind: 'unreachable' }>,
): Promise<void> {
  const nowMs = ctx.clock.now()
  const attempts = letter.attempts + 1
  if (outcome.kind === 'sent')
    return endLetter(ctx.db, letter, { status: 'sent', attempts, endedAt: new Date(nowMs), error: null })
  const dueAt = nowMs + (retryMs[letter.attempts] ?? hourMs)
  if (outcome.kind === 'refused' || dueAt >= letter.expiresAt.getTime()) return giveUp(ctx, letter, outcome.why)
  await postponeLetter(ctx.db, letter, { dueAt: new Date(dueAt), attempts, error: outcome.why })
}

async function giveUp(ctx: Context, letter: ClaimedLetter, why: string | null): Promise<void> {
  const { id, kind, attempts } = letter
  ctx.log.warn({ letter: id, kind, why }, 'an e-mail was given up')
  ctx.metrics.mails.inc({ outcome: 'failed' })
  const end = { status: 'failed' as const, attempts, endedAt: new Date(ctx.clock.now()), error: why }
  await endLetter(ctx.db, letter, end)
}

/**
 * Deletes letters a month after they ended, and letters that no process sends because the mail server was removed from
 * the settings. Resolves with their number.
 */
export async function pruneLetters({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const daysAgo = (days: number): Date => new Date(clock.now() - days * dayMs)
  const ended = await deleteLetters(db, daysAgo(keptDays), prunedAtOnce)
  return ended + (await deleteForgottenLetters(db, daysAgo(2), prunedAtOnce))
}

const countedMax = 10_000

function exportWaiting(ctx: Context): void {
  const { mailsWaiting, oldestMailSeconds } = ctx.metrics
  async function read(): Promise<void> {
    const { count, oldest } = await findWaiting(ctx.db, countedMax)
    mailsWaiting.set(count)
    oldestMailSeconds.set(oldest === null ? 0 : Math.max(0, ctx.clock.now() - oldest.getTime()) / secondMs)
  }
  refreshAtScrape(ctx, read, () => {
    mailsWaiting.reset()
    oldestMailSeconds.reset()
  })
}
