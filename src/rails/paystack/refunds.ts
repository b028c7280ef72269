// Refunds at Paystack. It identifies a refund by its transaction, not by a reference of ours, and refunds no
// transaction twice, so the status is read from the transaction's list of refunds. Paystack's documents have a filter
// by transaction, its OpenAPI description does not: if the filter is ignored, the newest refunds are searched.

import { toWire } from '#platform/money.ts'
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
import { refundData, refundsData, type Refund } from './answers.ts'
import { type PaystackCall, cursorAfter, pageQuery } from './call.ts'

type PaystackRefundsOptions = { call: PaystackCall; readMs: number }

/** Pages to search if Paystack ignores the filter. Otherwise the first page has all refunds of the transaction. */
const pagesMax = 5

export function createRefunds(options: PaystackRefundsOptions): Refunds {
  return refundsBy({ ...options, callsMax: 1, refund, ask })
}

async function refund(call: PaystackCall, order: RefundOrder): Promise<RefundState> {
  const said = await call({
    endpoint: 'refund',
    method: 'POST',
    path: '/refund',
    body: { transaction: order.providerId, amount: toWire(order.amount), merchant_note: order.reason },
  })
  if (said.kind === 'unknown') return said
  if (said.kind === 'refusal') return afterRefusal(said)
  const made = refundData.safeParse(said.data).data
  return made?.transaction === order.providerId ? stateOfOne(made, order) : unreadable
}

/** Paystack documents no refusal of a refund as final, so a refusal does not prove that there is no refund. */
function afterRefusal({ status, code, message }: RailRefusal): RefundState {
  if (code === 'insufficient_balance' || tooSmall.test(message))
    return emptyFloat('the balance at Paystack is not enough for a refund')
  return { kind: 'unknown', detail: `refund: refused with ${status} ${code}`, why: 'refused' }
}

const tooSmall =
  /(balance|funds?) (is |are )?(not enough|insufficient|too low)|(insufficient|not enough) (balance|funds?)/i

async function ask(call: PaystackCall, order: RefundOrder): Promise<RefundState | NotFound> {
  const all: Refund[] = []
  let cursor = ''
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = new URLSearchParams({ transaction: order.providerId, ...pageQuery(cursor, { page: '1' }) })
    const said = await call({ endpoint: 'refund', method: 'GET', path: `/refund?${query.toString()}` })
    if (said.kind === 'unknown') return ofQuestion(said)
    if (said.kind === 'refusal') return { kind: 'unknown', detail: `refund: refused with ${said.status} ${said.code}` }
    const listed = refundsData.safeParse(said.data).data
    const next = cursorAfter(cursor, said.meta, listed?.length ?? 0)
    if (listed === undefined || next === undefined) return unreadable
    all.push(...listed)
    if (next === '') break
    cursor = next
  }
  return stateOf(all, order)
}

const unreadable: RefundState = { kind: 'unknown', detail: 'refund: an answer about another one, or not whole' }

function stateOf(refunds: Refund[], order: RefundOrder): RefundState | NotFound {
  const own = refunds.filter(({ transaction }) => transaction === order.providerId)
  // A list that ignores the filter may contain our refund, but its absence there proves nothing.
  if (own.length === 0 && refunds.length > 0) return { kind: 'unknown', detail: 'refund: an answer about another one' }
  // A failed refund returned no money, and another one may follow it.
  const alive = own.filter(({ status }) => status !== 'failed')
  const [first = own[0]] = alive
  if (first === undefined) return { kind: 'not-found' }
  return alive.length > 1 ? notOurs : stateOfOne(first, order)
}

const notOurs: RefundState = { kind: 'unknown', detail: 'refund: the transaction has refunds that are not ours' }

function stateOfOne({ amount, currency, status }: Refund, order: RefundOrder): RefundState {
  if (amount !== order.amount || currency !== order.currency) return notOurs
  if (status === 'needs-attention') return { kind: 'pending', attention: needsAttention }
  return refundStateOf('Paystack', outcomes.get(status))
}

const needsAttention =
  'Paystack needs the account of the payer before it sends the money back: give it in its dashboard, at the refund'

const outcomes: ReadonlyMap<string, RefundOutcome> = new Map(
  Object.entries({
    processed: 'refunded',
    pending: 'pending',
    processing: 'pending',
    failed: 'failed',
  }),
)
