// Where rails tell what happened: POST or PUT /rails/{rail}/notices[/{token}] below an environment's prefix. No key of ours
// and no quota of strangers: a provider has a few addresses and may have a backlog. Each rail has limits of its own.

import type { Clock } from '#base/clock.ts'
import type { Environment } from '#base/context.ts'
import { ApiError } from '#base/error.ts'
import type { Notices } from '#notices/notices.ts'
import { answer } from './answer.ts'
import { readBody } from './body.ts'
import type { Exchange } from './exchange.ts'
import { wrongMethod } from './steps/find-route.ts'

/** For metrics and the log: the token in the path is in neither. */
export const noticesRoute = '/rails/:rail/notices'

const bodyBytesMax = 1024 * 1024
export const noticesPerSecondMax = 200
/** Bodies that are read or stored at this moment: 64 MiB of a rail at most. */
export const noticesUnderWayMax = 64

export type NoticePath = { environment: Environment; rail: string; token: string | undefined }

export type NoticesDoor = {
  /** Undefined: the address is none of a rail of this environment. */
  find(exchange: Exchange): NoticePath | undefined
  answer(exchange: Exchange, path: NoticePath): Promise<void>
}

export type NoticesDoorOptions = { notices: Pick<Notices, 'hears' | 'receive' | 'turnAway'>; clock: Clock }

const pathForm = /^\/rails\/([^/]+)\/notices(?:\/([^/]+))?\/?$/

export function createNoticesDoor({ notices, clock }: NoticesDoorOptions): NoticesDoor {
  const crowds = new Map<string, Crowd>()

  async function take(exchange: Exchange, { environment, rail, token }: NoticePath): Promise<void> {
    const { request, response } = exchange
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() !== 'identity')
      throw new ApiError('PARSE_ERROR', 'Could not read the notice. Send it without Content-Encoding.')
    const rawBody = await readBody(request, response, bodyBytesMax)
    const received = await notices.receive({ environment, rail, token, headers: request.headers, rawBody })
    switch (received) {
      case 'stored':
      case 'repeated':
        return answer(exchange, 200, '{}', [])
      case 'forged':
        throw new ApiError('UNAUTHORIZED', 'This is not signed as this rail signs.')
      case 'unknown-rail':
        throw new ApiError('ROUTE_NOT_FOUND', 'There is no such rail here.')
    }
  }

  return {
    find({ entrance, path }) {
      const [, rail = '', token] = entrance === undefined ? [] : (pathForm.exec(path) ?? [])
      if (entrance === undefined || rail === '' || !notices.hears(entrance.environment, rail)) return undefined
      return { environment: entrance.environment, rail, token }
    },
    async answer(exchange, path) {
      exchange.route = noticesRoute
      exchange.forAnyOrigin = false
      if (exchange.method !== 'POST' && exchange.method !== 'PUT') throw wrongMethod(['POST', 'PUT'])
      const crowd = crowds.get(path.rail) ?? { underWay: 0, second: 0, inSecond: 0 }
      crowds.set(path.rail, crowd)
      if (!enter(crowd, clock.now())) {
        notices.turnAway(path.rail)
        throw new ApiError('RATE_LIMIT_EXCEEDED', 'Too many notices at once. Send it again.', {
          headers: { 'Retry-After': '1' },
        })
      }
      try {
        await take(exchange, path)
      } finally {
        crowd.underWay -= 1
      }
    },
  }
}

type Crowd = { underWay: number; second: number; inSecond: number }

/** Whoever enters leaves by counting itself out. */
function enter(crowd: Crowd, nowMs: number): boolean {
  const second = Math.floor(nowMs / 1_000)
  if (crowd.second !== second) Object.assign(crowd, { second, inSecond: 0 })
  if (crowd.underWay >= noticesUnderWayMax || crowd.inSecond >= noticesPerSecondMax) return false
  crowd.underWay += 1
  crowd.inSecond += 1
  return true
}
