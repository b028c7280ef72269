// `manilla ledger adjust`, and what all corrections of the command line have in common.

import type { Context } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { createLanes } from '#platform/db/lane.ts'
import { amountMax, formatNaira, toKobo, toWire, zero, type Kobo } from '#platform/money.ts'
import type { AdjustOutcome } from '#corrections/adjust.ts'
import { createCorrections, type Corrections } from '#corrections/service.ts'
import type { ItemRefusal } from '#corrections/review-item.ts'
import { createSettleByHand } from '#payments/manual-settlement.ts'
import { tenantOf, idOf, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import type { AdjustOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function adjustLedgerCommand(output: Output, options: AdjustOptions): Promise<void> {
  const businessId = idOf('business', options.business)
  const [note, amount] = [noteIn(options), amountIn(options.amount)]
  const { because, currency, environment } = options
  const outcome = await withCorrections(output, async (ctx, corrections) => {
    const tenant = await tenantOf(ctx, businessId, environment)
    return corrections.adjust(tenant, { currency, amount, because, note, by: ctx.by })
  })
  const told = tellOf(outcome, because, amount)
  if (outcome.kind !== 'adjusted') throw new OperatorError(told)
  const { business } = options
  const available = toWire(outcome.available)
  output.result({ business, environment, currency, amount: toWire(amount), available, because }, told)
}

/** With lanes of their own, for a process that has no rooms. */
export function withCorrections<T>(
  output: Output,
  work: (ctx: Context, corrections: Corrections) => Promise<T>,
): Promise<T> {
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

function amountIn(text: string): Kobo {
  const amount = /^[+-]?\d{1,16}$/.test(text) ? toKobo(BigInt(text)) : zero
  if (amount !== zero && amount <= amountMax && amount >= -amountMax) return amount
  throw new OperatorError(
    `--amount ${text} is not an amount in kobo: write +150000 to add ₦1,500.00 to the balance, or -150000 to take it.`,
  )
}

function tellOf(outcome: AdjustOutcome, because: string, amount: Kobo): string {
  switch (outcome.kind) {
    case 'adjusted':
      return `Adjusted by ${formatNaira(amount)}: ${formatNaira(outcome.available)} is available now. ${because} is closed.`
    case 'was-closed':
      return `${because} was closed before: ${outcome.note ?? ''}. Nothing was done: see npx manilla audit list for what was done then.`
    case 'too-little':
      return `Only ${formatNaira(outcome.available)} is available, so ${formatNaira(amount)} would take the balance below zero. Nothing was done.`
    case 'too-much':
      return 'The books of the business have no room for so much. Nothing was done.'
    case 'no-item':
    case 'other-environment':
    case 'other-business':
      return itemRefusals[outcome.kind](because)
  }
}

export const itemRefusals: Record<ItemRefusal['kind'], (because: string) => string> = {
  'no-item': (because) =>
    `There is no review item ${because}. See: npx manilla exceptions list, npx manilla rails breaks --open`,
  'other-environment': (because) =>
    `${because} is about the other environment. Nothing was done: look at --environment.`,
  'other-business': (because) => `${because} is about another business. Nothing was done: look at --business.`,
}
