// The endpoints that list banks and mobile-money operators and look up the holder of an account or wallet. Also errors and
// texts about them that other endpoints share.

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import { coded, currencyName, koboData, plusAsSpace, record, text, validationError } from '#api/server/fields.ts'
import { type Bank, listBanks, unknownBank } from '#directory/banks.ts'
import type { Resolver } from '#directory/resolve.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError, type FieldError, Unavailable } from '#platform/errors.ts'
import {
  countryCodes,
  findOperator,
  parsePhoneNumber,
  recipientKinds,
  type MomoOperator,
} from '#directory/operators.ts'
import { toWire } from '#platform/money.ts'

const bankRecord = record('Bank', {
  name: z.string(),
  slug: z.string().describe('Identifies the bank in transfers. Unique; it never changes.'),
  code: z.string().describe('The code of the bank. Several banks can share a code, so prefer the slug.'),
  nipCode: z.string().nullable().describe('The code of the institution on NIP; null if unknown.'),
  type: z.string(),
  country: z.literal('NG'),
  currency: z.literal('NGN'),
  active: z.boolean(),
})

const searchLengthMax = 100

export function banksList(): Endpoint {
  return endpoint({
    operationId: 'listBanks',
    method: 'GET',
    path: '/v1/banks',
    scope: 'any',
    tag: 'Banks',
    summary: 'All banks, by name',
    description:
      'The whole list in one response. `search` also finds a bank by its codes and its usual short names: `gtb`, `uba`, `058`. Transfers take the `slug`.',
    query: z.object({
      search: text(searchLengthMax, 0)
        .optional()
        .describe('Only banks whose name, short name or code has all these words.'),
    }),
    data: z.object({ banks: z.array(bankRecord) }),
    handle: ({ query }) => Promise.resolve({ data: { banks: listBanks(query).map(bankData) } }),
  })
}

/** Leaves out the fields that only rail adapters need. */
function bankData({ name, slug, code, nipCode, type, country, currency, active }: Bank) {
  return { name, slug, code, nipCode, type, country, currency, active }
}

const bankWordLengthMax = 100

const resolveQuery = z
  .object({
    accountNumber: z
      .string('must be a string')
      .regex(/^\d{10}$/, 'must be the 10 digits of the account number, leading zeros included'),
    bankSlug: text(bankWordLengthMax).optional().describe('The slug of the bank. Required without `bankCode`.'),
    bankCode: text(bankWordLengthMax)
      .optional()
      .describe('The code of the bank. Required without `bankSlug`. A code that several banks share is refused.'),
  })
  .refine(({ bankSlug, bankCode }) => bankSlug !== undefined || bankCode !== undefined, {
    path: ['bankSlug'],
    ...coded('is required (or bankCode)', 'required'),
    // Runs even if the account number is wrong too, so that the caller gets all errors at once.
    when: () => true,
  })

export function bankResolve(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'resolveBankAccount',
    method: 'GET',
    path: '/v1/bank/resolve',
    scope: 'any',
    tag: 'Banks',
    summary: 'The holder of a bank account',
    description:
      'Asks the bank for the name of the holder, so that you can check it before a transfer. Needs `bankSlug` or `bankCode`; if you send both, they must name the same bank.',
    query: resolveQuery,
    data: record('BankAccount', {
      accountNumber: z.string(),
      accountName: z.string(),
      bankSlug: z.string(),
      bankName: z.string(),
      bankCode: z.string(),
    }),
    errors: ['INVALID_BANK', 'ACCOUNT_NOT_RESOLVED'],
    handle: async ({ caller, query: question }) => {
      const outcome = await resolver.account(caller.tenant.environment, question)
      switch (outcome.kind) {
        case 'resolved': {
          const { bank, accountNumber, accountName } = outcome
          return {
            data: { accountNumber, accountName, bankSlug: bank.slug, bankName: bank.name, bankCode: bank.code },
          }
        }
        case 'invalid-bank':
          throw new ApiError('INVALID_BANK', outcome.message, {
            details: [wrongValue(question.bankSlug === undefined ? 'bankCode' : 'bankSlug', 'does not name one bank')],
          })
        case 'not-found':
          throw new ApiError(
            'ACCOUNT_NOT_RESOLVED',
            `${outcome.bank.name} has no such account. Check the number and the bank.`,
            { details: [wrongValue('accountNumber', 'is no account at this bank')] },
          )
        case 'unavailable':
          throw noAnswerOf(outcome.bank, outcome.detail)
        default:
          return unreachable(outcome)
      }
    },
  })
}

