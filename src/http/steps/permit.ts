// What a valid key may do here: from where it is used, and for what.

import { ApiError } from '#base/error.ts'
import type { Caller } from '#businesses/keyring.ts'
import type { Endpoint } from '#http/endpoint.ts'

export function isOutside(caller: Caller | undefined, address: string): boolean {
  return caller?.allow !== undefined && !caller.allow.include(address)
}

export function outside(address: string): ApiError {
  const sentence = `This key may not be used from ${address}. Use it from where it is allowed, or another key.`
  return new ApiError('FORBIDDEN', sentence)
}

/** Throws when the key may not do this. */
export function permit({ scopes, tenant }: Caller, { scope, stagingOnly }: Endpoint): void {
  if (scope !== 'any' && scopes?.has(scope) === false)
    throw new ApiError('FORBIDDEN', `This key lacks the scope ${scope}. Use one that has it.`)
  if (stagingOnly && tenant.environment !== 'staging')
    throw new ApiError('FORBIDDEN', 'This is a control of the simulator; it exists on staging alone.')
}
