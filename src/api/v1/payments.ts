// Shared code of the endpoints for payments: fields, the errors of refused payments, and endpoint builders. The builders
// `readEndpoint` and `listEndpoint` also serve other records.

import { z } from 'zod'
import { endpoint, type Endpoint, type Reply, type EndpointOptions } from '#api/server/endpoint.ts'
import {
  koboData,
  metadata,
  text,
  timeData,
  beyondTheBooks,
  validationError,
  listParameters,
  referenceParams,
  paginationOf,
} from '#api/server/fields.ts'
import type { AcceptOutcome } from '#payments/accept.ts'
import {
  transferStatuses,
  type Payment,
  asAccepted,
  isFinal,
  type PaymentKind,
  type PaymentStatus,
  type Result,
} from '#payments/payment.ts'
import type { Payments } from '#payments/service.ts'
import type { TestersOutcome } from '#payments/settle.ts'
import { kindNames, publicIdOf, type ShownPayment } from '#payments/wire.ts'
import type { Tenant } from '#platform/context.ts'
import type { PageQuestion } from '#platform/db/numbered-list.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'
import { amountMax, type Currency, toMoney, toWire, unitOf } from '#platform/money.ts'
import { invalidBank, unknownOperator } from './directory.ts'

export const optionalFields = {
  narration: text(100, 0).nullish(),
  metadata: metadata.nullish(),
}

/** The status and the cost of a payment that leaves the balance. */
export const outflowFields = {
  status: z.enum(transferStatuses),
  isFinal: z
    .boolean()
    .describe('True if the status is no longer `queued`. A bank can still return a successful transfer.'),
  amount: koboData,
  fee: koboData,
  totalDebit: koboData.describe('Amount and fee together.'),
  currency: z.string(),
}

export const paymentEndFields = {
  failureMessage: z
    .string()
    .nullable()
    .describe('Why it failed, in words, and what to do next. Null if it did not fail.'),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
  completedAt: timeData.nullable(),
}

export function transferNotFound(): ApiError {
  return new ApiError('TRANSFER_NOT_FOUND', 'Transfer not found')
}

type RequestedFields = { narration?: string | null | undefined; metadata?: Record<string, string> | null | undefined }

/** The optional fields as the payments module stores them: null if absent, metadata as JSON text. */
export function storedFields({ narration, metadata: asked }: RequestedFields): {
  narration: string | null
  metadata: string | null
} {
  return {
    narration: narration ?? null,
    metadata: asked === undefined || asked === null ? null : JSON.stringify(asked),
  }
}

const noRailRetryAfterSeconds = 60

type PaymentRefusal = Exclude<AcceptOutcome, { kind: 'accepted' | 'replayed' }>

/** The field that names the payee, and the caller's value for it. */
type RequestedPayee = { field: string; value: string | undefined }

/** Maps a refused payment to its error. `operation` begins a sentence: `Bank transfers`. */
export function refusal(outcome: PaymentRefusal, operation: string, payee: RequestedPayee): Error {
  switch (outcome.kind) {
    case 'differs':
      return conflict(outcome.first, `with another ${outcome.field}`, outcome.field)
    case 'other-kind':
      return conflict(outcome.first, `by a ${kindNames[outcome.first.kind]}`, 'reference')
    case 'unknown-bank':
      return invalidBank(payee.value ?? '')
    case 'unknown-operator':
      return unknownOperator(payee.value)
    case 'other-currency':
      return validationError([
        { field: 'currency', message: `currency must be ${outcome.currency}, the operator's`, code: 'not_allowed' },
      ])
    case 'amount-step':
      return amountStepError(outcome)
    case 'amount-range':
      return amountRangeError(outcome)
    case 'currency-off':
      return currencyOff(outcome.currency)
    case 'missing-rail':
      return new Unavailable(`${operation} are not available here: ${outcome.why}.`, {
        retryAfterSeconds: noRailRetryAfterSeconds,
      })
    case 'paused':
      return payoutsPaused()
    case 'twin': {
      // Only users of the dashboard are asked to confirm a second payout. The references of a program already prevent
      // duplicates.
      const details = [{ field: 'second', message: outcome.first.reference }]
      const sentence = `${outcome.first.reference} pays the same amount to the same account, within the last 24 hours. Confirm that you want a second payout.`
      return new ApiError('SECOND_PAYOUT', sentence, { details })
    }
    case 'over-limit':
      return overLimit(outcome)
    case 'too-much':
      return validationError([beyondTheBooks])
    case 'insufficient-balance': {
      // The message has all digits; `params` are capped, because amount and fee together may exceed a JSON integer.
      const { required, available, currency } = outcome
      const message = `required ${required}, available ${available}`
      const params = { required: wireSum(required), available: wireSum(available), currency }
      return new ApiError('INSUFFICIENT_BALANCE', 'The balance does not cover amount and fee.', {
        details: [{ field: 'amount', message, code: 'insufficient_balance', params }],
      })
    }
  }
}

