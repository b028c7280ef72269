// The endpoints for virtual accounts, their fields in responses, and the errors when one cannot be opened.

import { z } from 'zod'
import { type Reply, endpoint, type Endpoint } from '#api/server/endpoint.ts'
import {
  koboData,
  record,
  timeData,
  reference,
  text,
  amount,
  metadata,
  limitParameter,
  pageParameter,
} from '#api/server/fields.ts'
import type { Deposits } from '#deposits/service.ts'
import { failureData, failureReasonNames } from '#deposits/deposit.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import {
  accountStatuses,
  accountTypes,
  amountPolicies,
  type DeclinedAccount,
  type OpeningOutcome,
  accountData,
} from '#virtual-accounts/account.ts'
import type { Accounts } from '#virtual-accounts/service.ts'
import { customerErased, customerNotFound } from './customers.ts'
import { invalidBank } from './directory.ts'
import { readEndpoint, listEndpoint } from './payments.ts'

const accountSchema = record('VirtualAccount', {
  id: z.string().describe('va_…'),
  type: z.enum(accountTypes),
  reference: z
    .string()
    .nullable()
    .describe('For a static account the reference of its customer; for a dynamic one yours, null if you gave none.'),
  accountNumber: z.string(),
  accountName: z.string(),
  bankName: z.string(),
  bankSlug: z.string(),
  currency: z.string(),
  status: z.enum(accountStatuses),
  amount: koboData.nullable(),
  amountPolicy: z.enum(amountPolicies).nullable(),
  expiresAt: timeData.nullable(),
  customer: record('VirtualAccountCustomer', { id: z.string(), reference: z.string() }).nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
})

const readAccountSchema = record('VirtualAccountDetails', {
  ...accountSchema.shape,
  lastFailure: record('VirtualAccountFailure', {
    reference: z.string().describe('DEP…, the reference of the deposit that failed.'),
    reason: z.enum(failureReasonNames),
    amount: koboData,
    createdAt: timeData,
  })
    .nullable()
    .describe('The last payment to this account that failed, and why. Null if none has failed.'),
})

/** The account number in the path. Any text is allowed; if it is no account number, no account is found. */
const accountNumberParams = z.object({ accountNumber: z.string() })

export function accountNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Virtual account not found')
}

function openedOr(
  outcome: OpeningOutcome,
  conflict: { message: string; field: string; fault: string },
  bankSlug = '',
): Reply<ReturnType<typeof accountData>> {
  switch (outcome.kind) {
    case 'opened':
      return { data: accountData(outcome.account) }
    case 'exists':
      throw new ApiError('CONFLICT', conflict.message, {
        details: [{ field: conflict.field, message: `${conflict.field} ${conflict.fault}`, code: 'in_use' }],
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
  const message = 'This bank offers no virtual accounts here. Leave bankSlug out, or choose another bank.'
  return new ApiError('INVALID_BANK', message, {
    details: [{ field: 'bankSlug', message: 'bankSlug cannot be used', code: 'not_allowed' }],
  })
}

type Unsupported = Extract<DeclinedAccount, { kind: 'unsupported' }>['what']

const limits: Record<Exclude<Unsupported, 'second-account'>, { field: string; message: string }> = {
  'any-amount': { field: 'amountPolicy', message: 'The bank that holds these accounts accepts only exact amounts' },
  'small-amount': { field: 'amount', message: 'The bank that holds these accounts does not accept so small an amount' },
  lifetime: {
    field: 'expiresInMinutes',
    message: 'The bank that holds these accounts does not keep them open so long',
  },
}

function unsupported(what: Unsupported): ApiError {
  if (what === 'second-account')
    return new ApiError('CONFLICT', 'The bank opens one account for each person, and this person already has one.', {
      details: [{ field: 'customerReference', message: 'the customer has an account already', code: 'in_use' }],
    })
  const { field, message } = limits[what]
  return new ApiError('VALIDATION_ERROR', `${message}.`, { details: [{ field, message }] })
}

function incompleteCustomer(missing: string[]): ApiError {
  const names = missing.join(', ')
  const message = `The bank that holds virtual accounts needs more data of the customer: ${names}. Update the customer, then try again.`
  const details = [{ field: 'customerReference', message: `the customer has no ${names}` }]
  return new ApiError('VALIDATION_ERROR', message, { details })
}

const staticConflict = {
  message:
    'The customer has an active account at this bank. Use it, or close it first. GET /v1/virtual-accounts with customerReference lists it.',
  field: 'customerReference',
  fault: 'has an active account at this bank',
}

export function virtualAccountsStatic(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'openStaticAccount',
    method: 'POST',
    path: '/v1/virtual-accounts/static',
    scope: 'collect',
    tag: 'Virtual accounts',
    summary: 'Open an account for a customer, for any amount and any number of payments',
    description: 'Each payment to it becomes a deposit. A customer has at most one active account at each bank.',
    body: z.object({
      customerReference: reference,
      bankSlug: text(100).nullish().describe('The bank where it is opened. Default: the service chooses one.'),
      accountName: text(100).nullish().describe('The name that a payer sees. Default: the name of the customer.'),
    }),
    data: accountSchema,
    errors: ['INVALID_BANK', 'NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, body: { customerReference, bankSlug, accountName } }) => {
      const request = { customerReference, bankSlug: bankSlug ?? undefined, accountName: accountName ?? undefined }
      return openedOr(await accounts.openStatic(caller.tenant, request), staticConflict, request.bankSlug)
    },
  })
}

const dynamicConflict = {
  message: 'A virtual account with this reference already exists',
  field: 'reference',
  fault: 'is in use',
}
const minutesSentence = 'must be a whole number of minutes from 5 to 1440'

export function virtualAccountsDynamic(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'openDynamicAccount',
    method: 'POST',
    path: '/v1/virtual-accounts/dynamic',
    scope: 'collect',
    tag: 'Virtual accounts',
    summary: 'Open an account for one payment of one amount',
    description:
      'The first payment of exactly `amount` before the account expires succeeds and completes the account. With ' +
      '`amountPolicy` `any`, the first payment of any amount does. Every other payment fails and is sent back.',
    body: z.object({
      amount,
      reference: reference.nullish(),
      accountName: text(100).nullish().describe('The name that a payer sees. Default: the name of the business.'),
      expiresInMinutes: z.int(minutesSentence).min(5, minutesSentence).max(1_440, minutesSentence).default(30),
      amountPolicy: z.enum(amountPolicies, `must be ${amountPolicies.join(' or ')}`).default('exact'),
      narration: text(100, 0).nullish(),
      metadata: metadata.nullish(),
    }),
    data: accountSchema,
    errors: ['CONFLICT'],
    handle: async ({ caller, body }) => {
      const request = {
        amount: body.amount,
        reference: body.reference ?? null,
        accountName: body.accountName ?? undefined,
        expiresInMinutes: body.expiresInMinutes,
        amountPolicy: body.amountPolicy,
        narration: body.narration ?? null,
        metadata: body.metadata === undefined || body.metadata === null ? null : JSON.stringify(body.metadata),
      }
      return openedOr(await accounts.openDynamic(caller.tenant, request), dynamicConflict)
    },
  })
}

