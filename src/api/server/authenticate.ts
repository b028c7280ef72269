// Authenticates callers. The key is looked up early because it decides whose quota the request counts against; an
// invalid key is refused later in the pipeline.

import type { RefusalReason } from '#audit/refusals.ts'
import { ApiError } from '#platform/errors.ts'
import type { Environment } from '#platform/context.ts'
import type { Caller, Keyring } from '#businesses/keyring.ts'
import type { Entrance } from '#config.ts'

export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^\s*bearer +([^\s]+)\s*$/i.exec(header)?.[1]
}

/** Returns undefined if the key is unknown or belongs to another environment. */
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

/** The message helps an honest caller but does not reveal whether a key exists. */
export function unauthorized(header: string | undefined, here: Entrance | undefined, entrances: Entrance[]): ApiError {
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

/** The reason for the refusal, as the audit log records it. */
export function refusalReason(header: string | undefined, here: Entrance | undefined): RefusalReason {
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
