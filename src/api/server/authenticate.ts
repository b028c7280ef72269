// Authenticates a request by its API key, and decides whether the key may be used from this address and for this
// endpoint. pipeline.ts looks the key up early (businesses/keyring.ts), because it decides whose quota the request
// counts against. Later, a request without a valid key is refused with 401; a request from an address that its key does
// not allow, or to an endpoint whose scope its key lacks, is refused with 403.

import type { RefusalLog, RefusalReason } from '#audit/refusals.ts'
import type { Caller, Keyring } from '#businesses/keyring.ts'
import type { Entrance } from '#config.ts'
import type { Environment } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { networkOf } from '#platform/http-client/addresses.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchange } from './exchange.ts'

/**
 * Returns undefined if there is no key, or it is malformed, unknown, or of another environment. A key in the cache is
 * returned without a promise, which would cost a turn of the event loop.
 */
export function findCaller(
  keyring: Keyring,
  header: string | undefined,
  { environment, mayAsk }: { environment: Environment | undefined; mayAsk: () => boolean },
): Caller | undefined | Promise<Caller | undefined> {
  const token = bearerToken(header)
  if (token === undefined) return undefined
  const fits = (caller: Caller | undefined): Caller | undefined =>
    caller !== undefined && (environment === undefined || caller.tenant.environment === environment)
      ? caller
      : undefined
  const found = keyring.find(token, mayAsk)
  return found instanceof Promise ? found.then(fits) : fits(found)
}

function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^\s*bearer +([^\s]+)\s*$/i.exec(header)?.[1]
}

export function isOutside(caller: Caller | undefined, address: string): boolean {
  return caller?.allow !== undefined && !caller.allow.include(address)
}

/** Throws if the key lacks the scope of the endpoint, or if the endpoint does not exist in production. */
export function permitCaller({ scopes, tenant }: Caller, { scope, stagingOnly }: Endpoint): void {
  if (scope !== 'any' && scopes?.has(scope) === false)
    throw new ApiError('FORBIDDEN', `This key lacks the scope ${scope}. Use a key that has it.`)
  if (stagingOnly && tenant.environment !== 'staging')
    throw new ApiError('FORBIDDEN', 'This endpoint controls the simulator, which exists only on staging.')
}

type RefusalParts = { refusals: RefusalLog; entrances: Entrance[] }

/** Records a request without a valid key, and returns its error. */
export function refuseKey(
  { refusals, entrances }: RefusalParts,
  { request, entrance, requestId, callerAddress }: Exchange,
): ApiError {
  const { authorization } = request.headers
  const network = networkOf(callerAddress)
  refusals.note({ network, reason: refusalReason(authorization, entrance), requestId })
  return unauthorized(authorization, entrance, entrances)
}

/** Records a key that was used from an address that it does not allow, and returns the error. */
export function refuseAddress(
  { refusals }: Pick<RefusalParts, 'refusals'>,
  { callerAddress, requestId }: Exchange,
  { keyId, tenant }: Caller,
): ApiError {
  const network = networkOf(callerAddress)
  refusals.note({ network, reason: 'address-not-allowed', requestId, keyId, tenantId: tenant.id })
  const sentence = `This key may not be used from ${callerAddress}. Use it from an allowed address, or use another key.`
  return new ApiError('FORBIDDEN', sentence)
}

/** The message helps an honest caller but does not reveal whether a key exists. */
function unauthorized(header: string | undefined, here: Entrance | undefined, entrances: Entrance[]): ApiError {
  const token = bearerToken(header)
  const challenge = { headers: { 'WWW-Authenticate': 'Bearer' } }
  if (header === undefined) {
    return new ApiError(
      'UNAUTHORIZED',
      'Session not found. Send your API key as Authorization: Bearer <API_KEY>.',
      challenge,
    )
  }
  if (token === undefined) {
    return new ApiError(
      'UNAUTHORIZED',
      'Session not found. The Authorization header must be: Bearer <API_KEY>.',
      challenge,
    )
  }
  const other = environmentOf(token)
  if (other !== undefined && here !== undefined && other !== here.environment) {
    const home = entrances.find((entrance) => entrance.environment === other)
    const where = home === undefined ? `the ${other} environment, which is not served here` : home.baseUrl
    return new ApiError('UNAUTHORIZED', `Session not found. This key belongs to ${where}.`, challenge)
  }
  return new ApiError(
    'UNAUTHORIZED',
    'Session not found. The API key is not valid; it may have been revoked or have expired.',
    challenge,
  )
}

function refusalReason(header: string | undefined, here: Entrance | undefined): RefusalReason {
  if (header === undefined) return 'no-key'
  const token = bearerToken(header)
  if (token === undefined) return 'malformed'
  const other = environmentOf(token)
  return other !== undefined && here !== undefined && other !== here.environment ? 'other-environment' : 'unknown-key'
}

function environmentOf(token: string): Environment | undefined {
  if (token.startsWith('sk_test_')) return 'staging'
  return token.startsWith('sk_live_') ? 'production' : undefined
}