function wrongValue(field: string, fault: string): FieldError {
  return { field, message: `${field} ${fault}`, code: 'not_allowed' }
}

export function invalidBank(slug: string): ApiError {
  const details = [{ field: 'bankSlug', message: 'is not the slug of a bank', code: 'not_allowed' as const }]
  return new ApiError('INVALID_BANK', unknownBank(slug), { details })
}

const retryAfterSeconds = 5

/** The error if a bank or operator does not respond to a look-up. `detail` is only for the log. */
function noAnswerOf({ name }: { name: string }, detail: string): Unavailable {
  return new Unavailable(`${name} does not respond now. Try again shortly.`, {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}

export const phoneForms =
  'must be a phone number such as 08030000000, 2348030000000 or +2348030000000; for other countries such as +233240000000'

const country = z
  .enum(countryCodes, `must be one of ${countryCodes.join(', ')}`)
  .optional()
  .describe('The two letters of a country (ISO 3166-1).')

const operatorRecord = record('MomoOperator', {
  name: z.string(),
  slug: z.string().describe('Identifies the operator in transfers and collections. Unique; it never changes.'),
  country: z.string().describe('The two letters of its country (ISO 3166-1).'),
  currency: z.string(),
  decimals: z
    .int()
    .describe('How many decimals its amounts may have. 0 means whole units only, even if the currency has cents.'),
  prefixes: z
    .array(z.string())
    .describe('The first digits of its numbers, without the leading 0. A number may have moved to another operator.'),
  recipient: z
    .enum(recipientKinds)
    .describe('Who is paid: `phone` is a wallet; `till` and `paybill` are businesses, paid by `accountNumber`.'),
  supports: record('MomoOperatorSupport', { transfer: z.boolean(), collection: z.boolean() }),
  requiresOtp: z.boolean().describe('True if its customers approve a collection with a one-time code.'),
  minAmount: koboData,
  maxAmount: koboData,
  status: z.literal('active'),
})

export function momoOperators(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'listMomoOperators',
    method: 'GET',
    path: '/v1/momo/operators',
    scope: 'any',
    tag: 'Mobile money',
    summary: 'All mobile-money operators',
    description:
      'The operators that this environment can serve, with their currencies, number prefixes, supported payments and ' +
      'limits.',
    query: z.object({
      country,
      currency: currencyName.optional(),
      search: text(searchLengthMax, 0)
        .optional()
        .describe('Only operators whose name, network or country has all these words.'),
    }),
    data: z.object({ operators: z.array(operatorRecord) }),
    handle: ({ caller, query }) => {
      const served = resolver.operators(caller.tenant.environment, query)
      return Promise.resolve({ data: { operators: served.map(operatorData) } })
    },
  })
}

/** Leaves out the fields that only rail adapters need. */
function operatorData(one: MomoOperator) {
  return {
    name: one.name,
    slug: one.slug,
    country: one.country,
    currency: one.currency,
    decimals: one.decimals,
    prefixes: one.prefixes,
    recipient: one.recipient,
    supports: one.supports,
    requiresOtp: one.requiresOtp,
    minAmount: toWire(one.minAmount),
    maxAmount: toWire(one.maxAmount),
    status: one.status,
  }
}

