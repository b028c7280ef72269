// One call of Paystack, with its envelope, its limits, and its words for what is wrong with us rather than with a payment.

import type { Clock } from '#base/clock.ts'
import { minuteMs } from '#base/durations.ts'
import type { Net } from '#base/net.ts'
import { createProvider, type Call as ProviderCall, type Question, type Word } from '#rails/call.ts'
import { createLimiter, type Rate } from '#rails/limiter.ts'
import { misconfigured, type Refusal } from '#rails/outcome.ts'
import type { Unknown } from '#rails/rail.ts'
import { isAboutUs } from './refusals.ts'

export type Endpoint =
  | 'recipient'
  | 'transfer'
  | 'verify-transfer'
  | 'resolve'
  | 'verify-transaction'
  | 'balance'
  | 'customer'
  | 'dedicated-account'
  | 'charge'
  | 'refund'
  | 'list-banks'
  | 'list-transfers'
  | 'list-transactions'
  | 'list-ledger'

/** What Paystack said: `data` of a success, and of a list where it goes on; or why not. */
export type Said = { kind: 'success'; data: unknown; meta: unknown } | ({ kind: 'refusal' } & Refusal)

export type Call = (what: Question<Endpoint>) => Promise<Said | Unknown>

/** For each endpoint by itself. */
const liveRates: Record<Endpoint, Rate> = {
  recipient: { calls: 600, perMs: minuteMs },
  transfer: { calls: 900, perMs: minuteMs },
  'verify-transfer': { calls: 600, perMs: minuteMs },
  resolve: { calls: 1_500, perMs: minuteMs },
  'verify-transaction': { calls: 3_000, perMs: minuteMs },
  balance: { calls: 600, perMs: minuteMs },
  customer: { calls: 600, perMs: minuteMs },
  'dedicated-account': { calls: 600, perMs: minuteMs },
  charge: { calls: 1_200, perMs: minuteMs },
  refund: { calls: 600, perMs: minuteMs },
  'list-banks': { calls: 600, perMs: minuteMs },
  'list-transfers': { calls: 600, perMs: minuteMs },
  'list-transactions': { calls: 600, perMs: minuteMs },
  'list-ledger': { calls: 600, perMs: minuteMs },
}
const testRate: Rate = { calls: 100, perMs: minuteMs }
const testRates = Object.fromEntries(Object.keys(liveRates).map((endpoint) => [endpoint, testRate]))

export type CallOptions = {
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  secretKey: string
  baseUrl: string
  readMs: number
}

export function createCall({ net, clock, share, secretKey, baseUrl, readMs }: CallOptions): Call {
  const isLive = secretKey.startsWith('sk_live_')
  const limiter = createLimiter(isLive ? liveRates : (testRates as Record<Endpoint, Rate>), clock, share)
  const call = createProvider<Endpoint>({
    net,
    baseUrl,
    limiter,
    isEnvelope: (body) => typeof body['status'] === 'boolean' && typeof body['message'] === 'string',
  })
  return async ({ body, timeoutMs = readMs, ...what }) => {
    const asked: ProviderCall<Endpoint> = {
      ...what,
      timeoutMs,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { authorization: `Bearer ${secretKey}` },
    }
    const heard = await call(asked)
    return heard.kind === 'unknown' ? heard : saidBy(heard, what.endpoint)
  }
}

function saidBy({ status, body }: Word, endpoint: Endpoint): Said | Unknown {
  if (status >= 200 && status < 300 && body['status'] === true)
    return { kind: 'success', data: body['data'], meta: body['meta'] }
  const message = String(body['message'])
  const code = typeof body['code'] === 'string' ? body['code'] : ''
  if (isAboutUs({ status, message })) return misconfigured(endpoint, status, ours)
  // A redirect, or a success that is none, is not a word about what was asked.
  if (status < 400) return { kind: 'unknown', detail: `${endpoint}: answered ${status} with status false` }
  return { kind: 'refusal', status, code, message }
}

/** Of which a refusal speaks that is about us. */
const ours = 'the key, the addresses and the features of the account'
