// `@manilla/sdk/testing`: a fake of the service in memory, for tests of programs that use the SDK. It stores payments as the
// service does (one for each reference, replays, conflicts). The test sets all other answers.

import { Manilla } from './client.ts'
import { isFields, parseFields, type Fields } from './json.ts'
import type { Clock } from './transport.ts'

/** How a request fails. `lost`: the request takes effect and its answer is lost. An error: it takes no effect. */
export type Trouble = 'lost' | { status: number; code: string; message?: string; retryAfterSeconds?: number }

export type FakeManilla = {
  /** A client of the fake. Its waits return at once. */
  client: Manilla
  /** The `fetch` of the fake, for a client of your own. */
  fetch: typeof fetch
  /** The requests in order: method and path, such as `POST /v1/transfers/initiate`, and the body. */
  requests: { request: string; body: Fields | undefined }[]
  /** Sets the status of a payment: `settle('PAYOUT-1001', 'FAILED', 'INVALID_ACCOUNT')`. */
  settle: (reference: string, status: string, failureReason?: string) => void
  /**
   * Sets the data that any other operation returns: `answer('GET /v1/banks', { banks: [] })`. `data` may be a function of
   * the body.
   */
  answer: (request: string, data: object) => void
  /** Makes the next requests fail, one for each trouble. */
  fail: (...troubles: Trouble[]) => void
}

type Kind = { path: string; initiate: string; list: string; material: string[]; first: Fields; unknown: string }

const kinds: Kind[] = [
  {
    path: '/v1/transfers',
    initiate: '/v1/transfers/initiate',
    list: 'transfers',
    material: ['amount', 'bankSlug', 'accountNumber'],
    first: { status: 'queued', bankName: 'A bank', sessionId: null },
    unknown: 'TRANSFER_NOT_FOUND',
  },
  {
    path: '/v1/momo/transfer',
    initiate: '/v1/momo/transfer',
    list: 'transfers',
    material: ['amount', 'phoneNumber', 'accountNumber', 'accountReference'],
    first: { status: 'queued', operator: 'mtn-momo', operatorReference: null },
    unknown: 'TRANSFER_NOT_FOUND',
  },
  {
    path: '/v1/momo/collection',
    initiate: '/v1/momo/collection',
    list: 'collections',
    material: ['amount', 'phoneNumber'],
    first: { status: 'PENDING', operator: 'mtn-momo', operatorReference: null, requiresOtp: false },
    unknown: 'COLLECTION_NOT_FOUND',
  },
]

const final = new Set(['SUCCESS', 'FAILED', 'REVERSED'])

/** A wait returns at once and moves the clock, so that `waitFor` ends even if nothing settles the payment. */
function newClock(): Clock {
  let milliseconds = 0
  return {
    now: () => milliseconds,
    wait: (duration) => {
      milliseconds += duration
      return Promise.resolve()
    },
  }
}

type Kept = { kind: Kind; asked: Fields; accepted: Fields; record: Fields }

type Store = Pick<FakeManilla, 'settle'> & {
  respond: (request: string, path: string, body: Fields | undefined) => Response
}

function createStore(): Store {
  const payments = new Map<string, Kept>()

  function initiate(kind: Kind, asked: Fields): Response {
    const reference = String(asked['reference'])
    const known = payments.get(reference)
    if (known === undefined) {
      const now = new Date().toISOString()
      const rest = { fee: 0, totalDebit: asked['amount'], currency: 'NGN', narration: null, metadata: null }
      const end = { failureReason: null, failureMessage: null, createdAt: now, updatedAt: now, completedAt: null }
      const record = { id: `fake_${payments.size + 1}`, ...rest, isFinal: false, ...kind.first, ...end, ...asked }
      payments.set(reference, { kind, asked, accepted: record, record })
      return success(record)
    }
    const differs = known.kind !== kind || kind.material.some((field) => known.asked[field] !== asked[field])
    if (differs) return failure(409, 'CONFLICT', `The reference ${reference} was used before. Use a new reference.`)
    return success(known.accepted, { 'Idempotent-Replayed': 'true' })
  }

  function respond(request: string, path: string, body: Fields | undefined): Response {
    if (request === 'POST /v1/transfers/bulk') return bulk(body?.['transfers'] as Fields[], payments, initiate)
    for (const kind of kinds) {
      if (request === `POST ${kind.initiate}`) return initiate(kind, body ?? {})
      const found = [...payments.values()].filter((one) => one.kind === kind)
      if (request === `GET ${kind.path}`) return page(kind.list, found.map(({ record }) => record).toReversed())
      if (request.startsWith(`GET ${kind.path}/`)) {
        const reference = decodeURIComponent(path.slice(kind.path.length + 1))
        const record = found.find(({ asked }) => asked['reference'] === reference)?.record
        return record === undefined ? failure(400, kind.unknown, 'There is no such payment.') : success(record)
      }
    }
    return failure(404, 'ROUTE_NOT_FOUND', `The fake knows no answer to ${request}: tell it one with answer().`)
  }

  return {
    respond,
    settle(reference, status, failureReason) {
      const kept = payments.get(reference)
      if (kept === undefined) throw new Error(`No payment has the reference ${reference}.`)
      const completedAt = final.has(status) ? new Date().toISOString() : null
      const change = { status, isFinal: final.has(status), failureReason: failureReason ?? null, completedAt }
      payments.set(reference, { ...kept, record: { ...kept.record, ...change } })
    },
  }
}

