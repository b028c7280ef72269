// `manilla payments settle`: settles a payment for which no answer of its rail will come, or returns one whose money came
// back.

import { OperatorError } from '#platform/errors.ts'
import type { ItemRefusal } from '#corrections/review-item.ts'
import type { Refusal } from '#payments/manual-settlement-rules.ts'
import type { Payment } from '#payments/payment.ts'
import type { SettleOutcome } from '#payments/settle.ts'
import { paymentData } from '#payments/wire.ts'
import { businessIdOf, tenantOf, noteIn } from './arguments.ts'
import { itemRefusals, withCorrections } from './corrections.ts'
import { UsageError, type Output } from './output.ts'
import type { SettleOptions } from './program-money.ts'

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

/** The reasons why the rail may still act, and what to do next. */
const refusals: Record<Refusal, string> = {
  'in-hand': 'A process is executing this payment. Let a worker run and retry in two minutes.',
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
