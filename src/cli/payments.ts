// `manilla payments settle`, `ledger adjust`, `payouts pause` and `payouts resume`: an operator settles a payment by
// hand, corrects a balance, and pauses payouts.

import { type AdjustOutcome, type ItemRefusal, type Corrections, createCorrections } from '#corrections/corrections.ts'
import { createSettleByHand, type Refusal, type SettleOutcome } from '#payments/settle.ts'
import type { Payment } from '#payments/payment.ts'
import { paymentData } from '#payments/wire.ts'
import type { Context, Environment } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { type Currency, formatMoney, type Money, toWire } from '#platform/money.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { listPauses, pausePayouts, resumePayouts, type Pause, type Whose } from '#payments/brakes.ts'
import {
  amountIn,
  businessIdOf,
  chooseBusiness,
  noteIn,
  requireBusiness,
  requireCurrency,
  tenantOf,
} from './arguments.ts'
import { withContext } from './database.ts'
import { type Output, UsageError, formatTime } from './output.ts'
import type { AdjustOptions, SettleOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function settlePaymentCommand(output: Output, reference: string, options: SettleOptions): Promise<void> {
  const businessId = businessIdOf(options)
  const note = noteIn(options)
  const { as, because, toBank = false } = options
  if (toBank && as !== 'returned')
    throw new UsageError('Use --to-bank only with --as returned: it says where the money is.')
  const outcome = await withCorrections(output, async (ctx, corrections) => {
    const tenant = await tenantOf(ctx, businessId, options.environment)
    const named = because === undefined ? {} : { because }
    return corrections.settle(tenant, { reference, as, note, by: ctx.by, toBank, ...named })
  })
  const told = tellOf(outcome, reference, options)
  if (outcome.kind !== 'settled' && outcome.kind !== 'unchanged') throw new OperatorError(told)
  output.result(paymentData(outcome.payment), told)
}

function tellOf(outcome: SettleOutcome | ItemRefusal, reference: string, { as, because = '' }: SettleOptions): string {
  switch (outcome.kind) {
    case 'settled':
      return `${reference} is now ${outcome.payment.status}. Its business is notified as usual.`
    case 'unchanged':
      return `${reference} was already ${outcome.payment.status}. Nothing was changed.`
    case 'impossible':
      return sayImpossible(outcome.payment, as)
    case 'refused':
      return `${refusals[outcome.refusal]} Nothing was changed.`
    case 'not-found':
      return `There is no payment ${reference} of this business in this environment. Check --business and --environment.`
    case 'no-room':
      return `The balance of the business would exceed its maximum with the money of ${reference}. Nothing was changed. Run this command again after the business has paid out.`
    case 'no-item':
    case 'other-environment':
    case 'other-business':
      return itemRefusals[outcome.kind](because)
  }
}

function sayImpossible({ reference, kind, status }: Payment, as: SettleOptions['as']): string {
  if (as !== 'returned')
    return `${reference} is ${status}, which is final. Nothing was changed. If its money came back, use --as returned; otherwise correct the balance with: npx manilla ledger adjust`
  if (kind === 'momo_collection')
    return `${reference} is a collection, so no payout can be returned. Nothing was changed. Correct the balance with: npx manilla ledger adjust`
  return `${reference} is ${status}, and only a successful payout can be returned. Nothing was changed.`
}

const refusals: Record<Refusal, string> = {
  leased: 'A process is executing this payment. Let a worker run and retry in two minutes.',
  'under-way':
    'The rail last reported this payment as in progress. Let the provider complete it; settle it only if the rail stops answering.',
  'asked-soon':
    'The rail will soon be asked about this payment. Let a worker run and check the payment again in two minutes.',
  young:
    'The rail may still report a result, because the payment is less than a day old. Wait until exceptions list shows it as payment-stuck.',
  unclear:
    'The provider never answered an earlier submission of this payment, so it may still pay it out. Ask the provider for its reference. When exceptions list shows it as payment-stuck, a day after it was accepted, settle it as the provider says.',
  'never-left':
    'This payment was never sent to its rail, so it cannot have succeeded. Use --as failed, or resume the rail.',
}

export async function adjustLedgerCommand(output: Output, options: AdjustOptions): Promise<void> {
  const named = businessIdOf(options)
  const [note, amount] = [noteIn(options), amountIn(options.amount)]
  const { because, currency, environment } = options
  let business = ''
  const outcome = await withCorrections(output, async (ctx, corrections) => {
    const businessId = await chooseBusiness(ctx, named)
    business = formatId('business', businessId)
    const tenant = await tenantOf(ctx, businessId, environment)
    await requireCurrency(ctx, tenant, currency)
    return corrections.adjust(tenant, { currency, amount, because, note, by: ctx.by })
  })
  const told = tellAdjustment(outcome, because, { amount, currency })
  if (outcome.kind !== 'adjusted') throw new OperatorError(told)
  const available = toWire(outcome.available)
  output.result({ business, environment, currency, amount: toWire(amount), available, because }, told)
}

/** Creates lanes for one command, as a server creates its own, and closes them after the work. */
function withCorrections<T>(output: Output, work: (ctx: Context, corrections: Corrections) => Promise<T>): Promise<T> {
  return withContext(readConfig(), output.step, async (ctx) => {
    const lanes = createLanes(ctx)
    try {
      const settleByHand = createSettleByHand(ctx, lanes.of)
      return await work(ctx, createCorrections({ ctx, laneOf: lanes.of, settleByHand }))
    } finally {
      await lanes.drain()
    }
  })
}

function tellAdjustment(
  outcome: AdjustOutcome,
  because: string,
  { amount, currency }: { amount: Money; currency: Currency },
): string {
  const say = (value: Money): string => formatMoney(value, currency)
  switch (outcome.kind) {
    case 'adjusted':
      return `Adjusted by ${say(amount)}: the available balance is now ${say(outcome.available)}. ${because} is closed.`
    case 'was-closed':
      return `${because} is already closed: ${outcome.note ?? ''}. Nothing was changed. To see what was done, run: npx manilla audit list`
    case 'too-little':
      return `Only ${say(outcome.available)} is available, so ${say(amount)} would make the balance negative. Nothing was changed.`
    case 'too-much':
      return 'The balance of the business would exceed its maximum. Nothing was changed.'
    case 'no-currency':
      return `The business has no balance in ${currency}. Nothing was changed. Check --currency.`
    case 'no-item':
    case 'other-environment':
    case 'other-business':
      return itemRefusals[outcome.kind](because)
  }
}

const itemRefusals: Record<ItemRefusal['kind'], (because: string) => string> = {
  'no-item': (because) =>
    `There is no review item ${because}. See: npx manilla exceptions list, npx manilla rails breaks --open`,
  'other-environment': (because) =>
    `${because} belongs to the other environment. Nothing was changed. Check --environment.`,
  'other-business': (because) => `${because} belongs to another business. Nothing was changed. Check --business.`,
}

type PauseOptions = { business?: string; environment?: Environment }

export async function pausePayoutsCommand(output: Output, options: PauseOptions): Promise<void> {
  const pauses = await withWhose(output, options, async (ctx, whose) => {
    await pausePayouts(ctx, whose)
    return listPauses(ctx)
  })
  output.result({ paused: pauses.map(documentOf) }, describePauses(pauses))
}

export async function resumePayoutsCommand(output: Output, options: PauseOptions): Promise<void> {
  const { woken, pauses } = await withWhose(output, options, async (ctx, whose) => {
    const resumed = await resumePayouts(ctx, await laneNumbers(ctx), whose)
    return { ...resumed, pauses: await listPauses(ctx) }
  })
  const went = woken === 0 ? 'No payouts were waiting.' : `Resumed ${woken} waiting payouts.`
  output.result({ woken, paused: pauses.map(documentOf) }, `${went}\n${describePauses(pauses)}`)
}

function withWhose<T>(
  output: Output,
  { business, environment }: PauseOptions,
  work: (ctx: Context, whose: Whose) => Promise<T>,
): Promise<T> {
  const businessId = businessIdOf({ business })
  return withContext(readConfig(), output.step, async (ctx) => {
    if (businessId !== undefined) await requireBusiness(ctx, businessId)
    return work(ctx, { businessId, environment })
  })
}

function documentOf({ environment, businessId, pausedAt: since, by }: Pause) {
  return { environment, business: businessId === undefined ? null : formatId('business', businessId), since, by }
}

/** Names every pause that is left, because a payout stays paused while any of them applies to it. */
function describePauses(pauses: Pause[]): string {
  if (pauses.length === 0) return 'Nothing is paused.'
  const lines = pauses.map(({ environment, businessId, pausedAt, by }) => {
    const whose = businessId === undefined ? 'all businesses' : formatId('business', businessId)
    return `Paused: payouts of ${whose} in ${environment}, since ${formatTime(pausedAt)}, by ${by}.`
  })
  return lines.join('\n')
}
