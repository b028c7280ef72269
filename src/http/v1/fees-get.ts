import { z } from 'zod'
import { amountMax, add, toKobo, toWire } from '#base/money.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { koboData, record } from '#http/fields.ts'
import { validationError } from '#http/validate.ts'
import type { Payments } from '#payments/payments.ts'

const amountParameter = z
  .string('must be given once')
  .regex(/^[1-9]\d{0,15}$/, 'amount is an integer in kobo: ₦1,500.00 is 150000')
  .transform((digits) => toKobo(BigInt(digits)))
  .refine((amount) => amount <= amountMax, `must be at most ${amountMax}`)
  .meta({ wire: { type: 'integer', minimum: 1, description: 'Amount in kobo.' } })

export function feesGet(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'getFee',
    method: 'GET',
    path: '/v1/fees',
    scope: 'any',
    tag: 'Balance',
    summary: 'What a transfer of an amount would cost',
    description: 'The fee that is taken on top of the amount, and both together.',
    query: z.object({ type: z.enum(['transfer'], 'must be transfer'), amount: amountParameter }),
    data: record('Fee', { amount: koboData, fee: koboData, totalDebit: koboData }),
    handle: ({ query: { amount } }) => {
      const fee = payments.feeFor(amount)
      const total = add(amount, fee)
      if (total > amountMax) {
        const message = `amount must be at most ${amountMax - fee}, so that JSON can carry it together with its fee`
        throw validationError([{ field: 'amount', message }])
      }
      return Promise.resolve({ data: { amount: toWire(amount), fee: toWire(fee), totalDebit: toWire(total) } })
    },
  })
}
