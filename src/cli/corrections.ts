// `manilla ledger adjust`, and the shared parts of all corrections from the command line.

import type { Context } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createLanes } from '#platform/db/lane.ts'
import { amountMax, formatNaira, toMoney, toWire, zero, type Money } from '#platform/money.ts'
import type { AdjustOutcome } from '#corrections/adjust.ts'
import { createCorrections, type Corrections } from '#corrections/service.ts'
import type { ItemRefusal } from '#corrections/review-item.ts'
import { createSettleByHand } from '#payments/manual-settlement.ts'
import { businessIdOf, chooseBusiness, tenantOf, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
import { UsageError, type Output } from './output.ts'
import type { AdjustOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function adjustLedgerCommand(output: Output, options: AdjustOptions): Promise<void> {
  const named = businessIdOf(options)
  const [note, amount] = [noteIn(options), amountIn(options.amount)]
  const { because, currency, environment } = options
  let business = ''
  const outcome = await withCorrections(output, async (ctx, corrections) => {
    const businessId = await chooseBusiness(ctx, named)
    business = formatId('business', businessId)
    const tenant = await tenantOf(ctx, businessId, environment)
    return corrections.adjust(tenant, { currency, amount, because, note, by: ctx.by })
  })
  const told = tellOf(outcome, because, amount)
  if (outcome.kind !== 'adjusted') throw new OperatorError(told)
  const available = toWire(outcome.available)
  output.result({ business, environment, currency, amount: toWire(amount), available, because }, told)
}

/** Runs corrections with lanes of this command's own, because a command has no service modules. */
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

function amountIn(text: string): Money {
  const amount = /^[+-]?\d{1,16}$/.test(text) ? toMoney(BigInt(text)) : zero
  if (amount !== zero && amount <= amountMax && amount >= -amountMax) return amount
  throw new UsageError(
    `--amount ${text} is not an amount in kobo. Use +150000 to add ₦1,500.00 to the balance, or -150000 to subtract it.`,
  )
}

function tellOf(outcome: AdjustOutcome, because: string, amount: Money): string {
  switch (outcome.kind) {
    case 'adjusted':
      return `Adjusted by ${formatNaira(amount)}: the available balance is now ${formatNaira(outcome.available)}. ${because} is closed.`
    case 'was-closed':
      return `${because} is already closed: ${outcome.note ?? ''}. Nothing was changed. To see what was done, run: npx manilla audit list`
    case 'too-little':
      return `Only ${formatNaira(outcome.available)} is available, so ${formatNaira(amount)} would make the balance negative. Nothing was changed.`
    case 'too-much':
      return 'The balance of the business would exceed its maximum. Nothing was changed.'
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
    `${because} belongs to the other environment. Nothing was changed. Check --environment.`,
  'other-business': (because) => `${because} belongs to another business. Nothing was changed. Check --business.`,
}
