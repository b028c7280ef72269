// By what people pick out payments beyond what the API's lists know; the same for a page and for its file.

import { z } from 'zod'
import { amountMax, toKobo } from '#base/money.ts'
import { validationError } from '#http/validate.ts'
import { collectionStatuses, transferStatuses, type PaymentKind, type PaymentStatus } from '#payments/payment.ts'
import type { PaymentFilter } from '#payments/search.ts'
import { bankFailureReasonNames, momoFailureReasonNames } from '#payments/wire.ts'

/** As the pages call them. */
export const paymentNouns = {
  transfers: { kind: 'bank_transfer', statuses: transferStatuses, reasons: bankFailureReasonNames },
  'momo-transfers': { kind: 'momo_transfer', statuses: transferStatuses, reasons: momoFailureReasonNames },
  collections: { kind: 'momo_collection', statuses: collectionStatuses, reasons: momoFailureReasonNames },
} as const satisfies Record<string, { kind: PaymentKind; statuses: readonly string[]; reasons: readonly string[] }>

export type PaymentNoun = keyof typeof paymentNouns

const once = 'must be given once'
const word = z.string(once).max(100, 'must have at most 100 characters').optional()
const kobo = z
  .string(once)
  .regex(/^\d{1,16}$/, 'must be a whole number of kobo')
  .transform(BigInt)
  .refine((amount) => amount <= amountMax, `must be at most ${amountMax}`)
  .transform(toKobo)
  .optional()

export const paymentFilterParameters = {
  status: word,
  amountFrom: kobo,
  amountTo: kobo,
  bankSlug: word,
  operator: word,
  failureReason: word,
  metadata: z.string(once).max(500, 'must have at most 500 characters').optional(),
}

type Asked = Omit<PaymentFilter, 'status'> & { status?: string | undefined }

/** Throws where a word is none of this kind of payment: a list that is empty for that would be believed. */
export function paymentFilterOf(noun: PaymentNoun, asked: Asked): PaymentFilter {
  const { statuses, reasons } = paymentNouns[noun]
  const { status, failureReason, amountFrom, amountTo, bankSlug, operator, metadata } = asked
  requireOneOf('status', status, statuses)
  requireOneOf('failureReason', failureReason, reasons)
  return {
    status: status as PaymentStatus | undefined,
    failureReason,
    amountFrom,
    amountTo,
    bankSlug,
    operator,
    metadata,
  }
}

function requireOneOf(field: string, asked: string | undefined, words: readonly string[]): void {
  if (asked === undefined || words.includes(asked)) return
  throw validationError([{ field, message: `${field} must be one of ${words.join(', ')}` }])
}
