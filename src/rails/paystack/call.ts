// One call of Paystack, with its envelope, its limits, and its words for what is wrong with us rather than with a payment.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Net } from '#platform/http-client/client.ts'
import { misconfigured, type Refusal } from '#rails/outcome.ts'
import { createLimiter, type Rate } from '#rails/provider-rates.ts'
import { createProvider, type Call as ProviderCall, type Question, type Word } from '#rails/provider.ts'
import type { Unknown } from '#rails/rail.ts'
import { listMeta } from './answers.ts'
import { isAboutUs } from './payout.ts'

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

type CallOptions = {
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

// Where a list of Paystack's goes on. Its documents know two ways, cursors and numbered pages, and its own description of the
// API asks for the first and shows answers of the second. Whichever an answer shows is followed, so that no list ends unread.

const pageRows = 100

/** Without a wish that it heeds, it lists so many at once. */
const usualRows = 50

type Query = Record<string, string>

const numbered = /^page (\d+)$/

/** `cursor` is Paystack's own, or the number of a page; '' is the beginning. */
export function pageQuery(cursor: string, first: Query = { use_cursor: 'true' }): Query {
  const [, page] = numbered.exec(cursor) ?? []
  const following = page === undefined ? { use_cursor: 'true', next: cursor } : { page }
  return { perPage: String(pageRows), ...(cursor === '' ? first : following) }
}

/** '': there is no further page. Undefined: the answer does not tell, and may have left something out. */
export function cursorAfter(cursor: string, uncheckedMeta: unknown, rows: number): string | undefined {
  const meta = listMeta.safeParse(uncheckedMeta ?? {}).data
  if (meta === undefined) return undefined
  const { pageCount } = meta
  // A published answer has the text "null" where there is no page.
  const next = meta.next === 'null' ? null : meta.next
  if (typeof next === 'string' && next !== '') return next
  const page = Number(numbered.exec(cursor)?.[1] ?? '1')
  if (pageCount !== undefined && pageCount !== null) return page < pageCount ? `page ${page + 1}` : ''
  return next !== undefined || rows < usualRows ? '' : undefined
}
