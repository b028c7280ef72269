// `manilla payments settle`: ends a payment that its rail will never answer for, or returns one whose money came back.

import { OperatorError } from '#platform/errors.ts'
import type { ItemRefusal } from '#corrections/review-item.ts'
import type { Refusal } from '#payments/manual-settlement-rules.ts'
import type { Payment } from '#payments/payment.ts'
import type { SettleOutcome } from '#payments/settle.ts'
import { paymentData } from '#payments/wire.ts'
import { tenantOf, idOf, noteIn } from './arguments.ts'
import { itemRefusals, withCorrections } from './corrections.ts'
import type { Output } from './output.ts'
import type { SettleOptions } from './program-money.ts'

export async function settlePaymentCommand(output: Output, reference: string, options: SettleOptions): Promise<void> {
  const businessId = idOf('business', options.business)
  const note = noteIn(options)
  const { as, because, toBank = false } = options
  if (toBank && as !== 'returned')
    throw new OperatorError('--to-bank belongs to --as returned: it says where the money is.')
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
      return `${reference} is ${outcome.payment.status} now. Its business is told as usual.`
    case 'unchanged':
      return `${reference} was ${outcome.payment.status} already; nothing was done.`
    case 'impossible':
      return sayImpossible(outcome.payment, as)
    case 'refused':
      return `${refusals[outcome.refusal]} Nothing was done.`
    case 'not-found':
      return `There is no payment ${reference} of this business in this environment. Look at --business and --environment.`
    case 'no-room':
      return `The books of the business have no room for the money of ${reference}. Nothing was done: when it has paid out, run this again.`
    case 'no-item':
    case 'other-environment':
    case 'other-business':
      return itemRefusals[outcome.kind](because)
  }
}

function sayImpossible({ reference, kind, status }: Payment, as: SettleOptions['as']): string {
  if (as !== 'returned')
    return `${reference} has ended as ${status} and can no longer end otherwise. Nothing was done: if its money came back, use --as returned; otherwise correct the balance with: npx manilla ledger adjust`
  if (kind === 'momo_collection')
    return `${reference} is a collection, so nothing that was paid out can come back. Nothing was done: correct the balance with: npx manilla ledger adjust`
  return `${reference} is ${status}, and only a payout that succeeded can be returned. Nothing was done.`
}

/** Why its rail may still act, and what to do next. */
const refusals: Record<Refusal, string> = {
  'in-hand': 'A process has this payment in hand. Let a worker run, and try again in two minutes.',
  'under-way':
    'The rail last said that this payment is under way, so it still answers for it. Let the provider end it; only when the rail stops answering may you.',
  'asked-soon':
    'The rail is about to be asked about this payment. Let a worker run, and look at the payment again in two minutes.',
  young:
    'The rail may still answer for this payment: it is younger than a day. Wait until exceptions list shows it as payment-stuck.',
  unclear:
    'An earlier submission of this payment was never answered, so its provider may still pay it out. Ask the provider for its reference, and settle it as the provider says when exceptions list shows it as payment-stuck, a day after it was accepted.',
  'never-left':
    'This payment never left for its rail, so it cannot have succeeded. End it with --as failed, or bring the rail back.',
}
