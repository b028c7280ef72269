// Calls pawaPay: applies our limits of calls, signs what moves money, and separates refusals of our account from
// refusals of a payment.

import type { Clock } from '#platform/clock.ts'
import { minuteMs } from '#platform/durations.ts'
import type { Net } from '#platform/http-client/client.ts'
import { createLimiter, type Rate } from '#rails/call-limits.ts'
import { unknownByConfiguration, type RailRefusal } from '#rails/outcome.ts'
import { createProvider, type ProviderQuestion, type ProviderResponse } from '#rails/provider.ts'
import type { Unknown } from '#rails/rail.ts'
import { refusalBody } from './answers.ts'
import { createSigner, type RequestSigning } from './http-signatures.ts'

/** pawaPay publishes no limits of calls. These are our own, as a precaution. */
const rates = {
  payout: { calls: 1_200, perMs: minuteMs },
  'payout-status': { calls: 1_200, perMs: minuteMs },
  deposit: { calls: 1_200, perMs: minuteMs },
  'deposit-status': { calls: 1_200, perMs: minuteMs },
  cancel: { calls: 120, perMs: minuteMs },
  balances: { calls: 120, perMs: minuteMs },
  'public-key': { calls: 60, perMs: minuteMs },
  'active-conf': { calls: 60, perMs: minuteMs },
  availability: { calls: 60, perMs: minuteMs },
  predict: { calls: 60, perMs: minuteMs },
  statement: { calls: 240, perMs: minuteMs },
} as const satisfies Record<string, Rate>

export type PawapayEndpoint = keyof typeof rates

export type PawapayAnswer = { kind: 'success'; body: Record<string, unknown> } | ({ kind: 'refusal' } & RailRefusal)

export type PawapayCall = (what: ProviderQuestion<PawapayEndpoint>) => Promise<PawapayAnswer | Unknown>

/** Calls that move money; pawaPay can demand that they are signed. */
const signedEndpoints: readonly PawapayEndpoint[] = ['payout', 'deposit']

type PawapayCallOptions = {
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  apiToken: string
  signing?: RequestSigning | undefined
  baseUrl: string
  readMs: number
}

export function createCall(options: PawapayCallOptions): PawapayCall {
  const { net, clock, share, apiToken, signing, baseUrl, readMs } = options
  const call = createProvider<PawapayEndpoint>({
    net,
    baseUrl,
    limiter: createLimiter<PawapayEndpoint>(rates, clock, share),
    isEnvelope,
  })
  const signRequest = signing === undefined ? undefined : createSigner(signing)
  const { host: authority, pathname } = new URL(baseUrl)
  const basePath = pathname === '/' ? '' : pathname

  function signatureOf(endpoint: PawapayEndpoint, path: string, body: string | undefined): Record<string, string> {
    if (signRequest === undefined || body === undefined || !signedEndpoints.includes(endpoint)) return {}
    return signRequest({ method: 'POST', authority, path: basePath + path }, body, clock.now())
  }

  return async ({ body, timeoutMs = readMs, ...what }) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = { authorization: `Bearer ${apiToken}`, ...signatureOf(what.endpoint, what.path, text) }
    const heard = await call({ ...what, timeoutMs, body: text, headers })
    return heard.kind === 'unknown' ? heard : readAnswer(heard, what.endpoint)
  }
}

/** pawaPay has no common envelope, so an answer counts if it has a member that only its own answers have. */
function isEnvelope(body: Record<string, unknown>): boolean {
  const { status } = body
  if (typeof status === 'string' && /^[A-Z_]{1,40}$/.test(status)) return true
  const { rows, balances, countries, provider } = body
  return (
    [rows, balances, countries].some(Array.isArray) ||
    typeof provider === 'string' ||
    refusalBody.safeParse(body).success
  )
}

function readAnswer({ status, body }: ProviderResponse, endpoint: PawapayEndpoint): PawapayAnswer | Unknown {
  if (status >= 200 && status < 300) return { kind: 'success', body }
  const { failureReason } = refusalBody.safeParse(body).data ?? {}
  if (status < 400 || failureReason === undefined)
    return { kind: 'unknown', detail: `${endpoint}: answered ${status} without a failure code` }
  const { failureCode: code, failureMessage } = failureReason
  if (concernsAccount(code)) return unknownByConfiguration(endpoint, status, `${settingsToCheck} (${code})`)
  return { kind: 'refusal', status, code, message: failureMessage ?? '' }
}

/**
 * Returns true if pawaPay refused the token, the signature or the permissions of our account (documentation, "Failure
 * codes"). Then no payment was made.
 */
export function concernsAccount(code: string): boolean {
  return accountRefusals.includes(code) || /^[A-Z]{1,20}_NOT_ALLOWED$/.test(code)
}

const accountRefusals = ['NO_AUTHENTICATION', 'AUTHENTICATION_ERROR', 'AUTHORISATION_ERROR', 'HTTP_SIGNATURE_ERROR']

export const settingsToCheck = 'the token, the signing key and what the account may do'
