// `manilla rails breaks`, `break close`, `resume`, `adjust`, `reconcile` and `notices`: lists and closes mismatches
// between a provider's records and our books, resumes a stopped rail, changes what our book says of a wallet,
// reconciles a day again, and lists provider notices that need review or tries one again.

import { setTimeout as delay } from 'node:timers/promises'
import { laneNumbers } from '#businesses/lanes.ts'
import { resumeRail } from '#payments/brakes.ts'
import type { Context } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { type Currency, formatMoney, isCurrency, toMoney, toWire } from '#platform/money.ts'
import { noticeName, type OpenState } from '#rail-notices/notice.ts'
import { listNotices, parseNoticeName, retryStuckNotice } from '#rail-notices/service.ts'
import type { RailName } from '#rails/rail.ts'
import { railNamed } from '#rails/rails-file.ts'
import { closeBreak, listBreaks, type RailBreak } from '#reconciliation/mismatches.ts'
import { proofOfRails } from '#reconciliation/progress.ts'
import { askForDay, dayState, parseDay } from '#reconciliation/service.ts'
import { adjustWallet } from '#reconciliation/wallets.ts'
import { amountIn, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
import { closeByHand, providerAmount } from './exceptions.ts'
import type { AdjustWalletOptions } from './program-money.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function listBreaksCommand(output: Output, { open = false }: { open?: boolean }): Promise<void> {
  const breaks = await withContext(readConfig(), output.step, (ctx) => listBreaks(ctx, { open }))
  output.result({ breaks: breaks.map(documentOf) }, textOf(breaks, open))
}

export function closeBreakCommand(output: Output, id: string, options: { note: string }): Promise<void> {
  const missing = `break ${id}. See: npx manilla rails breaks`
  return closeByHand(output, id, options, { kind: 'railBreak', close: closeBreak, documentOf, missing })
}

export async function resumeRailCommand(output: Output, rail: string): Promise<void> {
  const outcome = await withContext(readConfig({ rails: true }), output.step, async (ctx) => {
    const name = await nameOf(ctx, rail)
    return { ...name, ...(await resumeRail(ctx, await laneNumbers(ctx), name)) }
  })
  const waiting = `${outcome.woken} waiting payouts are sent now.`
  const told = outcome.wasStopped ? `Resumed ${rail}. ${waiting}` : `${rail} was not stopped. ${waiting}`
  output.result(outcome, told)
}

export async function adjustWalletCommand(output: Output, rail: string, options: AdjustWalletOptions): Promise<void> {
  const { currency, country } = options
  const note = noteIn(options)
  const amount = amountIn(options.amount)
  if (!/^[A-Z]{2}$/.test(country))
    throw new OperatorError(`--country ${country} is not a country. Write two letters, such as GH.`)
  const { environment } = await withContext(readConfig({ rails: true }), output.step, async (ctx) => {
    const name = await nameOf(ctx, rail)
    await adjustWallet(ctx, { ...name, currency, country }, { amount, note })
    return name
  })
  const told = `The book of ${currency} ${country} at ${rail} is changed by ${formatMoney(amount, currency)}.`
  output.result({ environment, rail, currency, country, amount: toWire(amount), note }, told)
}

const pollEveryMs = 500
/**
 * Workers claim due reconciliations every second. If a reconciliation has not begun after this time, no worker runs.
 */
const untilBegunMs = 30_000
const untilDoneMs = 30 * minuteMs

export async function reconcileRailCommand(output: Output, rail: string, { day }: { day: string }): Promise<void> {
  const open = await withContext(readConfig({ rails: true }), output.step, async (ctx) => {
    const fromMs = parseDay(day, ctx.clock.now())
    if (fromMs === undefined)
      throw new OperatorError(`--day ${day} is not a past day or today. Write it as 2026-11-20.`)
    const name = await nameOf(ctx, rail)
    if (!(await askForDay(ctx, name, fromMs)))
      throw new OperatorError(`No worker has checked ${rail} yet. Start one with this rail in its RAILS_FILE.`)
    await untilDone(ctx, name, output.step)
    const breaks = await listBreaks(ctx, { open: true })
    return breaks.filter((one) => one.rail === name.rail)
  })
  const told = open.length === 0 ? `${day} agrees with ${rail}.` : textOf(open, true)
  output.result({ rail, day, breaks: open.map(documentOf) }, told)
  if (open.length > 0) process.exitCode = 1
}

