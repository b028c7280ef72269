// What the endpoints of the three kinds of payments do alike: accept one, read one, list them, and end one on staging.
// Each endpoint's own file says where it stands and what it takes.

import { z } from 'zod'
import type { ApiError } from '#base/error.ts'
import { endpoint, type Endpoint, type Reply } from '#http/endpoint.ts'
import { listParameters, referenceParams } from '#http/fields.ts'
import type { AcceptOutcome } from '#payments/accept.ts'
import { asAccepted, type Payment, type PaymentKind, type PaymentStatus, type Result } from '#payments/payment.ts'
import type { Payments } from '#payments/payments.ts'
import { completed, refusal, type Payee } from './payment-fields.ts'
import { listEndpoint, readEndpoint } from './read-endpoints.ts'

type Fields = Record<string, unknown>

/** One kind of payment, as its endpoints show it. */
export type PaymentShape<Schema extends z.ZodType<Fields, Fields> = z.ZodType<Fields, Fields>> = {
  kind: PaymentKind
  /** Begins a sentence: `Bank transfers`. */
  plural: string
  /** What the answer calls its list. */
  listName: string
  statuses: readonly PaymentStatus[]
  schema: Schema
  show: (payment: Payment) => z.input<Schema>
  notFound: () => ApiError
}

type Titled = { operationId: string; path: `/v1/${string}`; tag: string; summary: string; description: string }

/** Accepted now, or by an earlier request with this reference. */
export function acceptedReply<Schema extends z.ZodType<Fields, Fields>>(
  shape: PaymentShape<Schema>,
  outcome: AcceptOutcome,
  payee: Payee,
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
    find: (tenant, { reference }) => payments.read(tenant, kind, reference),
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
  /** What a tester may say of the payment. */
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
      // A reference of another kind is not found, though its payment could be ended.
      const found = await payments.read(caller.tenant, shape.kind, params.reference)
      if (found === undefined) throw shape.notFound()
      const outcome = await payments.complete(caller.tenant, params.reference, resultOf(body))
      return { data: shape.show(completed(outcome, body.status, shape.notFound)) }
    },
  })
}