function wireSum(amount: bigint): number {
  return toWire(toMoney(amount < amountMax ? amount : amountMax))
}

/** Names the step in the minor unit, as amounts are sent: 100 for whole shillings. */
function amountStepError({ step, currency }: Extract<AcceptOutcome, { kind: 'amount-step' }>): ApiError {
  const message = `amount must be a multiple of ${step}: the operator carries whole ${currency} only`
  const params = { step: wireSum(step), currency }
  return validationError([{ field: 'amount', message, code: 'not_a_multiple', params }])
}

/** Names every range, because several rails may serve the operator. The amounts are in the minor unit. */
function amountRangeError({ step, ranges, currency }: Extract<AcceptOutcome, { kind: 'amount-range' }>): ApiError {
  const distinct = new Map(
    ranges.map(({ minAmount: min, maxAmount: max }) => [
      `from ${min} to ${max}`,
      { min: wireSum(min), max: wireSum(max) },
    ]),
  )
  const steps = step === 1n ? '' : ` and a multiple of ${step}`
  const message = `amount must be ${[...distinct.keys()].join(', or ')}${steps}: the operator carries no other amounts of ${currency}`
  const bounds = [...distinct.values()]
  const limits = bounds.length === 1 ? bounds[0] : { ranges: bounds }
  return validationError([{ field: 'amount', message, code: 'outside_range', params: { ...limits, currency } }])
}

export function currencyOff(currency: Currency): ApiError {
  const command = `npx manilla businesses currencies BUSINESS_ID --environment ENVIRONMENT --on ${currency}`
  const how = `Switch it on in the settings of the dashboard, or with ${command}`
  const message = `currency ${currency} is not switched on for this business. ${how}`
  return validationError([{ field: 'currency', message, code: 'not_allowed' }])
}

export function payoutsPaused(): ApiError {
  return new ApiError('PAYOUTS_PAUSED', 'Payouts are paused. Send the same reference again when they go on.')
}

type OverLimit = Extract<AcceptOutcome, { kind: 'over-limit' }>

function overLimit({ per, limit, left, currency, newDayAt }: OverLimit): ApiError {
  const unit = unitOf(currency)
  if (per === 'payment') {
    const message = `at most ${limit} in one payment`
    const params = { max: wireSum(limit), currency }
    return new ApiError('LIMIT_EXCEEDED', `One payout may be ${limit} ${unit} at most.`, {
      details: [{ field: 'amount', message, code: 'over_payment_limit', params }],
    })
  }
  const resetsAt = newDayAt.toISOString()
  const message = `at most ${left} until ${resetsAt}, when a new day begins in Lagos`
  const params = { max: wireSum(left), resetsAt, currency }
  return new ApiError('LIMIT_EXCEEDED', `Of the ${limit} ${unit} that may be paid out in a day, ${left} are left.`, {
    details: [{ field: 'amount', message, code: 'over_daily_limit', params }],
  })
}

function conflict(first: Payment, how: string, field: string): ApiError {
  const id = publicIdOf(first)
  const message = field === 'reference' ? `belongs to ${id}` : `differs from ${id}, which has this reference`
  return new ApiError(
    'CONFLICT',
    `The reference ${first.reference} was used ${how} before: ${id}. Use a new reference.`,
    {
      details: [{ field, message, code: 'differs' }],
    },
  )
}

/** Returns the payment that a sandbox call ended. Throws if the call was refused. */
function completed(outcome: TestersOutcome, status: string, notFound: () => ApiError): Payment {
  switch (outcome.kind) {
    case 'settled':
    case 'unchanged':
      return outcome.payment
    case 'not-found':
      throw notFound()
    case 'no-room':
      throw validationError([
        {
          field: 'status',
          message: `the returned money would raise the balance above ${amountMax}, the largest amount`,
        },
      ])
    case 'impossible': {
      const { payment } = outcome
      const what = payment.kind === 'momo_collection' ? 'collection' : 'transfer'
      const reason = isFinal(payment.status)
        ? `it can no longer become ${status}`
        : `only a ${what} that is SUCCESS can become ${status}`
      throw new ApiError('CONFLICT', `The ${what} is ${payment.status}: ${reason}.`)
    }
  }
}

type PaymentFields = Record<string, unknown>

export type PaymentShape<
  Schema extends z.ZodType<PaymentFields, PaymentFields> = z.ZodType<PaymentFields, PaymentFields>,
> = {
  kind: PaymentKind
  /** Begins a sentence: `Bank transfers`. */
  plural: string
  listName: string
  statuses: readonly PaymentStatus[]
  schema: Schema
  show: (payment: ShownPayment) => z.input<Schema>
  notFound: () => ApiError
}

