// Runs a claimed check: fetches the provider's lists for a window of time, page by page, then compares the lines that
// are due with our records, then proves the window (day-proof.ts). A run has limits of work and time. It saves its
// progress, and the next run continues there, in any process. No transaction is open while a provider is asked.

import { minuteMs } from '#platform/durations.ts'
import type { StatementPage } from '#rails/statement.ts'
import { type BreakFact, closeResolved, findOpenOfKind, openBreaks } from './mismatches.ts'
import {
  listOf,
  nextDueAt,
  nextPage,
  nextWindow,
  staleMs,
  steps,
  type RailCheck,
  type OpenCheck,
  type CheckStep,
  saveCheck,
} from './schedule.ts'
import { compareDueLines, type LineComparer } from './compare-lines.ts'
import { proveWindow, type Prover } from './day-proof.ts'
import { keepLines } from './lines.ts'

export type CheckMeans = LineComparer & Prover

/** A run begins no portion after this many portions, or after this time. */
const portionsMax = 20
const runMs = minuteMs
/** A portion is one page, one batch of lines or the proof. A portion that began in time may take five minutes. */
export const checkLeaseMs = runMs + 5 * minuteMs
const failedRestMs = minuteMs
/** At the end of a window, at most this many open `stale` mismatches are closed. */
const staleMax = 1_000

type CheckRun = { means: CheckMeans; leaseEnd: Date }

export async function runCheck(means: CheckMeans, claimed: RailCheck, leaseEnd: Date): Promise<void> {
  const run = { means, leaseEnd }
  const { clock } = means.ctx
  const startMs = clock.now()
  let check: OpenCheck | undefined = begun(claimed, startMs)
  for (let portion = 0; check !== undefined; portion += 1) {
    if (portion >= portionsMax || clock.now() - startMs >= runMs) {
      await saveCheck(means.ctx.db, check, { leaseEnd, dueAt: new Date(clock.now()) })
      return
    }
    check = await runPortion(run, check)
  }
}

const atFirst = { step: 'payouts', cursor: null, pages: 0, markedCursor: null } as const

function begun(check: RailCheck, nowMs: number): OpenCheck {
  const { fromAt, toAt } = check
  if (fromAt !== null && toAt !== null) return { ...check, fromAt, toAt }
  return { ...check, ...nextWindow(check, nowMs), ...atFirst, cut: null }
}

/** Undefined if the check is done, rescheduled, or claimed by another process. */
async function runPortion(run: CheckRun, check: OpenCheck): Promise<OpenCheck | undefined> {
  const { means } = run
  const { environment, rail, step } = check
  const served = means.rails.statement(environment, { rail })
  if (served.kind === 'missing') return fail(run, check, { detail: 'the rail lists nothing here' })
  const list = listOf(step)
  if (list !== undefined) {
    const window = { fromMs: check.fromAt.getTime(), toMs: check.toAt.getTime() }
    const page = await served.port.page({ list, cursor: check.cursor, ...window })
    return page.kind === 'page' ? keepPage(run, check, page) : fail(run, check, page)
  }
  if (step === 'match')
    return (await compareDueLines(means, served.port, check)) > 0 ? check : goOn(run, check, after(check))
  if (check.cut !== null) return finish(run, check)
  const proof = await proveWindow(means, check)
  if (proof.kind === 'unavailable') return fail(run, check, proof)
  const wallets = proof.wallets?.map((one) => ({ ...one, amount: String(one.amount) })) ?? null
  return finish(run, { ...check, wallets })
}

function after(check: OpenCheck): OpenCheck {
  const following: CheckStep = steps[steps.indexOf(check.step) + 1] ?? 'prove'
  return { ...check, ...atFirst, step: following }
}

async function goOn({ means, leaseEnd }: CheckRun, before: OpenCheck, next: OpenCheck): Promise<OpenCheck | undefined> {
  const saved = await saveCheck(means.ctx.db, next, { leaseEnd, dueAt: leaseEnd })
  if (!saved) logLostLease(means, before)
  return saved ? next : undefined
}

