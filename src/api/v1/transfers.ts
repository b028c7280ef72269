// The endpoints for bank transfers, one by one and in bulk, and the fields of a bank transfer in requests and responses.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import {
  accountNumber,
  amount,
  record,
  reference,
  text,
  errorDetail,
  check,
  validationError,
} from '#api/server/fields.ts'
import { transferStatuses, asAccepted, type BankTransferRequest } from '#payments/payment.ts'
import type { Payments, ItemFailure } from '#payments/service.ts'
import { bankFailureReasonNames, transferData } from '#payments/wire.ts'
import { present } from '#platform/assert.ts'
import { ApiError, type FieldError } from '#platform/errors.ts'
import { nulFaults } from '#api/server/input.ts'
import type { LoggedFault } from '#api/server/exchange.ts'
import type { BankTransferOutcome } from '#payments/accept.ts'
import {
  type PaymentShape,
  optionalFields,
  outflowFields,
  paymentEndFields,
  transferNotFound,
  acceptedReply,
  storedFields,
  paymentGet,
  paymentsList,
  payoutsPaused,
  refusal,
} from './payments.ts'

const bankTransferRequest = record(
  'TransferRequest',
  {
    reference,
    amount,
    bankSlug: text(100).describe('The slug of a bank from GET /v1/banks.'),
    accountNumber,
    accountName: text(100),
    currency: z.literal('NGN', 'must be NGN').default('NGN'),
    ...optionalFields,
  },
  'must be an object',
)

const schema = record('Transfer', {
  id: z.string().describe('trf_…'),
  reference: z.string(),
  ...outflowFields,
  bankSlug: z.string(),
  bankName: z.string(),
  accountNumber: z.string(),
  accountName: z.string(),
  narration: z.string().nullable(),
  sessionId: z.string().nullable().describe('The 30-digit NIP session id. Null until the transfer has succeeded.'),
  failureReason: z.enum(bankFailureReasonNames).nullable(),
  ...paymentEndFields,
})

export const bankTransfers: PaymentShape<typeof schema> = {
  kind: 'bank_transfer',
  plural: 'Bank transfers',
  listName: 'transfers',
  statuses: transferStatuses,
  schema,
  show: transferData,
  notFound: transferNotFound,
}

export function transfersInitiate(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateTransfer',
    method: 'POST',
    idempotent: true,
    path: '/v1/transfers/initiate',
    scope: 'payout',
    tag: 'Transfers',
    summary: 'Send money to a bank account',
    description:
      'Idempotent on `reference`: a repeated request with the same amount, bank and account gets the first answer again, ' +
      'with the header `Idempotent-Replayed: true`, and moves no money.',
    body: bankTransferRequest,
    data: bankTransfers.schema,
    errors: ['INVALID_BANK', 'INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED', 'PAYOUTS_PAUSED', 'CONFLICT'],
    handle: async ({ caller, body: asked }) => {
      const outcome = await payments.initiate(caller.tenant, { ...asked, ...storedFields(asked) }, caller)
      return acceptedReply(bankTransfers, outcome, { field: 'bankSlug', value: asked.bankSlug })
    },
  })
}

export function transferGet(payments: Payments): Endpoint {
  return paymentGet(payments, bankTransfers, {
    operationId: 'getTransfer',
    path: '/v1/transfers/:reference',
    tag: 'Transfers',
    summary: 'One bank transfer, by its reference',
    description: 'Use it after a timeout or a 5xx to see whether the transfer was accepted.',
  })
}

export function transfersList(payments: Payments): Endpoint {
  return paymentsList(payments, bankTransfers, {
    operationId: 'listTransfers',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'All bank transfers, the latest first',
    description: 'A page has 20 transfers unless `limit` says otherwise.',
  })
}

// Many bank transfers in one request. Each item is processed as if it had been sent alone, after the one before it.

const itemsMax = 1_000
const itemsPerRequest = 10

/**
 * Items are processed in portions of this size: with a thousand at once, their temporary objects would live long enough
 * to reach the garbage collector's old generation, which costs more to clean.
 */
const portionMax = 250

function transfersOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    transfers: z
      .array(item, 'must be an array')
      .min(1, 'must not be empty')
      .max(itemsMax, `must have at most ${itemsMax} items`),
  })
}

const outcomes = ['accepted', 'replayed', 'refused'] as const

const result = record('BulkTransferResult', {
  index: z.int().describe('The position of the item in `transfers`, counted from 0.'),
  reference: z.string().nullable().describe('The reference as you sent it. Null if the item had none, or no text.'),
  outcome: z.enum(outcomes),
  transfer: bankTransfers.schema
    .nullable()
    .describe('The `data` that POST /v1/transfers/initiate would return. Null if the item was refused.'),
  error: errorDetail
    .nullable()
    .describe('Why the item was refused: the error that POST /v1/transfers/initiate would return. Null otherwise.'),
})
type ItemResult = z.input<typeof result>

