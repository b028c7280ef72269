// Calls Monnify: adds the token, reads the envelope, and separates refusals of our account from refusals of a
// payment.

import type { Clock } from '#platform/clock.ts'
import { minuteMs, secondMs } from '#platform/durations.ts'
import type { Net } from '#platform/http-client/client.ts'
import { createLimiter, type Rate } from '#rails/call-limits.ts'
import { unknownByConfiguration, type RailRefusal } from '#rails/outcome.ts'
import { createProvider, type ProviderAnswer, type ProviderQuestion, type ProviderResponse } from '#rails/provider.ts'
import type { Unknown } from '#rails/rail.ts'
import { loginBody } from './answers.ts'

type TokenStore = {
  current(): Promise<{ kind: 'token'; token: string } | Unknown>
  refused(token: string): void
}

type TokenOptions = {
  clock: Clock
  logIn: (authorization: string) => Promise<ProviderAnswer>
  apiKey: string
  secretKey: string
  misconfigured: (status: number) => Unknown
}

/** The token is renewed this much early, so that it does not expire during a call. */
const earlyMs = minuteMs

/** Provides the token of Monnify's calls. A login is needed about once an hour, and concurrent calls share one. */
export function createTokens({ clock, logIn, apiKey, secretKey, misconfigured: refusedUs }: TokenOptions): TokenStore {
  const authorization = `Basic ${Buffer.from(`${apiKey}:${secretKey}`).toString('base64')}`
  let held: { token: string; untilMs: number } | undefined
  let underWay: ReturnType<TokenStore['current']> | undefined

  async function fetchToken(): ReturnType<TokenStore['current']> {
    const askedAtMs = clock.monotonicMs()
    const heard = await logIn(authorization)
    // The call itself was not made, whatever the outcome of the login.
    if (heard.kind === 'unknown') return { ...heard, sent: false }
    const { status, body } = heard
    if (status === 401 || status === 403) return refusedUs(status)
    const login = loginBody.safeParse(body['responseBody']).data
    if (status !== 200 || login === undefined)
      return { kind: 'unknown', detail: `login: answered ${status} without a token`, sent: false }
    held = { token: login.accessToken, untilMs: askedAtMs + login.expiresIn * secondMs - earlyMs }
    return { kind: 'token', token: login.accessToken }
  }

  return {
    current() {
      if (held !== undefined && clock.monotonicMs() < held.untilMs)
        return Promise.resolve({ kind: 'token', token: held.token })
      underWay ??= fetchToken().finally(() => {
        underWay = undefined
      })
      return underWay
    },
    refused(token) {
      if (held?.token === token) held = undefined
    },
  }
}

export type MonnifyEndpoint =
  | 'login'
  | 'disburse'
  | 'disbursement'
  | 'validate'
  | 'transaction'
  | 'reserved-account'
  | 'invoice'
  | 'refund'
  | 'balance'
  | 'list-banks'
  | 'list-disbursements'
  | 'list-transactions'
  | 'list-wallet'

export type MonnifyAnswer = { kind: 'success'; body: unknown } | ({ kind: 'refusal' } & RailRefusal)

export type MonnifyCall = (what: ProviderQuestion<MonnifyEndpoint>) => Promise<MonnifyAnswer | Unknown>

/** Monnify publishes no rate limits, so we apply the limit of most Paystack endpoints to each endpoint. */
const rate: Rate = { calls: 600, perMs: minuteMs }
const rates: Record<MonnifyEndpoint, Rate> = {
  login: rate,
  disburse: rate,
  disbursement: rate,
  validate: rate,
  transaction: rate,
  'reserved-account': rate,
  invoice: rate,
  refund: rate,
  balance: rate,
  'list-banks': rate,
  'list-disbursements': rate,
  'list-transactions': rate,
  'list-wallet': rate,
}

type MonnifyCallOptions = {
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  apiKey: string
  secretKey: string
  baseUrl: string
  readMs: number
}

