// Calls Paystack: applies its limits, reads its envelope, and separates refusals of our account from refusals of a
// payment.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Net } from '#platform/http-client/client.ts'
import { createLimiter, type Rate } from '#rails/call-limits.ts'
import { unknownByConfiguration, type RailRefusal } from '#rails/outcome.ts'
import {
  createProvider,
  type ProviderQuestion,
  type ProviderRequest as ProviderCall,
  type ProviderResponse,
} from '#rails/provider.ts'
import type { Unknown } from '#rails/rail.ts'
import { listMeta } from './answers.ts'
import { concernsAccount } from './payout.ts'

export type PaystackEndpoint =
  | 'recipient'
  | 'transfer'
  | 'verify-transfer'
  | 'resolve'
  | 'verify-transaction'
  | 'balance'
  | 'customer'
  | 'dedicated-account'
  | 'charge'
  | 'submit-otp'
  | 'refund'
  | 'list-banks'
  | 'list-transfers'
  | 'list-transactions'
  | 'list-ledger'

export type PaystackAnswer = { kind: 'success'; data: unknown; meta: unknown } | ({ kind: 'refusal' } & RailRefusal)

export type PaystackCall = (what: ProviderQuestion<PaystackEndpoint>) => Promise<PaystackAnswer | Unknown>

/** Documentation, "Rate limits": each endpoint has its own. */
const liveRates: Record<PaystackEndpoint, Rate> = {
  recipient: { calls: 600, perMs: minuteMs },
  transfer: { calls: 900, perMs: minuteMs },
  'verify-transfer': { calls: 600, perMs: minuteMs },
  resolve: { calls: 1_500, perMs: minuteMs },
  'verify-transaction': { calls: 3_000, perMs: minuteMs },
  balance: { calls: 600, perMs: minuteMs },
  customer: { calls: 600, perMs: minuteMs },
  'dedicated-account': { calls: 600, perMs: minuteMs },
  charge: { calls: 1_200, perMs: minuteMs },
  'submit-otp': { calls: 600, perMs: minuteMs },
  refund: { calls: 600, perMs: minuteMs },
  'list-banks': { calls: 600, perMs: minuteMs },
  'list-transfers': { calls: 600, perMs: minuteMs },
  'list-transactions': { calls: 600, perMs: minuteMs },
  'list-ledger': { calls: 600, perMs: minuteMs },
}
const testRate: Rate = { calls: 100, perMs: minuteMs }
const testRates = Object.fromEntries(Object.keys(liveRates).map((endpoint) => [endpoint, testRate]))

type PaystackCallOptions = {
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  secretKey: string
  baseUrl: string
  readMs: number
}

export function createCall({ net, clock, share, secretKey, baseUrl, readMs }: PaystackCallOptions): PaystackCall {
  const isLive = secretKey.startsWith('sk_live_')
  const limiter = createLimiter(isLive ? liveRates : (testRates as Record<PaystackEndpoint, Rate>), clock, share)
  const call = createProvider<PaystackEndpoint>({
    net,
    baseUrl,
    limiter,
    isEnvelope: (body) => typeof body['status'] === 'boolean' && typeof body['message'] === 'string',
  })
  return async ({ body, timeoutMs = readMs, ...what }) => {
    const asked: ProviderCall<PaystackEndpoint> = {
      ...what,
      timeoutMs,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { authorization: `Bearer ${secretKey}` },
    }
    const heard = await call(asked)
    return heard.kind === 'unknown' ? heard : readAnswer(heard, what.endpoint)
  }
}

function readAnswer({ status, body }: ProviderResponse, endpoint: PaystackEndpoint): PaystackAnswer | Unknown {
  if (status >= 200 && status < 300 && body['status'] === true)
    return { kind: 'success', data: body['data'], meta: body['meta'] }
  const message = String(body['message'])
  const code = typeof body['code'] === 'string' ? body['code'] : ''
  if (concernsAccount({ status, message })) return unknownByConfiguration(endpoint, status, settingsToCheck)
  // A redirect, or a 2xx with `status` false, says nothing about the request.
  if (status < 400) return { kind: 'unknown', detail: `${endpoint}: answered ${status} with status false` }
  return { kind: 'refusal', status, code, message }
}

const settingsToCheck = 'the key, the addresses and the features of the account'

const pageRows = 100

/** Paystack's default page size. */
const usualRows = 50

type PaystackQuery = Record<string, string>

const numbered = /^page (\d+)$/

/**
 * The query for a page of a list. Paystack documents cursors and numbered pages: its OpenAPI description requests
 * cursors and shows answers with numbered pages. The next page is requested in the way that the last answer shows;
 * otherwise it would stay unread. `cursor` is Paystack's own or a page number; '' is the first page.
 */
export function pageQuery(cursor: string, first: PaystackQuery = { use_cursor: 'true' }): PaystackQuery {
  const [, page] = numbered.exec(cursor) ?? []
  const following = page === undefined ? { use_cursor: 'true', next: cursor } : { page }
  return { perPage: String(pageRows), ...(cursor === '' ? first : following) }
}

/** '' if there is no further page. Undefined if the response does not show it: rows may then be missing. */
export function cursorAfter(cursor: string, uncheckedMeta: unknown, rows: number): string | undefined {
  const meta = listMeta.safeParse(uncheckedMeta ?? {}).data
  if (meta === undefined) return undefined
  const { pageCount } = meta
  // A documented response has the string "null" if there is no further page.
  const next = meta.next === 'null' ? null : meta.next
  if (typeof next === 'string' && next !== '') return next
  const page = Number(numbered.exec(cursor)?.[1] ?? '1')
  if (pageCount !== undefined && pageCount !== null) return page < pageCount ? `page ${page + 1}` : ''
  return next !== undefined || rows < usualRows ? '' : undefined
}
