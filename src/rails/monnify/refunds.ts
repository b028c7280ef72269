// Refunds, under our reference: the same one is the same refund however often it is asked for.

import type { Clock } from '#base/clock.ts'
import { toKobo } from '#base/money.ts'
import { jsonNumber } from '#rails/exact-json.ts'
import { nairaOf } from '#rails/naira.ts'
import { ofQuestion } from '#rails/outcome.ts'
import type { NotFound } from '#rails/rail.ts'
import { refundsBy, refundStateOf, type RefundWord } from '#rails/rail-refunds.ts'
import type { RefundOrder, Refunds, RefundState } from '#rails/rail-refunds.ts'
import { refundBody } from './answers.ts'
import type { Call } from './call.ts'

type RefundsOptions = { call: Call; clock: Clock; readMs: number }

/** Monnify refunds no less. */
const amountMin = toKobo(10_000)
const reasonLengthMax = 64
/** On the payer's statement, at most 16 characters. */
const customerNote = 'Refund'

export function createRefunds(options: RefundsOptions): Refunds {
  // The refund and a question, each with a login before it and once more with another after a refused token.
  return refundsBy({ ...options, callsMax: 8, refund, ask })
}

async function refund(call: Call, order: RefundOrder): Promise<RefundState> {
  if (order.amount < amountMin) return { kind: 'failed', detail: 'refund: Monnify sends back ₦100 and more' }
  const said = await call({
    endpoint: 'refund',
    method: 'POST',
    path: '/api/v1/refunds/initiate-refund',
    body: {
      transactionReference: order.providerId,
      refundReference: order.railReference,
      refundAmount: jsonNumber(nairaOf(order.amount)),
      refundReason: order.reason.slice(0, reasonLengthMax),
      customerNote,
    },
  })
  if (said.kind === 'unknown') return said
  if (said.kind === 'success') return stateIn(said.body, order)
  if (said.code === 'R9') return { kind: 'pending', askAgainAfterMs: 0 }
  // Only when Monnify has no refund of this reference was it refused.
  const state = await ask(call, order)
  const detail = `refund: refused with ${said.status} ${said.code}`
  return state.kind === 'not-found' ? { kind: 'failed', detail } : state
}

/** As Monnify knows it at this moment; `not-found` proves nothing yet. */
async function ask(call: Call, order: RefundOrder): Promise<RefundState | NotFound> {
  const said = await call({
    endpoint: 'refund',
    method: 'GET',
    path: `/api/v1/refunds/${encodeURIComponent(order.railReference)}`,
  })
  if (said.kind === 'success') return stateIn(said.body, order)
  if (said.kind === 'unknown') return ofQuestion(said)
  return said.status === 404
    ? { kind: 'not-found' }
    : { kind: 'unknown', detail: `refund: refused with ${said.status} ${said.code}` }
}

function stateIn(body: unknown, { railReference, providerId, amount }: RefundOrder): RefundState {
  const found = refundBody.safeParse(body).data
  if (found === undefined) return { kind: 'unknown', detail: 'refund: an answer that cannot be read' }
  const isOurs =
    found.refundReference === railReference &&
    (found.transactionReference ?? providerId) === providerId &&
    found.refundAmount === amount
  if (!isOurs) return { kind: 'unknown', detail: 'refund: an answer about another one' }
  return refundStateOf('Monnify', words[found.refundStatus])
}

const words: Partial<Record<string, RefundWord>> = {
  COMPLETED: 'refunded',
  PENDING: 'pending',
  IN_PROGRESS: 'pending',
  PROCESSING: 'pending',
  FAILED: 'failed',
}