export function createCall({ net, clock, share, apiKey, secretKey, baseUrl, readMs }: MonnifyCallOptions): MonnifyCall {
  const call = createProvider<MonnifyEndpoint>({
    net,
    baseUrl,
    limiter: createLimiter(rates, clock, share),
    isEnvelope,
  })
  const tokens = createTokens({
    clock,
    apiKey,
    secretKey,
    misconfigured: (status) => unknownByConfiguration('login', status, settingsToCheck),
    logIn: (authorization) =>
      call({
        endpoint: 'login',
        method: 'POST',
        path: '/api/v1/auth/login',
        headers: { authorization },
        timeoutMs: readMs,
      }),
  })

  async function ask({
    body,
    timeoutMs = readMs,
    ...what
  }: ProviderQuestion<MonnifyEndpoint>): Promise<MonnifyAnswer | Unknown | RefusedToken> {
    const held = await tokens.current()
    if (held.kind === 'unknown') return held
    const heard = await call({
      ...what,
      timeoutMs,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { authorization: `Bearer ${held.token}` },
    })
    if (heard.kind === 'unknown') return heard
    return heard.status === 401 ? { kind: 'refused-token', token: held.token } : readAnswer(heard, what.endpoint)
  }

  return async (what) => {
    const first = await ask(what)
    if (first.kind !== 'refused-token') return first
    // Monnify may end a token early. A call refused for its token did nothing, so it may be repeated.
    tokens.refused(first.token)
    const second = await ask(what)
    return second.kind === 'refused-token' ? unknownByConfiguration(what.endpoint, 401, settingsToCheck) : second
  }
}

type RefusedToken = { kind: 'refused-token'; token: string }

/** The gateway in front of Monnify refuses an expired token with `{"error":"invalid_token"}`. */
function isEnvelope(body: Record<string, unknown>): boolean {
  return typeof body['requestSuccessful'] === 'boolean' || body['error'] === 'invalid_token'
}

function readAnswer({ status, body }: ProviderResponse, endpoint: MonnifyEndpoint): MonnifyAnswer | Unknown {
  const isDone = body['requestSuccessful'] === true
  const isFine = status >= 200 && status < 300
  if (isDone && isFine) return { kind: 'success', body: body['responseBody'] }
  const code = typeof body['responseCode'] === 'string' ? body['responseCode'] : ''
  const message = typeof body['responseMessage'] === 'string' ? body['responseMessage'] : ''
  if (status === 403 || code === 'D06' || concernsAccount(code, message))
    return unknownByConfiguration(endpoint, status, settingsToCheck)
  const isRefusal = body['requestSuccessful'] === false && (isFine || status >= 400)
  return isRefusal
    ? { kind: 'refusal', status, code, message }
    : { kind: 'unknown', detail: `${endpoint}: answered ${status}, which does not fit its body` }
}

/**
 * Except for D06 (an unknown address), Monnify has no code for a refusal of our account: it answers 99, as for any other
 * error. After a refusal of our account another rail may pay at once, so a text counts only if Monnify cannot have
 * created the transfer. The first two texts are from the tests of Monnify's .NET client. Any other proves nothing.
 */
const accountRefusals: RegExp[] = [
  /feature (is )?not enabled/i,
  /merchant (account )?is (not (permitted|allowed|enabled|active)|disabled|inactive|suspended|blocked)/i,
  /does not belong to (the |this )?merchant/i,
  /invalid (api key|secret key|ip address|credentials)/i,
  /ip address (\S+ )?(is )?(not (allowed|permitted|whitelisted)|blocked)/i,
]

function concernsAccount(code: string, message: string): boolean {
  if (/^D0[3457]$/.test(code) || /reference|exist|duplicate|unique/i.test(message)) return false
  return accountRefusals.some((says) => says.test(message))
}

const settingsToCheck = 'the keys, the addresses, the wallet and the features of the account'