export function transfersBulk(payments: Payments): Endpoint {
  return endpoint({
    operationId: 'initiateTransfers',
    method: 'POST',
    path: '/v1/transfers/bulk',
    scope: 'payout',
    tag: 'Transfers',
    summary: 'Send money to many bank accounts',
    description:
      'Handles up to 1,000 transfers in their order, as if each were sent to POST /v1/transfers/initiate after the one before ' +
      'it. A refused item does not stop the others. The body may be up to 1 MiB. Ten items count as one request, rounded up. ' +
      'After a timeout or a 5xx, send the same body again: accepted items are replayed, and the others are handled.',
    body: transfersOf(z.unknown()),
    bodyBytesMax: 1024 * 1024,
    items: { field: 'transfers', bodyShown: transfersOf(bankTransferRequest) },
    countsAs: ({ transfers }) => Math.ceil(transfers.length / itemsPerRequest),
    data: z.object({ results: z.array(result), accepted: z.int(), replayed: z.int(), refused: z.int() }),
    errors: ['PAYOUTS_PAUSED'],
    handle: async ({ caller, body }) => {
      const results: ItemResult[] = []
      let wasTaken = false
      const count = (kind: ItemResult['outcome']): number => results.filter(({ outcome }) => outcome === kind).length
      for (let from = 0; from < body.transfers.length; from += portionMax) {
        const items = await mapInSlices(body.transfers.slice(from, from + portionMax), readItem)
        const requests = items.filter((item) => 'bankSlug' in item)
        const decided = await payments.initiateMany(caller.tenant, requests, caller, wasTaken)
        wasTaken ||= requests.length > 0
        // Once an item was accepted, the response must report it, so a pause then refuses each of the other items
        // separately and not the whole request.
        if (count('accepted') === 0 && isPausedAsAWhole(decided)) throw payoutsPaused()
        let next = 0
        const answers = await mapInSlices(items, (item, index): ItemResult => {
          const answer =
            'bankSlug' in item
              ? answerTo(item, present(decided[next++], 'every request has its outcome'))
              : refused(item.error)
          return { index: from + index, reference: item.reference, ...answer }
        })
        results.push(...answers)
      }
      const faults = faultsOf(results)
      return {
        data: { results, accepted: count('accepted'), replayed: count('replayed'), refused: count('refused') },
        ...(faults.length === 0 ? {} : { faults }),
      }
    },
  })
}

/** Invalid items are the slowest to validate: 100 of them take about 3 ms. */
const sliceMax = 100

/** Maps the items of a bulk request, and lets other requests run after each 100. */
async function mapInSlices<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
  const mapped: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % sliceMax === 0) await nextTurn()
    mapped.push(map(item, index))
  }
  return mapped
}

/**
 * The wrong fields of each refused item, for the request log. If an item was refused without a wrong field, the item
 * itself is named.
 */
function faultsOf(results: readonly ItemResult[]): LoggedFault[] {
  return results.flatMap(({ index, error }) => {
    if (error === null) return []
    const { code: errorCode, message, details = [] } = error
    const item = `transfers.${index}`
    if (details.length === 0) return [{ field: item, message, errorCode }]
    return details.map((detail) => ({
      field: `${item}.${detail.field}`,
      message: detail.message.startsWith(detail.field) ? `${item}.${detail.message}` : detail.message,
      errorCode,
    }))
  })
}

/**
 * Returns true if a pause refuses at least one of these items and none was accepted. The other items may be replays, or
 * refused for another reason.
 */
function isPausedAsAWhole(decided: (BankTransferOutcome | ItemFailure)[]): boolean {
  return decided.some(({ kind }) => kind === 'paused') && !decided.some(({ kind }) => kind === 'accepted')
}

function readItem(unchecked: unknown): BankTransferRequest | { reference: string | null; error: ApiError } {
  const details: FieldError[] = nulFaultsOf(unchecked)
  const asked = details.length > 0 ? undefined : check(bankTransferRequest, unchecked, 'item', details)
  if (asked !== undefined) return { ...asked, ...storedFields(asked) }
  return { reference: referenceOf(unchecked), error: validationError(details) }
}

function nulFaultsOf(unchecked: unknown): FieldError[] {
  const isFields = typeof unchecked === 'object' && unchecked !== null && !Array.isArray(unchecked)
  return isFields ? nulFaults(unchecked as Record<string, unknown>) : []
}

function referenceOf(unchecked: unknown): string | null {
  const fields = (unchecked ?? {}) as { reference?: unknown }
  return typeof fields.reference === 'string' ? fields.reference : null
}

type ItemAnswer = Pick<ItemResult, 'outcome' | 'transfer' | 'error'>

function answerTo({ bankSlug }: BankTransferRequest, outcome: BankTransferOutcome | ItemFailure): ItemAnswer {
  if (outcome.kind === 'accepted')
    return { outcome: 'accepted', transfer: bankTransfers.show(outcome.payment), error: null }
  if (outcome.kind === 'replayed')
    return { outcome: 'replayed', transfer: bankTransfers.show(asAccepted(outcome.payment)), error: null }
  if (outcome.kind === 'failed') {
    const sentence = 'Something went wrong on our side with this item. It was logged under its reference.'
    return refused(new ApiError('INTERNAL_ERROR', sentence))
  }
  const error = refusal(outcome, bankTransfers.plural, { field: 'bankSlug', value: bankSlug })
  // Without a rail for bank transfers no item can be accepted, so the whole request fails as unavailable.
  if (!(error instanceof ApiError)) throw error
  return refused(error)
}

function refused({ code, message, details }: ApiError): ItemAnswer {
  return { outcome: 'refused', transfer: null, error: { code, message, ...(details === undefined ? {} : { details }) } }
}
