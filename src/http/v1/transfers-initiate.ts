import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError, Unavailable } from '#base/error.ts'
import { endpoint, type Endpoint, type Reply } from '#http/endpoint.ts'
import { accountNumber, amount, metadata, noParams, noQuery, reference, text } from '#http/fields.ts'
import type { AcceptOutcome } from '#payments/accept.ts'
import type { Payments } from '#payments/payments.ts'
import { asAccepted, type Payment } from '#payments/payment.ts'
import { kindNames, publicIdOf, transferData, type TransferData } from '#payments/wire.ts'
import { transferSchema } from './transfer-fields.ts'

const body = z.object({
  reference,
  amount,
  bankSlug: text(100).describe('The slug of a bank of GET /v1/banks.'),
  accountNumber,
  accountName: text(100),
  narration: text(100, 0).nullish(),
  currency: z.literal('NGN', 'must be NGN').default('NGN'),
  metadata: metadata.nullish(),
})

export function transfersInitiate(payments: Payments): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/v1/transfers/initiate',
    tag: 'Transfers',
    summary: 'Send money to a bank account',
    description:
      'Idempotent on `reference`: asked again with the same amount, bank and account, it answers what it answered first, ' +
      'with the header `Idempotent-Replayed: true`, and moves nothing.',
    params: noParams,
    query: noQuery,
    body,
    data: transferSchema,
    errors: ['INVALID_BANK', 'INSUFFICIENT_BALANCE', 'CONFLICT'],
    handle: async ({ caller, body: asked }) => {
      const request = {
        ...asked,
        narration: asked.narration ?? null,
        metadata: asked.metadata === undefined || asked.metadata === null ? null : JSON.stringify(asked.metadata),
      }
      return replyTo(await payments.initiate(caller.tenant, request), asked.bankSlug)
    },
  })
}

function replyTo(outcome: AcceptOutcome, bankSlug: string): Reply<TransferData> {
  switch (outcome.kind) {
    case 'accepted':
      return { data: transferData(outcome.payment) }
    case 'replayed':
      return { data: transferData(asAccepted(outcome.payment)), replayed: true }
    case 'differs':
      throw conflict(outcome.first, `with another ${outcome.field}`, outcome.field)
    case 'other-kind':
      throw conflict(outcome.first, `by a ${kindNames[outcome.first.kind]}`, 'reference')
    case 'unknown-bank':
      throw new ApiError('INVALID_BANK', `There is no bank with the slug ${bankSlug}. GET /v1/banks lists them.`, {
        details: [{ field: 'bankSlug', message: 'is not the slug of a bank' }],
      })
    case 'missing-rail':
      throw new Unavailable(
        `Bank transfers are not available here: no rail is configured. Missing setting: ${outcome.setting}.`,
        {
          retryAfterSeconds: 60,
        },
      )
    case 'insufficient-balance': {
      // As text: the largest amount and its fee together are more than a JSON integer may carry.
      const message = `required ${outcome.required}, available ${outcome.available}`
      throw new ApiError('INSUFFICIENT_BALANCE', 'The balance does not cover amount and fee.', {
        details: [{ field: 'amount', message }],
      })
    }
    default:
      return unreachable(outcome)
  }
}

function conflict(first: Payment, how: string, field: string): ApiError {
  const id = publicIdOf(first)
  return new ApiError(
    'CONFLICT',
    `The reference ${first.reference} was used ${how} before: ${id}. Use a new reference.`,
    {
      details: [{ field, message: `differs from ${id}, which has this reference` }],
    },
  )
}
