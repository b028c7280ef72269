// Refunds. Paystack knows one by the transaction that it gives back and by no reference of ours; it gives no transaction back
// twice. So what became of one is asked by listing the refunds of its transaction. That a list can be asked for one
// transaction its documents say and its description of the API does not: if it cannot, the newest refunds are looked through.

import type { Clock } from '#base/clock.ts'
import { toWire } from '#base/money.ts'
import { emptyFloat, ofQuestion, type Refusal } from '#rails/outcome.ts'
import type { NotFound } from '#rails/rail.ts'
import { refundsBy, refundStateOf, type RefundWord } from '#rails/rail-refunds.ts'
import type { RefundOrder, Refunds, RefundState } from '#rails/rail-refunds.ts'
import { refundData, refundsData, type Refund } from './answers.ts'
import type { Call } from './call.ts'
import { cursorAfter, pageQuery } from './pages.ts'

type RefundsOptions = { call: Call; clock: Clock; readMs: number }

/** Of a list that heeds the transaction, the first page is all. */
const pagesMax = 5

export function createRefunds(options: RefundsOptions): Refunds {
  // The refund, and the list after a refusal.
  return refundsBy({ ...options, callsMax: 1 + pagesMax, refund, ask })
}

async function refund(call: Call, order: RefundOrder): Promise<RefundState> {
  const said = await call({
    endpoint: 'refund',
    method: 'POST',
    path: '/refund',
    body: { transaction: order.providerId, amount: toWire(order.amount), merchant_note: order.reason },
  })
  if (said.kind === 'unknown') return said
  if (said.kind === 'refusal') return afterRefusal(call, order, said)
  const made = refundData.safeParse(said.data).data
  return made?.transaction === order.providerId ? wordOf(made, order) : unreadable
}

/** Only when Paystack has no refund of the transaction was it refused; one that it has is ours. */
async function afterRefusal(call: Call, order: RefundOrder, { status, code, message }: Refusal): Promise<RefundState> {
  if (/balance/i.test(`${code} ${message}`)) return emptyFloat('the balance at Paystack is not enough for a refund')
  const state = await ask(call, order)
  return state.kind === 'not-found' ? { kind: 'failed', detail: `refund: refused with ${status} ${code}` } : state
}

/** As Paystack knows it at this moment; `not-found` proves nothing yet. */
async function ask(call: Call, order: RefundOrder): Promise<RefundState | NotFound> {
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
  // A list that does not heed what it is asked for may show ours, but that it does not show it says nothing.
  if (own.length === 0 && refunds.length > 0) return { kind: 'unknown', detail: 'refund: an answer about another one' }
  const [first] = own
  if (first === undefined) return { kind: 'not-found' }
  return own.length === 1 ? wordOf(first, order) : notOurs
}

const notOurs: RefundState = { kind: 'unknown', detail: 'refund: the transaction has refunds that are not ours' }

function wordOf({ amount, currency, status }: Refund, order: RefundOrder): RefundState {
  if (amount !== order.amount || currency !== 'NGN') return notOurs
  return refundStateOf('Paystack', words[status])
}

const words: Partial<Record<string, RefundWord>> = {
  processed: 'refunded',
  pending: 'pending',
  processing: 'pending',
  failed: 'failed',
}
