// `manilla payments settle`: ends a payment that its rail will never answer for.

import type { Context, Tenant } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import { createLanes } from '#base/lane.ts'
import { createSettleByHand, type ByHand } from '#payments/by-hand.ts'
import type { Refusal } from '#payments/may-still-act.ts'
import type { SettleOutcome } from '#payments/settle.ts'
import { paymentData } from '#payments/wire.ts'
import { tenantOf } from './choose-tenant.ts'
import { withContext } from './database.ts'
import { idOf } from './id-of.ts'
import { noteIn } from './note.ts'
import type { Output } from './output.ts'
import type { SettleOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function settlePaymentCommand(output: Output, reference: string, options: SettleOptions): Promise<void> {
  const businessId = idOf('business', options.business)
  const note = noteIn(options)
  const outcome = await withContext(readConfig(), output.step, async (ctx) => {
    const tenant = await tenantOf(ctx, businessId, options.environment)
    return settle(ctx, tenant, { reference, as: options.as, note, by: ctx.by })
  })
  const told = tellOf(outcome, reference)
  if (outcome.kind !== 'settled' && outcome.kind !== 'unchanged') throw new OperatorError(told)
  output.result(paymentData(outcome.payment), told)
}

async function settle(ctx: Context, tenant: Tenant, word: ByHand): Promise<SettleOutcome> {
  const lanes = createLanes(ctx)
  try {
    return await createSettleByHand(ctx, lanes.of)(tenant, word)
  } finally {
    await lanes.drain()
  }
}

function tellOf(outcome: SettleOutcome, reference: string): string {
  switch (outcome.kind) {
    case 'settled':
      return `${reference} is ${outcome.payment.status} now. Its business is told as usual.`
    case 'unchanged':
      return `${reference} was ${outcome.payment.status} already; nothing was done.`
    case 'impossible':
      return `${reference} has ended as ${outcome.payment.status} and can no longer end otherwise. Nothing was done: put the books right with a payment or a deposit.`
    case 'refused':
      return `${refusals[outcome.refusal]} Nothing was done.`
    case 'not-found':
      return `There is no payment ${reference} of this business in this environment. Look at --business and --environment.`
    case 'no-room':
      return `The books of the business have no room for the money of ${reference}. Nothing was done.`
  }
}

/** Why its rail may still act, and what to do next. */
const refusals: Record<Refusal, string> = {
  'in-hand':
    'A process has this payment in hand, or none has asked its rail yet. Let a worker run, and try again in two minutes.',
  'under-way':
    'The rail last said that this payment is under way, so it still answers for it. Let the provider end it; only when the rail stops answering may you.',
  'asked-soon':
    'The rail is about to be asked about this payment. Let a worker run, and look at the payment again in two minutes.',
  young:
    'The rail may still answer for this payment: it is younger than a day. Wait until exceptions list shows it as payment-stuck.',
  'never-left':
    'This payment never left for its rail, so it cannot have succeeded. End it with --as failed, or bring the rail back.',
}
