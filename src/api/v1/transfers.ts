// The endpoints for bank transfers, and the fields of a bank transfer in requests and responses.

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
import { mapInSlices } from '#api/server/answer.ts'
import type { BankTransferOutcome } from '#payments/accept.ts'
import {
  type PaymentShape,
  optionalFields,
  outflowFields,
  paymentEndFields,
  transferNotFound,
  acceptedReply,
  kept,
  paymentGet,
  paymentsList,
  payoutsPaused,
  refusal,
} from './payments.ts'

/** The request for a transfer, alone or as one of many. */
const bankTransferRequest = record(
  'TransferRequest',
  {
    reference,
    amount,
    bankSlug: text(100).describe('The slug of a bank of GET /v1/banks.'),
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
  sessionId: z.string().nullable().describe('The 30-digit NIP session id, once it succeeded.'),
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
      'Idempotent on `reference`: asked again with the same amount, bank and account, it answers what it answered first, ' +
      'with the header `Idempotent-Replayed: true`, and moves nothing.',
    body: bankTransferRequest,
    data: bankTransfers.schema,
    errors: ['INVALID_BANK', 'INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED', 'PAYOUTS_PAUSED', 'CONFLICT'],
    handle: async ({ caller, body: asked }) => {
      const outcome = await payments.initiate(caller.tenant, { ...asked, ...kept(asked) }, caller)
      return acceptedReply(bankTransfers, outcome, { field: 'bankSlug', value: asked.bankSlug })
    },
  })
}

export function transferGet(payments: Payments): Endpoint {
  return paymentGet(payments, bankTransfers, {
    operationId: 'getTransfer',
    path: '/v1/transfers/:reference',
    tag: 'Transfers',
    summary: 'One bank transfer, by the reference it was sent under',
    description: 'After a timeout or a 5xx this tells whether it was accepted.',
  })
}

export function transfersList(payments: Payments): Endpoint {
  return paymentsList(payments, bankTransfers, {
    operationId: 'listTransfers',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'All bank transfers, the latest first',
    description: 'A page of 20 unless `limit` says otherwise.',
  })
}

// Many bank transfers in one request. Each item is processed as if it had been sent alone, after the one before it.

const itemsMax = 1_000
const itemsPerRequest = 10

/**
 * Items are processed in batches of this size, so that the temporary objects of a thousand items are not all promoted
 * to the garbage collector's old generation.
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
  index: z.int().describe('The place of the item in `transfers`, from 0.'),
  reference: z.string().nullable().describe('As it was sent; null where no text was.'),
  outcome: z.enum(outcomes),
  transfer: bankTransfers.schema
    .nullable()
    .describe('The data that POST /v1/transfers/initiate would answer; null when refused.'),
  error: errorDetail.nullable().describe('Why it was refused, in the words of POST /v1/transfers/initiate; else null.'),
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
      'Judges up to 1,000 transfers one by one in their order, as if each were sent to POST /v1/transfers/initiate after the ' +
      'one before it; one that is refused stops none of the others. The body may have 1 MiB. Every ten items begun count as ' +
      'one request. After a timeout or a 5xx, send the same body again: what was accepted is replayed, the rest is judged.',
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

/** The wrong fields of each refused item, or the item itself, as the log of requests shows them. */
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
 * A pause that began between two batches refuses each remaining item by itself, because earlier items were accepted.
 */
function isPausedAsAWhole(decided: (BankTransferOutcome | ItemFailure)[]): boolean {
  return decided.some(({ kind }) => kind === 'paused') && !decided.some(({ kind }) => kind === 'accepted')
}

/** Parses an item into a request, or returns its errors. */
function readItem(unchecked: unknown): BankTransferRequest | { reference: string | null; error: ApiError } {
  const details: FieldError[] = nulFaultsOf(unchecked)
  const asked = details.length > 0 ? undefined : check(bankTransferRequest, unchecked, 'item', details)
  if (asked !== undefined) return { ...asked, ...kept(asked) }
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
  // There is no rail here, so no item was accepted and the whole request fails as unavailable.
  if (!(error instanceof ApiError)) throw error
  return refused(error)
}

function refused({ code, message, details }: ApiError): ItemAnswer {
  return { outcome: 'refused', transfer: null, error: { code, message, ...(details === undefined ? {} : { details }) } }
}