/** Accepts or refuses each item as if it had been sent alone. */
function bulk(
  transfers: Fields[],
  payments: Map<string, Kept>,
  initiate: (kind: Kind, asked: Fields) => Response,
): Response {
  const [kind] = kinds as [Kind]
  const counts = { accepted: 0, replayed: 0, refused: 0 }
  const results = transfers.map((item, index) => {
    const { reference } = item
    const isKnown = payments.has(String(reference))
    const isTaken = initiate(kind, item).ok
    const outcome = isTaken ? (isKnown ? 'replayed' : 'accepted') : 'refused'
    counts[outcome] += 1
    const transfer = isTaken ? payments.get(String(reference))?.accepted : null
    const error = isTaken ? null : { code: 'CONFLICT', message: 'The reference was used before.' }
    return { index, reference, outcome, transfer, error }
  })
  return success({ results, ...counts })
}

export function createFakeManilla({ apiKey = 'sk_test_fake' }: { apiKey?: string } = {}): FakeManilla {
  const requests: FakeManilla['requests'] = []
  const answers = new Map<string, Told>()
  const troubles: Trouble[] = []
  const { respond, settle } = createStore()

  const fakeFetch: typeof fetch = async (input, init) => {
    const asked = new Request(input, init)
    asked.signal.throwIfAborted()
    const { pathname } = new URL(asked.url)
    const path = pathname.slice(pathname.indexOf('/v1/'))
    const request = `${asked.method} ${path}`
    const body = parseFields(await asked.text())
    requests.push({ request, body })
    const trouble = troubles.shift()
    if (isFields(trouble)) return failure(trouble.status, trouble.code, trouble.message ?? trouble.code, trouble)
    const told = answers.get(request)
    const response = told === undefined ? respond(request, path, body) : success(told(body))
    if (trouble === 'lost') throw new TypeError('The connection broke.')
    return response
  }

  return {
    client: new Manilla({ apiKey, baseUrl: 'http://fake.invalid', fetch: fakeFetch, clock: newClock() }),
    fetch: fakeFetch,
    requests,
    settle,
    answer: (request, data) => void answers.set(request, isTold(data) ? data : () => data),
    fail: (...more) => void troubles.push(...more),
  }
}

type Told = (body: Fields | undefined) => object

function isTold(data: object): data is Told {
  return typeof data === 'function'
}

function success(data: object, headers: Record<string, string> = {}, meta?: object): Response {
  return Response.json({ success: true, data, ...(meta && { meta }), requestId: 'fake' }, { headers })
}

function page(name: string, items: object[]): Response {
  const pagination = { page: 1, limit: 100, total: items.length, totalPage: 1, hasNext: false, hasPrev: false }
  return success({ [name]: items }, {}, { pagination })
}

function failure(
  status: number,
  code: string,
  message: string,
  trouble: { retryAfterSeconds?: number } = {},
): Response {
  const { retryAfterSeconds } = trouble
  const headers = retryAfterSeconds === undefined ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }
  return Response.json({ success: false, error: { code, message }, requestId: 'fake' }, { status, ...headers })
}

/** Returns the headers of a signed delivery, for tests of a webhook endpoint. */
export async function signWebhook(
  rawBody: string,
  secret: string,
  now = new Date(),
): Promise<{ 'Content-Type': string; 'X-Webhook-Signature': string }> {
  const t = Math.floor(now.getTime() / 1000)
  const bytes = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign'])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(`${t}.${rawBody}`)))
  const v1 = [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { 'Content-Type': 'application/json', 'X-Webhook-Signature': `t=${t},v1=${v1}` }
}
