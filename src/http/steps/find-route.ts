// Finds the endpoint of an address, or refuses with a sentence that says which addresses there are.

import { ApiError } from '#base/error.ts'
import type { Entrance } from '#config.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Match, Router } from '#http/router.ts'

export type Found = Extract<Match, { kind: 'found' }>

const pathShownMax = 200

export function findRoute(
  { method, path, entrance, badAddress }: Exchange,
  router: Router,
  entrances: Entrance[],
): Found {
  // A path that does not decode still has to find its route: which comes first, the key or the path, is fixed.
  const readable = badAddress === undefined ? path : path.replaceAll('%', '%25')
  const match: Match = entrance === undefined ? { kind: 'not-found' } : router.find(method, readable)
  if (match.kind === 'found') return match
  if (match.kind === 'wrong-method') throw wrongMethod(match.allowed)
  const shown = path === '' ? '/' : path.slice(0, pathShownMax)
  const bases = entrances.map(({ baseUrl }) => baseUrl).join(' or ')
  const hint = entrance === undefined ? `. Addresses begin with ${bases}` : ''
  throw new ApiError('ROUTE_NOT_FOUND', `No route for ${method} ${shown}${hint}`)
}

export function wrongMethod(allowed: string[]): ApiError {
  const list = [...allowed, 'OPTIONS'].join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers to: ${list}`, { headers: { Allow: list } })
}
