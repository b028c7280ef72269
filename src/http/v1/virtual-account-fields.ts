// What a virtual account looks like in answers, and why one could not be opened: stated once for its endpoints.

import { z } from 'zod'
import { unreachable } from '#base/assert.ts'
import { ApiError } from '#base/error.ts'
import { accountStatuses, accountTypes, amountPolicies } from '#customers/account.ts'
import type { Declined, OpeningOutcome } from '#customers/opening.ts'
import { accountData } from '#customers/wire.ts'
import { failureReasonNames } from '#deposits/wire.ts'
import type { Reply } from '#http/endpoint.ts'
import { koboData, record, timeData } from '#http/fields.ts'
import { invalidBank } from './bank-fields.ts'
import { customerErased, customerNotFound } from './customer-fields.ts'

export const accountSchema = record('VirtualAccount', {
  id: z.string().describe('va_…'),
  type: z.enum(accountTypes),
  reference: z.string().nullable().describe("Static: the customer's. Dynamic: the one given when it was made."),
  accountNumber: z.string(),
  accountName: z.string(),
  bankName: z.string(),
  bankSlug: z.string(),
  currency: z.string(),
  status: z.enum(accountStatuses),
  amount: koboData.nullable(),
  amountPolicy: z.enum(amountPolicies).nullable(),
  expiresAt: timeData.nullable(),
  customer: z.object({ id: z.string(), reference: z.string() }).nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
})

/** What one account is read as. */
export const readAccountSchema = record('VirtualAccountDetails', {
  ...accountSchema.shape,
  lastFailure: z
    .object({
      reference: z.string().describe('DEP…; the deposit that failed.'),
      reason: z.enum(failureReasonNames),
      amount: koboData,
      createdAt: timeData,
    })
    .nullable()
    .describe('The last payment to this account that failed, and why. Null when none has.'),
})

/** The path's account number. Any text is allowed: a text that is no account number is an account that is not found. */
export const accountNumberParams = z.object({ accountNumber: z.string() })

export function accountNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Virtual account not found')
}

export function openedOr(
  outcome: OpeningOutcome,
  conflict: { message: string; field: string },
  bankSlug = '',
): Reply<ReturnType<typeof accountData>> {
  switch (outcome.kind) {
    case 'opened':
      return { data: accountData(outcome.account) }
    case 'exists':
      throw new ApiError('CONFLICT', conflict.message, {
        details: [{ field: conflict.field, message: `${conflict.field} is in use` }],
      })
    case 'unknown-customer':
      throw customerNotFound()
    case 'erased-customer':
      throw customerErased()
    case 'unknown-bank':
      throw invalidBank(bankSlug)
    case 'unsupported-bank':
      throw unsupportedBank()
    case 'unsupported':
      throw unsupported(outcome.what)
    case 'incomplete-customer':
      throw incompleteCustomer(outcome.missing)
    default:
      return unreachable(outcome)
  }
}

function unsupportedBank(): ApiError {
  const message = 'That bank holds no virtual accounts here. Leave bankSlug out, or choose another one.'
  return new ApiError('INVALID_BANK', message, { details: [{ field: 'bankSlug', message: 'bankSlug cannot be used' }] })
}

type Unsupported = Extract<Declined, { kind: 'unsupported' }>['what']

const limits: Record<Exclude<Unsupported, 'second-account'>, { field: string; message: string }> = {
  'any-amount': { field: 'amountPolicy', message: 'The bank that holds these accounts takes exact amounts alone' },
  'small-amount': { field: 'amount', message: 'The bank that holds these accounts takes no amount as small as this' },
  lifetime: { field: 'expiresInMinutes', message: 'The bank that holds these accounts keeps none open for so long' },
}

function unsupported(what: Unsupported): ApiError {
  if (what === 'second-account')
    return new ApiError('CONFLICT', 'The bank opens one account for a person, and this person has one already.', {
      details: [{ field: 'customerReference', message: 'the customer has an account already' }],
    })
  const { field, message } = limits[what]
  return new ApiError('VALIDATION_ERROR', `${message}.`, { details: [{ field, message }] })
}

function incompleteCustomer(missing: string[]): ApiError {
  const names = missing.join(', ')
  const message = `The bank that holds virtual accounts must know more of the customer: ${names}. Update it, and try again.`
  const details = [{ field: 'customerReference', message: `the customer has no ${names}` }]
  return new ApiError('VALIDATION_ERROR', message, { details })
}
