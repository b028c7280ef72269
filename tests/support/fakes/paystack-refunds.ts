// Paystack's refunds, by its documents: "Create Refund" and "List Refunds". Paystack identifies a refund by its
// transaction alone, and refunds no transaction twice.

import { z } from 'zod'
import type { Act, Answer, Asked, Handler } from './provider.ts'

const refundBody = z.strictObject({
  transaction: z.string().regex(/^\d+$/),
  amount: z.int().positive(),
  merchant_note: z.string().min(1).max(100),
})

/** `refused`, `no-balance`: a refusal without the work. */
export type RefundStep = Act | 'refused' | 'no-balance' | 'no-answer-of-balance'

type Refund = { transaction: string; amount: number; status: string }

export type PaystackRefunds = {
  /** The next requests of this kind are handled by these steps. */
  script(call: 'refund' | 'list', ...steps: RefundStep[]): void
  /** The status of refunds that are made from now on. */
  word: string
  made(): Refund[]
  /** Transactions whose refund was requested again although Paystack had one. */
  repeats: string[]
  /** The list filters by transaction. If false, it shows the refunds of all transactions, in pages. */
  heedsTransaction: boolean
  pageRows: number
  /** Adds a refund that a person made in Paystack's dashboard. */
  put(refund: Refund): void
  /** Undefined: the call is not about refunds. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

export function createPaystackRefunds(): PaystackRefunds {
  const refunds: Refund[] = []
  const steps: Record<'refund' | 'list', RefundStep[]> = { refund: [], list: [] }

  function create({ body }: Asked, step: RefundStep): Answer {
    const { transaction, amount } = refundBody.parse(body)
    const isKnown = refunds.some((one) => one.transaction === transaction)
    if (isKnown) book.repeats.push(transaction)
    if (isKnown) return refusal('Transaction has been fully reversed', 'transaction_reversed')
    const refund = { transaction, amount, status: step === 'odd-word' ? 'parked' : 'pending' }
    refunds.push(refund)
    const told = step === 'other-payment' ? { ...refund, transaction: '1' } : refund
    const answer = shown(textOf(told, 'object'))
    refund.status = book.word
    return answer
  }

  function list({ query }: Asked): Answer {
    const transaction = query.get('transaction') ?? ''
    if (!/^\d+$/.test(transaction)) throw new Error('a list of refunds without a transaction')
    const listed = refunds.filter((one) => one.transaction === transaction || !book.heedsTransaction)
    const page = Number(query.get('page'))
    const rows = listed.toReversed().slice((page - 1) * book.pageRows, page * book.pageRows)
    return shown(`[${rows.map((one) => textOf(one, 'id')).join(',')}]`, {
      total: listed.length,
      skipped: (page - 1) * book.pageRows,
      perPage: String(book.pageRows),
      page,
      pageCount: Math.ceil(listed.length / book.pageRows),
      failedRefundCount: 0,
    })
  }

  function perform(call: 'refund' | 'list', work: (step: RefundStep) => Answer): ReturnType<Handler> {
    const step = steps[call].shift() ?? 'answer'
    const instead = refusals[step as keyof typeof refusals] as (() => Answer) | undefined
    if (instead !== undefined) return { act: 'answer', work: instead }
    const act = step as Act
    const spoil = {
      'key-refused': () => refusal('Invalid key', 'invalid_Key', 401),
      duplicate: () => (work(step), work(step)),
    }
    return { act, work: () => work(step), spoil }
  }

  const book: PaystackRefunds = {
    word: 'processed',
    heedsTransaction: true,
    pageRows: 100,
    script: (call, ...more) => void steps[call].push(...more),
    made: () => refunds,
    repeats: [],
    put: (refund) => void refunds.push(refund),
    handle(asked) {
      const { method, path } = asked
      if (path !== '/refund') return undefined
      if (method === 'POST') return perform('refund', (step) => create(asked, step))
      return method === 'GET' ? perform('list', () => list(asked)) : undefined
    },
  }
  return book
}

const refusals = {
  refused: () => refusal('Transaction cannot be refunded', 'transaction_not_refundable'),
  'no-answer-of-balance': () => refusal('Unable to get balance', 'unknown'),
  'no-balance': () => refusal('Your balance is not enough to fulfil this request', 'insufficient_balance'),
}

/** The JSON is text, because the ids are beyond the exact integers of JavaScript. */
function textOf({ transaction, amount, status }: Refund, form: 'id' | 'object'): string {
  const shownAs = form === 'id' ? transaction : `{"id":${transaction},"reference":"T"}`
  return `{"id":90071992547409931,"transaction":${shownAs},"amount":${amount},"currency":"NGN","status":"${status}","deducted_amount":0}`
}

function shown(data: string, meta: unknown = {}): Answer {
  const text = `"message":"Refund has been queued for processing","data":${data},"meta":${JSON.stringify(meta)}`
  return { status: 200, body: `{"status":true,${text}}` }
}

function refusal(message: string, code: string, status = 400): Answer {
  return { status, body: { status: false, message, code, type: 'validation_error', meta: { nextStep: 'Try again' } } }
}