async function keepPage(
  { means, leaseEnd }: CheckRun,
  check: OpenCheck,
  { lines, next: cursor }: Extract<StatementPage, { kind: 'page' }>,
): Promise<OpenCheck | undefined> {
  const { ctx } = means
  const following = cursor === null ? after(check) : nextPage(check, cursor)
  const cut = typeof following === 'string' ? `${check.step}: ${following}` : undefined
  const next = typeof following === 'string' ? { ...after(check), cut: cut ?? null } : following
  const isOurs = await ctx.db.transaction(async (tx) => {
    if (!(await saveCheck(tx, next, { leaseEnd, dueAt: leaseEnd }))) return false
    keepLines(tx, check, lines, new Date(ctx.clock.now()))
    if (cut !== undefined) await openBreaks(ctx, tx, check, [staleFact(check, cut, ctx.clock.now(), check.step)])
    return true
  })
  if (!isOurs) logLostLease(means, check)
  return isOurs ? next : undefined
}

function logLostLease({ ctx }: CheckMeans, { environment, rail, loop }: RailCheck): void {
  ctx.log.warn({ environment, rail, loop }, 'reconciliation exceeded its lease; another process continues it')
}

/** Ends a window. If a list was abandoned, nothing is proved, and the next window covers this one again. */
async function finish({ means, leaseEnd }: CheckRun, check: OpenCheck): Promise<undefined> {
  const { ctx } = means
  const { loop, toAt, cut, provedUntil } = check
  const done: RailCheck = {
    ...check,
    ...atFirst,
    fromAt: null,
    toAt: null,
    cut: null,
    provedUntil: cut === null ? toAt : provedUntil,
    why: cut,
  }
  const stale = cut === null ? await findOpenOfKind(ctx.db, check, 'stale', staleMax) : []
  const isOurs = await ctx.db.transaction(async (tx) => {
    if (!(await saveCheck(tx, done, { leaseEnd, dueAt: nextDueAt(check, ctx.clock.now()) }))) return false
    const ended = stale.filter(({ subject }) => subject.startsWith(`${loop} `))
    closeResolved(
      ctx,
      tx,
      check,
      ended.map(({ kind, subject }) => ({ kind, subject, note: 'its lists were fetched' })),
    )
    return true
  })
  if (!isOurs) logLostLease(means, check)
}

type Fault = { detail: string; askAgainAfterMs?: number | undefined }

async function fail(
  { means, leaseEnd }: CheckRun,
  check: OpenCheck,
  { detail, askAgainAfterMs }: Fault,
): Promise<undefined> {
  const { ctx } = means
  const { environment, rail, loop } = check
  const nowMs = ctx.clock.now()
  ctx.log.info({ environment, rail, loop, why: detail }, 'could not fetch the statement of a provider')
  const dueAt = new Date(nowMs + Math.max(askAgainAfterMs ?? failedRestMs, 1_000))
  await ctx.db.transaction(async (tx) => {
    if (!(await saveCheck(tx, { ...check, why: detail }, { leaseEnd, dueAt }))) return
    if (nowMs - sinceOf(check).getTime() < staleMs || loop === 'day') return
    await openBreaks(ctx, tx, check, [staleFact(check, detail, nowMs)])
  })
}

function sinceOf({ provedUntil, beganAt }: RailCheck): Date {
  return provedUntil ?? beganAt
}

/**
 * A `stale` mismatch is identified by the loop, the time since which nothing is proved, and the list if one was
 * abandoned. Until a check succeeds that time stays the same, so further failures open no second mismatch. The check of
 * a requested day gets one each time that a list is abandoned.
 */
function staleFact(check: RailCheck, detail: string, nowMs: number, list?: string): BreakFact {
  const aboutAt = check.loop === 'day' ? new Date(nowMs) : sinceOf(check)
  const subject = [check.loop, aboutAt.toISOString(), ...(list === undefined ? [] : [list])].join(' ')
  const fact = `unproven since ${aboutAt.toISOString()}: ${detail}`
  return { kind: 'stale', subject, reference: list ?? '', amount: null, currency: null, fact, aboutAt }
}
