// A rail as a real adapter is built, for the bank of scripted-upstream.ts. It shows how answers become outcomes: only
// the bank's own answer about this very payment decides anything; everything else is unknown.

import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { toMoney, type Money } from '#platform/money.ts'
import type { Net, NetResult } from '#platform/http-client/client.ts'
import { constantTimeEqual } from '#platform/secrets.ts'
import { nipOutcome } from './nip-codes.ts'
import type {
  AccountResolution,
  BankDirectory,
  BankPayout,
  InboundNotices,
  NotFound,
  PayoutOrder,
  PayoutState,
  Rail,
  Unknown,
} from '#rails/rail.ts'
import { upstreamSecret } from './scripted-upstream.ts'

export type UpstreamRailOptions = {
  net: Net
  url: string
  requestTimeoutMs: number
}

const responseBytesMax = 65_536
/** Extra time for this process itself, which may be slow. */
const leaseMarginMs = 5_000

const paymentBody = z.object({
  reference: z.string(),
  amount: z.string(),
  status: z.string(),
  responseCode: z.string().nullable(),
  sessionId: z.string().nullable(),
})
const errorBody = z.object({ error: z.string() })
const nameBody = z.object({ accountName: z.string().min(1) })
const noticeBody = z.object({
  transactionId: z.string().min(1),
  accountNumber: z.string(),
  amount: z.string(),
  paidAt: z.string(),
  payer: z.object({ name: z.string(), accountNumber: z.string(), bank: z.string() }),
  narration: z.string(),
})

export function createUpstreamRail(
  options: UpstreamRailOptions,
): Required<Pick<Rail, 'name' | 'payout' | 'bankDirectory' | 'inbound'>> {
  return { name: 'scripted', payout: payout(options), bankDirectory: bankDirectory(options), inbound }
}

