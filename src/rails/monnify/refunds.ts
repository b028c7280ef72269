// Refunds at Monnify by our reference: repeated requests with one reference are one refund.

import { toMoney } from '#platform/money.ts'
import { jsonNumber } from '#rails/provider.ts'
import { nairaOf } from '#rails/formats.ts'
import { emptyFloat, ofQuestion, type RailRefusal } from '#rails/outcome.ts'
import type { NotFound } from '#rails/rail.ts'
import {
  refundsBy,
  refundStateOf,
  type RefundOutcome,
  type RefundOrder,
  type Refunds,
  type RefundState,
} from '#rails/ports.ts'
import { refundBody } from './answers.ts'
import type { MonnifyCall } from './call.ts'

type MonnifyRefundsOptions = { call: MonnifyCall; readMs: number }

/** Monnify's minimum for a refund. */
const amountMin = toMoney(10_000)
const reasonLengthMax = 64
/** Appears on the payer's statement; at most 16 characters. */
const customerNote = 'Refund'

export function createRefunds(options: MonnifyRefundsOptions): Refunds {
  // The refund may need a login before it, and both are repeated after a refused token.
  return refundsBy({ ...options, callsMax: 4, refund, ask })
}

async function refund(call: MonnifyCall, order: RefundOrder): Promise<RefundState> {
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
  return afterRefusal(said)
}

/** The meanings are from Monnify's table of refusals. Any other code does not prove that there is no refund. */
function afterRefusal({ status, code }: RailRefusal): RefundState {
  const detail = `refund: refused with ${status} ${code}`
  if (code === 'R9') return { kind: 'pending', askAgainAfterMs: 0 }
  if (code === 'R5') return emptyFloat('the wallet at Monnify is not enough for a refund')
  if (code === 'R6') return { kind: 'failed', detail: `${detail}. ${withoutAccount}` }
  if (final.includes(code)) return { kind: 'failed', detail }
  if (passing.includes(code)) return { kind: 'unknown', detail, sent: false }
  return code === '99' ? { kind: 'unknown', detail } : { kind: 'unknown', detail, why: 'refused' }
}

/** They mean: no such transaction, not refundable, too much, too little, texts too long, already refunded. */
const final = ['R1', 'R2', 'R3', 'R4', 'R8', 'R12']
/** Monnify could not read its balance or a name, or its system failed, so it advises a retry. */
const passing = ['R10', 'R11', 'M01', 'M02']
const withoutAccount =
  'Monnify does not know the account of the payer: ask the payer for it, pay by other means, then run deposits refunds resolve --as refunded'

async function ask(call: MonnifyCall, order: RefundOrder): Promise<RefundState | NotFound> {
  const said = await call({
    endpoint: 'refund',
    method: 'GET',
    path: `/api/v1/refunds/${encodeURIComponent(order.railReference)}`,
  })
  if (said.kind === 'success') return stateIn(said.body, order)
  if (said.kind === 'unknown') return ofQuestion(said)
  return said.status === 404 || said.code === 'R7'
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
  return refundStateOf('Monnify', outcomes.get(found.refundStatus))
}

const outcomes: ReadonlyMap<string, RefundOutcome> = new Map(
  Object.entries({
    COMPLETED: 'refunded',
    PENDING: 'pending',
    IN_PROGRESS: 'pending',
    PROCESSING: 'pending',
    FAILED: 'failed',
  }),
)
