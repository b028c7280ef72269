// Receives notices from rails: POST or PUT /rails/{rail}/notices[/{token}] below an environment's prefix. A provider
// has no API key and is exempt from the quota of unauthenticated callers, because it has few addresses and may have a
// backlog. A complete and genuine notice counts against the limits of its rail. A body that is still arriving counts
// against the limits of the sender's network, and so does a refused request. So a sender without a valid signature
// cannot use up the limits of the rail.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#platform/clock.ts'
import { ApiError } from '#platform/errors.ts'
import { customerNetworkOf } from '#platform/http-client/addresses.ts'
import type { Notices, PostedNotice } from '#rail-notices/service.ts'
import { answer } from './answer.ts'
import { breakBody, readBody } from './input.ts'
import type { Exchange } from './exchange.ts'
import { wrongMethod } from './pipeline.ts'

/** The route in metrics and the log. It leaves out the token in the path. */
export const noticesRoute = '/rails/:rail/notices'

const bodyBytesMax = 1024 * 1024
/** Complete and genuine notices of one rail in one environment. */
export const noticesPerSecondMax = 200
/** Genuine notices that are being stored at the same time: at most 64 MiB for each rail. */
export const noticesUnderWayMax = 64
/** Bodies of one network that are still arriving: as many as one rail may store at once, for a provider's backlog. */
export const arrivingPerNetworkMax = 64
/** Bodies of all networks that are still arriving: at most 512 MiB. */
const arrivingMax = 512
/** Requests of one network in a second that failed, such as unsigned, forged, too large or incomplete ones. */
export const faultsPerNetworkMax = 100
/** How many networks are counted in a second; failed requests of further ones are not limited. */
const faultyNetworksMax = 10_000
/** A provider sends its notice in one piece, so a slower body is refused. */
const bodyMs = 5_000

/**
 * `address`: the method and URL of the request, with the host and prefix of our settings. A rail may have signed them.
 */
export type NoticePath = Pick<PostedNotice, 'environment' | 'rail' | 'token' | 'address'>

export type NoticesDoor = {
  /** Returns undefined if the address belongs to no rail of this environment. */
  find(exchange: Exchange): NoticePath | undefined
  answer(exchange: Exchange, path: NoticePath): Promise<void>
}

export type NoticesDoorOptions = {
  notices: Pick<Notices, 'railAt' | 'isGenuine' | 'store' | 'turnAway'>
  /** Only its monotonic time is used: a second lasts a second also after the database's clock was set back. */
  clock: Pick<Clock, 'monotonicMs'>
}

const pathForm = /^\/rails\/([^/]+)\/notices(?:\/([^/]+))?\/?$/

export function createNoticesDoor({ notices, clock }: NoticesDoorOptions): NoticesDoor {
  const loads = new Map<string, RailLoad>()
  const arrivals = createArrivals(clock)

  async function readGenuine(exchange: Exchange, { environment, rail, token, address }: NoticePath): Promise<Buffer> {
    const { request, response } = exchange
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() !== 'identity')
      throw new ApiError('PARSE_ERROR', 'Could not read the notice. Send it without Content-Encoding.')
    const rawBody = await readInTime(request, response)
    if (!(await notices.isGenuine({ environment, rail, token, headers: request.headers, rawBody, address })))
      throw new ApiError('UNAUTHORIZED', 'The notice is not signed, or its signature or token is wrong.')
    return rawBody
  }

  function turnAway(rail: string): ApiError {
    notices.turnAway(rail)
    const headers = { 'Retry-After': '1' }
    return new ApiError('RATE_LIMIT_EXCEEDED', 'Too many notices at once. Send this one again later.', { headers })
  }

  return {
    find({ entrance, path, method }) {
      const [, name = '', token] = entrance === undefined ? [] : (pathForm.exec(path) ?? [])
      if (entrance === undefined || name === '') return undefined
      const { environment, host: authority, prefix } = entrance
      const rail = notices.railAt(environment, name)
      return rail === undefined
        ? undefined
        : { environment, rail, token, address: { method, authority, path: prefix + path } }
    },
    async answer(exchange, path) {
      exchange.route = noticesRoute
      exchange.forAnyOrigin = false
      if (exchange.method !== 'POST' && exchange.method !== 'PUT') throw wrongMethod(['POST', 'PUT'])
      const { environment, rail } = path
      const arrival = arrivals.begin(exchange.callerAddress)
      if (arrival === undefined) throw turnAway(rail)
      const rawBody = await arrival(() => readGenuine(exchange, path))
      const key = `${environment} ${rail}`
      const load = loads.get(key) ?? { underWay: 0, second: 0, inSecond: 0 }
      loads.set(key, load)
      if (!begin(load, clock.monotonicMs())) throw turnAway(rail)
      try {
        await notices.store({ environment, rail, rawBody })
      } finally {
        load.underWay -= 1
      }
      answer(exchange, 200, '{}', [])
    },
  }
}

async function readInTime(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  const late = new ApiError('PARSE_ERROR', `The body took longer than ${bodyMs / 1_000} seconds to arrive.`)
  const timer = setTimeout(() => breakBody(request, late), bodyMs)
  try {
    return await readBody(request, response, bodyBytesMax)
  } finally {
    clearTimeout(timer)
  }
}

type RailLoad = { underWay: number; second: number; inSecond: number }

/** Counts a notice, or returns false if its rail is at a limit. The caller decrements `underWay` at the end. */
function begin(load: RailLoad, monotonicMs: number): boolean {
  const second = Math.floor(monotonicMs / 1_000)
  if (load.second !== second) Object.assign(load, { second, inSecond: 0 })
  if (load.underWay >= noticesUnderWayMax || load.inSecond >= noticesPerSecondMax) return false
  load.underWay += 1
  load.inSecond += 1
  return true
}

type Arrivals = {
  /**
   * Counts a body that begins to arrive; the returned function reads it and counts a failure. Returns undefined if the
   * network is at one of its limits.
   */
  begin(address: string): (<T>(read: () => Promise<T>) => Promise<T>) | undefined
}

function createArrivals(clock: NoticesDoorOptions['clock']): Arrivals {
  const arriving = new Map<string, number>()
  let arrivingInAll = 0
  const faults = new Map<string, number>()
  let second = 0

  function faultsOf(network: string): number {
    const now = Math.floor(clock.monotonicMs() / 1_000)
    if (now !== second) faults.clear()
    second = now
    return faults.get(network) ?? 0
  }

  function noteFault(network: string): void {
    const count = faultsOf(network) + 1
    if (count > 1 || faults.size < faultyNetworksMax) faults.set(network, count)
  }

  return {
    begin(address) {
      const network = customerNetworkOf(address)
      const here = arriving.get(network) ?? 0
      const isFull = here >= arrivingPerNetworkMax || arrivingInAll >= arrivingMax
      if (isFull || faultsOf(network) >= faultsPerNetworkMax) return undefined
      arriving.set(network, here + 1)
      arrivingInAll += 1
      return async (read) => {
        try {
          return await read()
        } catch (error) {
          noteFault(network)
          throw error
        } finally {
          const left = (arriving.get(network) ?? 1) - 1
          if (left === 0) arriving.delete(network)
          else arriving.set(network, left)
          arrivingInAll -= 1
        }
      }
    },
  }
}
