// Method and path → endpoint. Finding costs the same however many routes there are (find-my-way, a radix tree).

import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Endpoint, Method } from './endpoint.ts'

export type Routed = Pick<Endpoint, 'method' | 'path' | 'emptyReference'>

export type Match<E extends Routed = Endpoint> =
  | { kind: 'found'; endpoint: E; params: Record<string, string | undefined> }
  | { kind: 'wrong-method'; allowed: string[] }
  | { kind: 'not-found' }

export type Router<E extends Routed = Endpoint> = { find(method: string, path: string): Match<E> }

const methods: Method[] = ['GET', 'POST', 'PATCH', 'DELETE']
const paramLengthMax = 16_384 // Longer than any request line that Node reads: the field rules judge, not the router.

export function createRouter<E extends Routed>(endpoints: E[]): Router<E> {
  const tree = findMyWay({ ignoreTrailingSlash: true, maxParamLength: paramLengthMax })
  for (const endpoint of endpoints) {
    tree.on(endpoint.method, endpoint.path, () => undefined, endpoint)
  }
  // The tree ignores trailing slashes; where a blank behind one is told as such, it is put there.
  const blank = new Set(endpoints.filter((one) => one.emptyReference).map(({ path }) => path.replace(/:\w+$/, '')))
  const lookUp = (method: string, path: string): ReturnType<typeof tree.find> =>
    tree.find(method as HTTPMethod, blank.has(path) ? `${path}%20` : path)
  return {
    find(method, path) {
      const found = lookUp(method === 'HEAD' ? 'GET' : method, path)
      if (found !== null) return { kind: 'found', endpoint: found.store as E, params: found.params }
      const allowed = methods.filter((other) => lookUp(other, path) !== null)
      if (allowed.length === 0) return { kind: 'not-found' }
      return { kind: 'wrong-method', allowed: allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])) }
    },
  }
}