export function momoResolve(resolver: Resolver): Endpoint {
  return endpoint({
    operationId: 'resolvePhoneNumber',
    method: 'GET',
    path: '/v1/momo/resolve',
    scope: 'any',
    tag: 'Mobile money',
    summary: 'The holder of a wallet',
    description:
      'Asks the operator for the name of the holder, so that you can check it before a transfer. The prefix of the number ' +
      'decides the operator unless you send `operator`, because a number may have moved. A number in the national form of ' +
      'a country other than Nigeria needs `country`; a number of another country than `country` is refused.',
    query: z.object({
      phoneNumber: z
        .string('must be a string')
        // A `+` that is not encoded arrives as a space.
        .regex(/^\+?\d{1,15}$/, { error: ({ input }) => (/^ \d/.test(String(input)) ? plusAsSpace : phoneForms) })
        .describe(
          '08030000000, 2348030000000 or +2348030000000; with `country` also the national form of that country.',
        ),
      country,
      operator: text(100).optional().describe('The slug of an operator from GET /v1/momo/operators.'),
    }),
    data: record('MomoWallet', {
      phoneNumber: z.string(),
      operator: z.string(),
      operatorName: z.string(),
      accountName: z.string(),
      currency: z.string(),
    }),
    errors: ['INVALID_OPERATOR', 'PHONE_NOT_RESOLVED'],
    handle: async ({ caller, query }) => {
      const question = { phoneNumber: phoneNumberOf(query), operatorSlug: query.operator }
      const outcome = await resolver.phone(caller.tenant.environment, question)
      switch (outcome.kind) {
        case 'resolved': {
          const { operator, accountName } = outcome
          const { slug, name, currency } = operator
          return {
            data: { phoneNumber: outcome.phoneNumber, operator: slug, operatorName: name, accountName, currency },
          }
        }
        case 'invalid-operator':
          throw unknownOperator(query.operator)
        case 'not-found':
          throw new ApiError(
            'PHONE_NOT_RESOLVED',
            'No wallet has this number. Check the number, or send its operator.',
            {
              details: [wrongValue('phoneNumber', 'has no wallet')],
            },
          )
        case 'unavailable':
          throw noAnswerOf(outcome.operator, outcome.detail)
        default:
          return unreachable(outcome)
      }
    },
  })
}

function phoneNumberOf(query: { phoneNumber: string; country?: string | undefined }): string {
  const parsed = parsePhoneNumber(query.phoneNumber, query.country)
  if (parsed !== undefined) return parsed
  const message = query.country === undefined ? phoneForms : `must be a phone number of ${query.country}`
  throw validationError([{ field: 'phoneNumber', message: `phoneNumber ${message}`, code: 'wrong_format' }])
}

/** `slug` is the caller's value; undefined if the caller left the choice to the number's prefix. */
export function unknownOperator(slug: string | undefined): ApiError {
  const operator = findOperator(slug ?? '')
  if (operator !== undefined && operator.recipient !== 'phone') return notThisWay(operator)
  const [sentence, message] =
    slug === undefined
      ? [
          'The operator of this number is unknown. Send operator. GET /v1/momo/operators lists them.',
          'is required for this number',
        ]
      : operator === undefined
        ? [
            `There is no operator with the slug ${slug}. GET /v1/momo/operators lists them.`,
            'is not the slug of an operator',
          ]
        : [
            `${operator.name} serves numbers that begin with +${operator.callingCode}. Send the operator of this number.`,
            'does not serve this number',
          ]
  const code = slug === undefined ? 'required' : 'not_allowed'
  return new ApiError('INVALID_OPERATOR', sentence, { details: [{ field: 'operator', message, code }] })
}

/**
 * The error for an operator of tills or paybills: the request gives a phone number or is a collection, or no rail
 * serves the operator.
 */
function notThisWay({ name }: MomoOperator): ApiError {
  const sentence = `${name} has no phone numbers and takes no collections. Pay it with POST /v1/momo/transfer and accountNumber, where GET /v1/momo/operators lists it.`
  const details = [{ field: 'operator', message: 'does not serve this request', code: 'not_allowed' as const }]
  return new ApiError('INVALID_OPERATOR', sentence, { details })
}