export function virtualAccountGet(accounts: Accounts, deposits: Deposits): Endpoint {
  return readEndpoint({
    operationId: 'getVirtualAccount',
    path: '/v1/virtual-accounts/:accountNumber',
    tag: 'Virtual accounts',
    summary: 'One virtual account, by its number',
    description: 'Also finds completed, expired and closed accounts.',
    params: accountNumberParams,
    data: readAccountSchema,
    async find(tenant, { accountNumber }) {
      const [account, failed] = await Promise.all([
        accounts.read(tenant, accountNumber),
        deposits.lastFailed(tenant, accountNumber),
      ])
      return account === undefined ? undefined : { account, failed }
    },
    show: ({ account, failed }) => ({
      ...accountData(account),
      lastFailure: failed === undefined ? null : failureData(failed),
    }),
    notFound: accountNotFound,
  })
}

export function virtualAccountsList(accounts: Accounts): Endpoint {
  return listEndpoint({
    operationId: 'listVirtualAccounts',
    path: '/v1/virtual-accounts',
    tag: 'Virtual accounts',
    summary: 'All virtual accounts, the latest first',
    description: 'Static and dynamic accounts of every status, unless you filter them.',
    query: z.object({
      page: pageParameter,
      limit: limitParameter,
      type: z.enum(accountTypes, `must be ${accountTypes.join(' or ')}`).optional(),
      status: z.enum(accountStatuses, `must be one of ${accountStatuses.join(', ')}`).optional(),
      customerReference: text(100).optional(),
    }),
    name: 'virtualAccounts',
    item: accountSchema,
    list: async (tenant, question) => {
      const found = await accounts.list(tenant, question)
      return { items: found.accounts.map(accountData), total: found.total }
    },
  })
}

export function virtualAccountClose(accounts: Accounts): Endpoint {
  return endpoint({
    operationId: 'closeVirtualAccount',
    method: 'DELETE',
    path: '/v1/virtual-accounts/:accountNumber',
    scope: 'collect',
    tag: 'Virtual accounts',
    summary: 'Close a static account',
    description: 'Later payments to it fail and are sent back. Closing it again changes nothing.',
    params: accountNumberParams,
    data: accountSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params }) => {
      const outcome = await accounts.close(caller.tenant, params.accountNumber)
      switch (outcome.kind) {
        case 'closed':
          return { data: accountData(outcome.account) }
        case 'not-found':
          throw accountNotFound()
        case 'not-static':
          throw new ApiError('CONFLICT', 'A dynamic account cannot be closed. It completes or expires by itself.')
        default:
          return unreachable(outcome)
      }
    },
  })
}
