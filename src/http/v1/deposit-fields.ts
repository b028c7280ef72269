// What a deposit looks like in answers, and what is wrong with asking for none: stated once for its endpoints.

import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError } from '#base/error.ts'
import { depositStatuses, type DepositStatus } from '#deposits/deposit.ts'
import type { TestersOutcome } from '#deposits/command.ts'
import { depositData, type DepositData } from '#deposits/wire.ts'
import type { Reply } from '#http/endpoint.ts'
import { koboData, record, timeData } from '#http/fields.ts'
import { beyondTheBooks, validationError } from '#http/validate.ts'

export const depositSchema = record('Deposit', {
  id: z.string().describe('dep_…'),
  amount: koboData,
  reference: z.string().describe('DEP…; given by the service.'),
  status: z.enum(depositStatuses),
  currency: z.string(),
  senderAccountName: z.string(),
  senderAccountNumber: z.string(),
  senderBankName: z.string(),
  recipientAccountName: z.string(),
  recipientAccountNumber: z.string(),
  recipientBankName: z.string(),
  narration: z.string(),
  fee: koboData.describe('In kobo; deducted when it is SUCCESSFUL.'),
  createdAt: timeData,
  updatedAt: timeData.describe('Of the last change of its status.'),
})

/** Refuses a blank: the caller left out the reference. */
export function requireReference(unchecked: string): string {
  if (unchecked.trim() !== '') return unchecked
  throw referenceRequired()
}

export function referenceRequired(): ApiError {
  return new ApiError('VALIDATION_ERROR', 'Reference is required', {
    details: [{ field: 'reference', message: 'reference is required' }],
  })
}

export function depositNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Deposit not found')
}

/** The answer to a tester who made or settled a deposit. */
export function depositReply(
  outcome: TestersOutcome,
  word: DepositStatus,
  notFound: () => ApiError,
): Reply<DepositData> {
  switch (outcome.kind) {
    case 'recorded':
    case 'settled':
    case 'unchanged':
      return { data: depositData(outcome.deposit) }
    case 'contradicted':
      throw new ApiError('CONFLICT', `The deposit is ${outcome.deposit.status}: it can no longer become ${word}.`)
    case 'too-much':
    case 'waits-for-room':
      throw validationError([beyondTheBooks])
    case 'not-found':
      throw notFound()
    default:
      return unreachable(outcome)
  }
}