type Titled = { operationId: string; path: `/v1/${string}`; tag: string; summary: string; description: string }

/** The response if the payment was accepted, now or by an earlier request with this reference. Throws otherwise. */
export function acceptedReply<Schema extends z.ZodType<PaymentFields, PaymentFields>>(
  shape: PaymentShape<Schema>,
  outcome: AcceptOutcome,
  payee: RequestedPayee,
): Reply<z.input<Schema>> {
  if (outcome.kind === 'accepted') return { data: shape.show(outcome.payment) }
  if (outcome.kind === 'replayed') return { data: shape.show(asAccepted(outcome.payment)), replayed: true }
  throw refusal(outcome, shape.plural, payee)
}

export function paymentGet(payments: Payments, shape: PaymentShape, titled: Titled): Endpoint {
  const { kind, schema: data, show, notFound } = shape
  return readEndpoint({
    ...titled,
    params: referenceParams,
    data,
    find: (tenant, { reference }) => payments.readShown(tenant, kind, reference),
    show,
    notFound,
  })
}

export function paymentsList(payments: Payments, shape: PaymentShape, titled: Titled): Endpoint {
  return listEndpoint({
    ...titled,
    name: shape.listName,
    item: shape.schema,
    query: z.object(listParameters(shape.statuses)),
    list: async (tenant, { to, ...question }) => {
      const found = await payments.list(tenant, shape.kind, { ...question, before: to })
      return { items: found.payments.map(shape.show), total: found.total }
    },
  })
}

type Completion<Body extends z.ZodType<{ status: string }>> = Titled & {
  body: Body
  resultOf: (asked: z.output<Body>) => Result
}

export function paymentComplete<Body extends z.ZodType<{ status: string }>>(
  payments: Payments,
  shape: PaymentShape,
  { resultOf, ...titled }: Completion<Body>,
): Endpoint {
  return endpoint({
    ...titled,
    method: 'POST',
    scope: 'sandbox',
    params: referenceParams,
    stagingOnly: true,
    data: shape.schema,
    errors: [shape.notFound().code, 'CONFLICT'],
    handle: async ({ caller, params, body }) => {
      // The reference of a payment of another kind counts as not found, although that payment could be completed.
      const found = await payments.readShown(caller.tenant, shape.kind, params.reference)
      if (found === undefined) throw shape.notFound()
      const outcome = await payments.complete(caller.tenant, params.reference, resultOf(body))
      return { data: shape.show(completed(outcome, body.status, shape.notFound)) }
    },
  })
}

type Described = 'operationId' | 'path' | 'tag' | 'summary' | 'description' | 'emptyReference'

type ReadOptions<Params extends z.ZodType, Data extends z.ZodType<PaymentFields, PaymentFields>, Found> = Pick<
  EndpointOptions<Params, z.ZodType, z.ZodType, Data>,
  Described
> & {
  params: Params
  data: Data
  find: (tenant: Tenant, params: z.output<Params>) => Promise<Found | undefined>
  show: (found: Found, tenant: Tenant) => z.input<Data>
  notFound: () => ApiError
}

/** Reads one record of a business. Throws `notFound` if there is none; its status is 404, for payments 400. */
export function readEndpoint<Params extends z.ZodType, Data extends z.ZodType<PaymentFields, PaymentFields>, Found>({
  find,
  show,
  notFound,
  ...described
}: ReadOptions<Params, Data, Found>): Endpoint {
  return endpoint({
    ...described,
    method: 'GET',
    scope: 'read',
    errors: [notFound().code],
    handle: async ({ caller: { tenant }, params }) => {
      const found = await find(tenant, params)
      if (found === undefined) throw notFound()
      return { data: show(found, tenant) }
    },
  })
}

type ListOptions<Query extends z.ZodType<PageQuestion>, Item extends z.ZodType<PaymentFields, PaymentFields>> = Pick<
  EndpointOptions<z.ZodType, Query, z.ZodType, z.ZodType>,
  Exclude<Described, 'emptyReference'>
> & {
  name: string
  item: Item
  query: Query
  list: (tenant: Tenant, query: z.output<Query>) => Promise<{ items: z.input<Item>[]; total: number }>
}

export function listEndpoint<
  Query extends z.ZodType<PageQuestion>,
  Item extends z.ZodType<PaymentFields, PaymentFields>,
>({ name, item, list, ...described }: ListOptions<Query, Item>): Endpoint {
  return endpoint({
    ...described,
    method: 'GET',
    scope: 'read',
    data: z.object({ [name]: z.array(item) }),
    paginated: true,
    handle: async ({ caller, query }) => {
      const { items, total } = await list(caller.tenant, query)
      return { data: { [name]: items }, pagination: paginationOf(query.page, query.limit, total) }
    },
  })
}
