// How the three kinds of payments answer alike: when they are accepted again, refused, or ended by a tester.

import { z } from 'zod'
import { ApiError, Unavailable } from '#base/error.ts'
import { koboData, metadata, text, timeData } from '#http/fields.ts'
import { beyondTheBooks, validationError } from '#http/validate.ts'
import type { AcceptOutcome } from '#payments/accept.ts'
import { transferStatuses, type Payment } from '#payments/payment.ts'
import type { TestersOutcome } from '#payments/settle.ts'
import { kindNames, publicIdOf } from '#payments/wire.ts'
import { invalidBank } from './bank-fields.ts'

/** The optional fields of every payment request. */
export const optionalFields = {
  narration: text(100, 0).nullish(),
  currency: z.literal('NGN', 'must be NGN').default('NGN'),
  metadata: metadata.nullish(),
}

/** How far a payment that leaves the balance has come, and what it costs. */
export const outflowFields = {
  status: z.enum(transferStatuses),
  isFinal: z.boolean().describe('No longer queued.'),
  amount: koboData,
  fee: koboData,
  totalDebit: koboData.describe('Amount and fee together.'),
  currency: z.string(),
}

/** How a payment of any kind is shown to have ended, after the reason that its kind gives. */
export const paymentEndFields = {
  failureMessage: z.string().nullable().describe('What happened, and what to do next.'),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
  completedAt: timeData.nullable(),
}

export function transferNotFound(): ApiError {
  return new ApiError('TRANSFER_NOT_FOUND', 'Transfer not found')
}

type Asked = { narration?: string | null | undefined; metadata?: Record<string, string> | null | undefined }

/** The optional fields as the payments room keeps them: null where the caller sent nothing, metadata as text. */
export function kept({ narration, metadata: asked }: Asked): { narration: string | null; metadata: string | null } {
  return {
    narration: narration ?? null,
    metadata: asked === undefined || asked === null ? null : JSON.stringify(asked),
  }
}

const noRailRetryAfterSeconds = 60

type Refusal = Exclude<AcceptOutcome, { kind: 'accepted' | 'replayed' }>

/** The field that names who is paid, and what the caller put there. */
export type Payee = { field: string; value: string | undefined }

/** Why nothing was accepted. `operation` begins a sentence: `Bank transfers`. */
export function refusal(outcome: Refusal, operation: string, payee: Payee): Error {
  switch (outcome.kind) {
    case 'differs':
      return conflict(outcome.first, `with another ${outcome.field}`, outcome.field)
    case 'other-kind':
      return conflict(outcome.first, `by a ${kindNames[outcome.first.kind]}`, 'reference')
    case 'unknown-bank':
      return invalidBank(payee.value ?? '')
    case 'unknown-operator':
      return unknownOperator(payee.value)
    case 'missing-rail':
      return new Unavailable(`${operation} are not available here: ${outcome.why}.`, {
        retryAfterSeconds: noRailRetryAfterSeconds,
      })
    case 'paused':
      return payoutsPaused()
    case 'twin': {
      // Within the day there is one like it, and a person asks. A program is its own judge: it has its references.
      const details = [{ field: 'second', message: outcome.first.reference }]
      const sentence = `${outcome.first.reference} pays the same amount to the same account, within the last 24 hours. Confirm that you want a second payout.`
      return new ApiError('SECOND_PAYOUT', sentence, { details })
    }
    case 'over-limit':
      return overLimit(outcome)
    case 'too-much':
      return validationError([beyondTheBooks])
    case 'insufficient-balance': {
      // As text: the largest amount and its fee together are more than a JSON integer may carry.
      const message = `required ${outcome.required}, available ${outcome.available}`
      return new ApiError('INSUFFICIENT_BALANCE', 'The balance does not cover amount and fee.', {
        details: [{ field: 'amount', message }],
      })
    }
  }
}

export function payoutsPaused(): ApiError {
  return new ApiError('PAYOUTS_PAUSED', 'Payouts are paused. Send the same reference again when they go on.')
}

type OverLimit = Extract<AcceptOutcome, { kind: 'over-limit' }>

function overLimit({ per, limit, left, newDayAt }: OverLimit): ApiError {
  const [sentence, message] =
    per === 'payment'
      ? [`One payout may be ${limit} kobo at most.`, `at most ${limit} in one payment`]
      : [
          `Of the ${limit} kobo that may be paid out in a day, ${left} are left.`,
          `at most ${left} until ${newDayAt.toISOString()}, when a new day begins in Lagos`,
        ]
  return new ApiError('LIMIT_EXCEEDED', sentence, { details: [{ field: 'amount', message }] })
}

/** `slug` is what the caller sent; undefined: it left the choice to the number's prefix. */
export function unknownOperator(slug: string | undefined): ApiError {
  const sentence =
    slug === undefined
      ? 'The number does not tell whose customer it is: send operator. GET /v1/momo/operators lists them.'
      : `There is no operator with the slug ${slug}. GET /v1/momo/operators lists them.`
  const message = slug === undefined ? 'is required for this number' : 'is not the slug of an operator'
  return new ApiError('INVALID_OPERATOR', sentence, { details: [{ field: 'operator', message }] })
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

/** The payment after a tester ended it. */
export function completed(outcome: TestersOutcome, status: string, notFound: () => ApiError): Payment {
  switch (outcome.kind) {
    case 'settled':
    case 'unchanged':
      return outcome.payment
    case 'not-found':
      throw notFound()
    case 'no-room':
      throw validationError([
        { field: 'status', message: 'the balance has no room for the money that would come back' },
      ])
    case 'impossible': {
      const { payment } = outcome
      const what = payment.kind === 'momo_collection' ? 'collection' : 'transfer'
      throw new ApiError('CONFLICT', `The ${what} is ${payment.status}: it can no longer become ${status}.`)
    }
  }
}