async function untilDone(ctx: Context, name: RailName, step: Output['step']): Promise<void> {
  const startMs = ctx.clock.now()
  let last = ''
  for (;;) {
    const state = await dayState(ctx, name)
    if (state.kind === 'done') return
    const ageMs = ctx.clock.now() - startMs
    if (!state.isBegun && ageMs > untilBegunMs)
      throw new OperatorError('No worker picked up the job. Start one: npx manilla serve --roles worker')
    if (ageMs > untilDoneMs)
      throw new OperatorError('The reconciliation is still running. Check again with: npx manilla rails breaks --open')
    const now = state.why === null ? state.step : `${state.step}: ${state.why}`
    if (now !== last) step(now)
    last = now
    await delay(pollEveryMs)
  }
}

/**
 * Finds the environment of a rail: as a worker recorded it, else as RAILS_FILE has it. A name belongs to one
 * environment.
 */
async function nameOf(ctx: Context, given: string): Promise<RailName> {
  const { rails: file } = readConfig({ rails: true })
  const rail = (file && railNamed(file, given)) ?? given
  const noted = (await proofOfRails(ctx)).find((one) => one.rail === rail)
  const environment = noted?.environment ?? file?.rails[rail]?.environment
  if (environment === undefined) throw new OperatorError(`There is no rail ${rail}. See: npx manilla rails list`)
  return { environment, rail }
}

function textOf(breaks: RailBreak[], open: boolean): string {
  if (breaks.length === 0) return open ? 'There are no open mismatches.' : 'There are no mismatches.'
  const rows = breaks.map((one) => [
    formatId('railBreak', one.id),
    formatTime(one.openedAt),
    one.rail,
    one.kind,
    one.reference,
    one.amount === null ? '' : formatMoney(toMoney(one.amount), currencyOr(one.currency)),
    one.closedAt === null ? one.fact : `closed ${formatTime(one.closedAt)}: ${one.note ?? ''}`,
  ])
  const head = ['id', 'opened', 'rail', 'kind', 'reference', 'amount', 'fact']
  return `${table(head, rows)}\nWhat to do about each kind: docs/rails/breaks.md.`
}

/** Mismatches of earlier versions have no currency; nearly all are about naira. */
function currencyOr(currency: string | null): Currency {
  return currency !== null && isCurrency(currency) ? currency : 'NGN'
}

function documentOf({
  id,
  rail,
  kind,
  reference,
  amount,
  currency,
  openedAt,
  closedAt,
  note,
  fact,
  environment,
}: RailBreak) {
  return {
    id: formatId('railBreak', id),
    rail,
    kind,
    reference,
    amount: amount === null ? null : providerAmount(amount),
    currency,
    openedAt,
    closedAt,
    note,
    fact,
    environment,
  }
}

export async function listNoticesCommand(output: Output, { state }: { state: OpenState }): Promise<void> {
  const notices = await withContext(readConfig(), output.step, (ctx) => listNotices(ctx, state))
  const named = notices.map(({ environment, rail, digest, ...rest }) => ({
    id: noticeName({ environment, rail, digest }),
    environment,
    rail,
    ...rest,
  }))
  const rows = named.map(({ id, receivedAt, dueAt, tries, why }) => [
    id,
    formatTime(receivedAt),
    String(tries),
    dueAt === null ? '' : formatTime(dueAt),
    why ?? '',
  ])
  const text = table(['notice', 'received', 'tries', 'next', 'why'], rows)
  output.result({ notices: named }, named.length === 0 ? `No notice is ${state}.` : text)
}

export async function retryNoticeCommand(output: Output, name: string): Promise<void> {
  const key = parseNoticeName(name)
  if (key === undefined)
    throw new OperatorError(`${name} is not a notice id. Use ENVIRONMENT:RAIL:DIGEST. See: npx manilla rails notices`)
  const isRetried = await withContext(readConfig(), output.step, (ctx) => retryStuckNotice(ctx, key))
  if (!isRetried) throw new OperatorError(`No notice ${name} is stuck. See: npx manilla rails notices`)
  output.result({ notice: name, state: 'new' }, `${name} will be processed again within a second.`)
}
