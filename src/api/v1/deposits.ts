// The endpoints for deposits, and the fields of a deposit in responses.

import { z } from 'zod'
import { type Reply, type Endpoint, endpoint } from '#api/server/endpoint.ts'
import {
  koboData,
  record,
  timeData,
  beyondTheBooks,
  validationError,
  accountNumber,
  listParameters,
  text,
  referenceParams,
} from '#api/server/fields.ts'
import {
  depositData,
  type DepositData,
  type DepositStatus,
  depositStatuses,
  type TestersOutcome,
} from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/service.ts'
import { unreachable } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import { toWire } from '#platform/money.ts'
import { listEndpoint, readEndpoint } from './payments.ts'

export const depositSchema = record('Deposit', {
  id: z.string().describe('dep_…'),
  amount: koboData,
  reference: z.string().describe('DEP…, assigned by the service.'),
  status: z.enum(depositStatuses),
  currency: z.string(),
  senderAccountName: z.string(),
  senderAccountNumber: z.string(),
  senderBankName: z.string(),
  recipientAccountName: z.string(),
  recipientAccountNumber: z.string(),
  recipientBankName: z.string(),
  narration: z.string(),
  fee: koboData.describe('The fee that is deducted from the amount when the deposit is SUCCESSFUL.'),
  createdAt: timeData,
  updatedAt: timeData.describe('The time of the last change of its status.'),
})

/** Throws if the reference in the path is blank, which means that the caller left it out. */
function requireReference(unchecked: string): string {
  if (unchecked.trim() !== '') return unchecked
  throw referenceRequired()
}

function referenceRequired(): ApiError {
  return new ApiError('VALIDATION_ERROR', 'Reference is required', {
    details: [{ field: 'reference', message: 'reference is required', code: 'required' }],
  })
}

export function depositNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Deposit not found')
}

/** The response to a sandbox call that made or settled a deposit. Throws if the call was refused. */
export function depositReply(
  outcome: TestersOutcome,
  status: DepositStatus,
  notFound: () => ApiError,
): Reply<DepositData> {
  switch (outcome.kind) {
    case 'recorded':
    case 'settled':
    case 'unchanged':
      return { data: depositData(outcome.deposit) }
    case 'contradicted':
      throw new ApiError('CONFLICT', `The deposit is ${outcome.deposit.status}: it can no longer become ${status}.`)
    case 'too-much':
    case 'waits-for-room':
      throw validationError([beyondTheBooks])
    case 'not-found':
      throw notFound()
    default:
      return unreachable(outcome)
  }
}

export function depositsList(deposits: Deposits): Endpoint {
  return listEndpoint({
    operationId: 'listDeposits',
    path: '/v1/deposits',
    tag: 'Deposits',
    summary: 'All deposits, the latest first',
    description: 'Payments to virtual accounts, and mobile-money collections.',
    query: z.object({
      ...listParameters(depositStatuses),
      accountNumber: accountNumber.optional(),
      customerReference: text(100).optional(),
    }),
    name: 'deposits',
    item: depositSchema,
    list: async (tenant, { to, ...question }) => {
      const found = await deposits.list(tenant, { ...question, before: to })
      return { items: found.deposits.map(depositData), total: found.total }
    },
  })
}

export function depositGet(deposits: Deposits): Endpoint {
  return readEndpoint({
    operationId: 'getDeposit',
    path: '/v1/deposits/:reference',
    tag: 'Deposits',
    summary: 'One deposit, by its reference',
    description:
      'Takes the `reference` that the service assigned. To decide whether to fulfill an order, use GET /v1/deposits/validate/{reference}.',
    emptyReference: true,
    params: referenceParams,
    data: depositSchema,
    async find(tenant, { reference }) {
      // `GET /v1/deposits/validate` is a validation without a reference: no deposit has the reference `validate`.
      if (reference === 'validate') throw referenceRequired()
      return deposits.read(tenant, requireReference(reference))
    },
    show: depositData,
    notFound: depositNotFound,
  })
}

const existing = record('DepositFound', {
  exists: z.literal(true),
  reference: z.string(),
  status: z.enum(depositStatuses),
  amount: koboData,
  currency: z.string(),
  valid: z.boolean().describe('True if the status is SUCCESSFUL. Fulfill an order only then.'),
})
const missing = record('DepositMissing', { exists: z.literal(false), reference: z.string(), message: z.string() })
const validation = z.union([existing, missing]).meta({ id: 'DepositValidation' })

export function depositValidate(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'validateDeposit',
    method: 'GET',
    path: '/v1/deposits/validate/:reference',
    scope: 'read',
    tag: 'Deposits',
    summary: 'Check whether a deposit was successful',
    description:
      'Call it before you fulfill an order. `valid` is true only if the deposit exists and is SUCCESSFUL. An unknown reference is no error: the response has `exists: false`.',
    emptyReference: true,
    params: referenceParams,
    data: validation,
    handle: async ({ caller, params }) => {
      const reference = requireReference(params.reference)
      const deposit = await deposits.read(caller.tenant, reference)
      if (deposit === undefined) return { data: { exists: false as const, reference, message: 'Deposit not found' } }
      const { status, amount, currency } = deposit
      const valid = status === 'SUCCESSFUL'
      return { data: { exists: true as const, reference, status, amount: toWire(amount), currency, valid } }
    },
  })
}