function payout({ net, url, requestTimeoutMs }: UpstreamRailOptions): BankPayout {
  const limits = { timeoutMs: requestTimeoutMs, maxResponseBytes: responseBytesMax, allowLoopback: true }

  async function submit(order: PayoutOrder): Promise<PayoutState> {
    const { railReference, accountNumber, bank, narration } = order
    const body = {
      reference: railReference,
      amount: toNaira(order.amount),
      bank: bank.nipCode,
      narration,
    }
    const result = await net.request({
      ...limits,
      method: 'POST',
      url: `${url}/accounts/${accountNumber}/payments`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (result.kind === 'failed') return notAnswered(result)
    // The bank already has a payment with this reference, which is ours. The next status query shows its state.
    if (errorIn(result) === 'DUPLICATE_REFERENCE') return { kind: 'pending', askAgainAfterMs: 0, exists: true }
    return stateIn(result, order, 'submit')
  }

  async function status(order: PayoutOrder): Promise<PayoutState | NotFound> {
    const result = await net.request({ ...limits, method: 'GET', url: `${url}/payments/${order.railReference}` })
    // A question that failed says nothing about the submission.
    if (result.kind === 'failed') return { kind: 'unknown', detail: result.message }
    if (errorIn(result) === 'PAYMENT_NOT_FOUND') return { kind: 'not-found' }
    return stateIn(result, order, 'status')
  }

  return { submitLeaseMs: requestTimeoutMs + leaseMarginMs, submit, status }
}

type Answered = Extract<NetResult, { kind: 'answered' }>

function notAnswered({ sent, message }: Extract<NetResult, { kind: 'failed' }>): Unknown {
  return sent ? { kind: 'unknown', detail: message } : { kind: 'unknown', detail: message, sent: false }
}

function stateIn(result: Answered, order: PayoutOrder, heardOn: 'submit' | 'status'): PayoutState {
  const { status: httpStatus } = result
  const payment = httpStatus === 200 ? paymentBody.safeParse(parseJson(result)).data : undefined
  if (payment === undefined) return { kind: 'unknown', detail: `the bank answered HTTP ${httpStatus}, unreadably` }
  const ours = payment.reference === order.railReference && payment.amount === toNaira(order.amount)
  if (!ours) return { kind: 'unknown', detail: 'the bank answered about another payment' }
  const { sessionId } = payment
  switch (payment.status) {
    case 'PROCESSING':
      return { kind: 'pending' }
    case 'PAID':
      return { kind: 'succeeded', sessionId }
    case 'RETURNED':
      return { kind: 'reversed', sessionId }
    case 'REFUSED': {
      const outcome = nipOutcome(payment.responseCode, heardOn)
      return outcome.kind === 'succeeded' ? { kind: 'unknown', detail: 'the bank contradicts itself' } : outcome
    }
    default:
      return { kind: 'unknown', detail: 'the bank answered with a status word that is not known' }
  }
}

function bankDirectory({ net, url, requestTimeoutMs }: UpstreamRailOptions): BankDirectory {
  return {
    async resolve({ bank, accountNumber, signal }): Promise<AccountResolution> {
      const question = new URLSearchParams({ accountNumber, bank: bank.nipCode ?? '' })
      const result = await net.request({
        method: 'GET',
        url: `${url}/names?${question.toString()}`,
        timeoutMs: requestTimeoutMs,
        maxResponseBytes: responseBytesMax,
        allowLoopback: true,
        signal,
      })
      if (result.kind === 'failed') return { kind: 'unavailable', detail: result.message }
      if (errorIn(result) === 'ACCOUNT_NOT_FOUND') return { kind: 'not-found' }
      const found = result.status === 200 ? nameBody.safeParse(parseJson(result)).data : undefined
      if (found === undefined)
        return { kind: 'unavailable', detail: `the bank answered HTTP ${result.status}, unreadably` }
      return { kind: 'resolved', accountName: found.accountName }
    },
  }
}

const inbound: InboundNotices = {
  provider: 'scripted',
  tellsOfPayments: false,
  verify(headers, rawBody) {
    const given = headers['bank-signature']
    const signature = Buffer.from(typeof given === 'string' ? given : '', 'hex')
    const expected = createHmac('sha512', upstreamSecret).update(rawBody).digest()
    return constantTimeEqual(signature, expected) ? 'genuine' : 'forged'
  },
  read(rawBody) {
    const notice = noticeBody.safeParse(parseJson({ body: rawBody })).data
    const amount = notice === undefined ? undefined : fromNaira(notice.amount)
    if (notice === undefined || amount === undefined) return Promise.resolve({ kind: 'unreadable' })
    const { transactionId, accountNumber: number, payer, narration, paidAt } = notice
    const money = { account: { number }, amount, currency: 'NGN' as const, status: 'SUCCESSFUL' as const, narration }
    const sender = {
      senderAccountName: payer.name,
      senderAccountNumber: payer.accountNumber,
      senderBankName: payer.bank,
    }
    const source = { provider: 'scripted', providerId: transactionId, occurredAtMs: Date.parse(paidAt) }
    const deposit = { ...source, ...money, ...sender }
    return Promise.resolve({ kind: 'notices', notices: [{ about: 'deposit', deposit }] })
  },
}

/** Only a readable refusal of the bank itself counts; the page of a proxy on the way does not. */
function errorIn(result: Answered): string | undefined {
  return result.status >= 400 && result.status < 500 ? errorBody.safeParse(parseJson(result)).data?.error : undefined
}

function parseJson({ body }: { body: Buffer }): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** This bank writes amounts in naira with two decimals, which never become a floating-point number. */
function toNaira(amount: Money): string {
  return `${amount / 100n}.${(amount % 100n).toString().padStart(2, '0')}`
}

function fromNaira(unchecked: string): Money | undefined {
  return /^\d{1,14}\.\d\d$/.test(unchecked) ? toMoney(BigInt(unchecked.replace('.', ''))) : undefined
}
