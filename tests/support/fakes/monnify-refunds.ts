// Monnify's refunds, by its documents: "Initiate Refund" and "Get Refund Status". Monnify identifies a refund by our
// reference.

import { z } from 'zod'
import type { Act, Answer, Asked, Handler } from './provider.ts'

const refundBody = z.strictObject({
  transactionReference: z.string().min(1),
  refundReference: z.string().regex(/^[a-z0-9-]{16,50}$/),
  refundAmount: z.number().min(100),
  refundReason: z.string().min(1).max(64),
  customerNote: z.string().min(1).max(16),
})

/** A scripted step: an act of the server, or a refusal without the work. */
export type RefundStep = Act | { code: string; message: string; status?: number }

type Refund = { reference: string; transaction: string; naira: string; status: string }

export type MonnifyRefunds = {
  script(call: 'refund' | 'status', ...steps: RefundStep[]): void
  /** The status of refunds that are made from now on. */
  word: string
  made(): Refund[]
  /** References that were sent again although Monnify had a refund for them. */
  repeats: string[]
  /** Undefined: the call is not about refunds. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

export function createMonnifyRefunds(): MonnifyRefunds {
  const refunds = new Map<string, Refund>()
  const steps: Record<'refund' | 'status', RefundStep[]> = { refund: [], status: [] }

  function create({ body, text }: Asked, step: RefundStep): Answer {
    const order = refundBody.parse(body)
    const naira = /"refundAmount":(\d+\.\d\d)[,}]/.exec(text)?.[1]
    if (naira === undefined) throw new Error('an amount came otherwise than as a number with two decimals')
    const known = refunds.get(order.refundReference)
    if (known !== undefined && known.naira !== naira) throw new Error('a reference came with another amount')
    if (known !== undefined) book.repeats.push(known.reference)
    if (known !== undefined) return refusal({ code: 'R9', message: 'Refund reference already exists' })
    const refund = {
      reference: order.refundReference,
      transaction: order.transactionReference,
      naira,
      status: book.word,
    }
    refunds.set(refund.reference, refund)
    const status = step === 'odd-word' ? 'PARKED' : 'PENDING'
    return shown({
      ...refund,
      status,
      reference: step === 'other-payment' ? 'somebody-elses-refund' : refund.reference,
    })
  }

  function show(reference: string): Answer {
    const known = refunds.get(reference)
    return known === undefined ? refusal({ code: '99', message: 'Refund not found', status: 404 }) : shown(known)
  }

  function perform(call: 'refund' | 'status', work: (step: RefundStep) => Answer): ReturnType<Handler> {
    const step = steps[call].shift() ?? 'answer'
    if (typeof step === 'object') return { act: 'answer', work: () => refusal(step) }
    const spoil = {
      'key-refused': (): Answer => ({ status: 401, body: { error: 'invalid_token' } }),
      duplicate: () => (work(step), work(step)),
    }
    return { act: step, work: () => work(step), spoil }
  }

  const book: MonnifyRefunds = {
    word: 'COMPLETED',
    script: (call, ...more) => void steps[call].push(...more),
    made: () => [...refunds.values()],
    repeats: [],
    handle(asked) {
      const { method, path } = asked
      const [, reference] = /^\/api\/v1\/refunds\/([^/]+)$/.exec(path) ?? []
      if (method === 'POST' && path === '/api/v1/refunds/initiate-refund')
        return perform('refund', (step) => create(asked, step))
      if (method !== 'GET' || reference === undefined) return undefined
      return perform('status', () => show(decodeURIComponent(reference)))
    },
  }
  return book
}

function shown({ reference, transaction, naira, status }: Refund): Answer {
  const rest = JSON.stringify({
    refundReference: reference,
    transactionReference: transaction,
    refundReason: 'overpaid',
    customerNote: 'Refund',
    refundType: 'FULL_REFUND',
    refundStatus: status,
    refundStrategy: 'MERCHANT_WALLET',
  })
  const head = '{"requestSuccessful":true,"responseMessage":"success","responseCode":"0"'
  return { status: 200, body: `${head},"responseBody":{"refundAmount":${naira},${rest.slice(1)}}` }
}

function refusal({ code, message, status = 400 }: { code: string; message: string; status?: number }): Answer {
  return { status, body: { requestSuccessful: false, responseMessage: message, responseCode: code } }
}
