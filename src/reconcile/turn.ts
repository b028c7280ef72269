// One turn of a check: some pages of its lists, then the lines that are due, then the proofs. It is bounded in pages and in
// time; where it stops is written down, and the next turn, of whatever process, goes on there. No transaction is open while a
// provider is asked.

import { minuteMs } from '#base/durations.ts'
import type { StatementPage } from '#rails/statement.ts'
import { healed, openBreaks } from './breaks.ts'
import { listOf, nextDueAt, nextWindow, staleMs, steps, type Check, type OpenCheck, type Step } from './check.ts'
import { matchDue, type Matcher } from './match.ts'
import { prove, type Prover } from './prove.ts'
import { findOpenOfKind } from './sql-breaks.ts'
import { saveCheck } from './sql-checks.ts'
import { keepLines } from './sql-lines.ts'

export type TurnMeans = Matcher & Prover

/** A turn ends after so many portions of work, or after so long. */
const portionsMax = 20
const turnMs = minuteMs
/** A portion is one page, or the lines that are asked about at once; one that began in time may end late. */
export const checkLeaseMs = turnMs + 5 * minuteMs
const failedRestMs = minuteMs
/** A rail cannot have more open breaks of one kind that heal by themselves than are looked through here. */
const openMax = 1_000

type Turn = { means: TurnMeans; leaseEnd: Date }

/** Takes a claimed check as far as it goes. */
export async function takeTurn(means: TurnMeans, claimed: Check, leaseEnd: Date): Promise<void> {
  const turn = { means, leaseEnd }
  const { clock } = means.ctx
  const startMs = clock.now()
  let check: OpenCheck | undefined = begun(claimed, startMs)
  for (let portion = 0; check !== undefined; portion += 1) {
    if (portion >= portionsMax || clock.now() - startMs >= turnMs) {
      await saveCheck(means.ctx.db, check, { leaseEnd, dueAt: new Date(clock.now()) })
      return
    }
    check = await takePortion(turn, check)
  }
}

function begun(check: Check, nowMs: number): OpenCheck {
  const { fromAt, toAt } = check
  if (fromAt !== null && toAt !== null) return { ...check, fromAt, toAt }
  return { ...check, ...nextWindow(check, nowMs), step: 'payouts', cursor: null }
}

/** Undefined: it is done, put off, or somebody else's by now. */
async function takePortion(turn: Turn, check: OpenCheck): Promise<OpenCheck | undefined> {
  const { means } = turn
  const { environment, rail, step } = check
  const served = means.rails.statement(environment, { rail })
  if (served.kind === 'missing') return fail(turn, check, { detail: 'the rail lists nothing here' })
  const list = listOf(step)
  if (list !== undefined) {
    const window = { fromMs: check.fromAt.getTime(), toMs: check.toAt.getTime() }
    const page = await served.port.page({ list, cursor: check.cursor, ...window })
    return page.kind === 'page' ? keepPage(turn, check, page) : fail(turn, check, page)
  }
  if (step === 'match') return (await matchDue(means, served.port, check)) > 0 ? check : goOn(turn, check, after(check))
  const proof = await prove(means, check)
  if (proof === 'again') return goOn(turn, check, { ...check, step: 'ledger-again', cursor: null })
  return proof.kind === 'unavailable' ? fail(turn, check, proof) : finish(turn, { ...check, balance: proof.balance })
}

/** What stands behind a step; fresh things are not proved, because lists are late. */
function after(check: OpenCheck): OpenCheck {
  const following: Step = steps[steps.indexOf(check.step) + 1] ?? 'prove'
  return { ...check, step: following, cursor: null }
}

async function goOn({ means, leaseEnd }: Turn, before: OpenCheck, next: OpenCheck): Promise<OpenCheck | undefined> {
  const saved = await saveCheck(means.ctx.db, next, { leaseEnd, dueAt: leaseEnd })
  if (!saved) tellLost(means, before)
  return saved ? next : undefined
}

async function keepPage(
  { means, leaseEnd }: Turn,
  check: OpenCheck,
  { lines, next: cursor }: Extract<StatementPage, { kind: 'page' }>,
): Promise<OpenCheck | undefined> {
  const { ctx } = means
  const next = cursor === null ? after(check) : { ...check, cursor }
  const isOurs = await ctx.db.transaction(async (tx) => {
    if (!(await saveCheck(tx, next, { leaseEnd, dueAt: leaseEnd }))) return false
    keepLines(tx, check, lines, new Date(ctx.clock.now()))
    return true
  })
  if (!isOurs) tellLost(means, check)
  return isOurs ? next : undefined
}

function tellLost({ ctx }: TurnMeans, { environment, rail, loop }: Check): void {
  ctx.log.warn(
    { environment, rail, loop },
    'a reconciliation took longer than its lease; another process goes on with it',
  )
}

async function finish({ means, leaseEnd }: Turn, check: OpenCheck): Promise<undefined> {
  const { ctx } = means
  const nowMs = ctx.clock.now()
  const { loop, toAt } = check
  const done: Check = {
    ...check,
    fromAt: null,
    toAt: null,
    step: 'payouts',
    cursor: null,
    provedUntil: toAt,
    why: null,
  }
  const stale = await findOpenOfKind(ctx.db, check, 'stale', openMax)
  await ctx.db.transaction(async (tx) => {
    if (!(await saveCheck(tx, done, { leaseEnd, dueAt: nextDueAt(check, nowMs) }))) return
    const ended = stale.filter(({ subject }) => subject.startsWith(`${loop} `))
    healed(
      ctx,
      tx,
      check,
      ended.map(({ kind, subject }) => ({ kind, subject, note: 'its lists were fetched' })),
    )
  })
}

type Fault = { detail: string; askAgainAfterMs?: number | undefined }

async function fail(
  { means, leaseEnd }: Turn,
  check: OpenCheck,
  { detail, askAgainAfterMs }: Fault,
): Promise<undefined> {
  const { ctx } = means
  const { environment, rail, loop, provedUntil, beganAt } = check
  const nowMs = ctx.clock.now()
  const since = provedUntil ?? beganAt
  ctx.log.info({ environment, rail, loop, why: detail }, 'the lists of a provider cannot be fetched now')
  const dueAt = new Date(nowMs + Math.max(askAgainAfterMs ?? failedRestMs, 1_000))
  await ctx.db.transaction(async (tx) => {
    if (!(await saveCheck(tx, { ...check, why: detail }, { leaseEnd, dueAt }))) return
    if (nowMs - since.getTime() < staleMs || loop === 'day') return
    const subject = `${loop} ${since.toISOString()}`
    const fact = `unproven since ${since.toISOString()}: ${detail}`
    await openBreaks(ctx, tx, check, [{ kind: 'stale', subject, reference: '', amount: null, fact, aboutAt: since }])
  })
}
