// Schemas of pawaPay's answers: the fields that we use are checked strictly, others may change.

import { z } from 'zod'

const failureReason = z.object({ failureCode: z.string().min(1).max(100), failureMessage: z.string().nullish() })

export const refusalBody = z.object({ failureReason })

/** The answer to a submission, with its id under the name of its kind. */
export const submittedBody = z.object({
  payoutId: z.string().optional(),
  depositId: z.string().optional(),
  status: z.string(),
  failureReason: failureReason.nullish().catch(null),
})

const party = z.object({
  accountDetails: z.object({
    // The documentation's own sample has the second spelling.
    phoneNumber: z.string().nullish(),
    phoneNUmber: z.string().nullish(),
    provider: z.string().nullish(),
  }),
})

export const paymentData = z.object({
  payoutId: z.string().optional(),
  depositId: z.string().optional(),
  status: z.string(),
  amount: z.unknown(),
  currency: z.string(),
  recipient: party.nullish(),
  payer: party.nullish(),
  providerTransactionId: z.string().min(1).nullish().catch(null),
  failureReason: failureReason.nullish().catch(null),
})
export type PaymentData = z.output<typeof paymentData>

export const statusBody = z.discriminatedUnion('status', [
  z.object({ status: z.literal('FOUND'), data: z.unknown() }),
  z.object({ status: z.literal('NOT_FOUND') }),
])

export const keysBody = z.object({
  rows: z.array(z.object({ id: z.string().min(1).max(200), key: z.string().min(1).max(5_000) })).max(50),
})

/** The status of a payment that a callback is about. Only the final ones are compared with what the status says. */
export const callbackBody = z.object({
  payoutId: z.uuid().optional(),
  depositId: z.uuid().optional(),
  status: z.string().optional(),
})
