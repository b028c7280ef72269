// Paystack's refusals, in its own envelope.

import type { ProviderWords } from './provider-words.ts'
import type { Answer } from './provider.ts'

export const refusal = (status: number, message: string, code?: string): Answer => ({
  status,
  body: {
    status: false,
    message,
    type: 'validation_error',
    meta: { nextStep: 'Try again' },
    ...(code === undefined ? {} : { code }),
  },
})

export const refusals = {
  'key-refused': () => refusal(401, 'Invalid key', 'invalid_Key'),
  'no-money': () => refusal(400, 'Your balance is not enough to fulfil this request', 'insufficient_balance'),
  duplicate: () =>
    refusal(
      400,
      'Please provide a unique reference. Reference already exists on a transfer',
      'duplicate_transfer_reference',
    ),
}

export const paystackWords: ProviderWords = {
  missing: refusal(404, 'Not found', 'not_found'),
  'no-money': refusals['no-money'](),
  'key-refused': refusals['key-refused'](),
  exists({ path }) {
    if (path === '/charge') return refusal(400, 'Duplicate Transaction Reference', 'duplicate_reference')
    return path === '/refund'
      ? refusal(400, 'Transaction has been fully reversed', 'transaction_reversed')
      : refusals.duplicate()
  },
}
