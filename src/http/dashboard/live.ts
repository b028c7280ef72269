// The live stream: hints that something changed, never what it is; the page asks for that by itself, and is refused there
// where it may not see it. A hint that is lost costs nothing: the page looks again by itself now and then.

import { z } from 'zod'
import type { Context } from '#base/context.ts'
import { brief, Unavailable } from '#base/error.ts'
import type { Uuid } from '#base/ids.ts'
import { beginStream } from '#http/answer.ts'
import type { Exchange } from '#http/exchange.ts'
import { watchFigures } from '#insights/insights.ts'
import { dashboardEndpoint, type DashboardEndpoint } from './endpoint.ts'
import { createLook, type LookOptions, type Stream } from './live-look.ts'
import { createRounds } from './live-rounds.ts'

const streamsPerPersonMax = 5
const streamsMax = 500
const namesMax = 100
/** What other processes have written is seen within that time. */
const roundMs = 1_000
/** What this one has written is seen at once, a flood of it four times a second. */
const gapMs = 250

export type Live = {
  endpoint: DashboardEndpoint
  /** Ends all streams; none begins any more. */
  close(): void
}

export type LiveOptions = LookOptions & { ctx: Pick<Context, 'db' | 'clock' | 'log'> }

export function createLive(options: LiveOptions): Live {
  const { db, clock, log } = options.ctx
  const streams = new Set<Stream>()
  const look = createLook(options)
  const woken = new Set<Uuid>()
  let closed = false

  /** However many listen and however slow the database, there is never a second look under way. */
  function lookAt(isRound: boolean): Promise<void> {
    const those = [...streams].filter(({ tenant }) => isRound || woken.has(tenant.id))
    woken.clear()
    return db
      .aside(() => look(those, isRound ? 'all' : 'part'))
      .catch((error: unknown) => log.warn({ error: brief(error) }, 'the dashboard could not look for what is new'))
  }

  const rounds = createRounds({ look: lookAt, isWanted: () => streams.size > 0, roundMs, gapMs })
  function wake(tenants: Iterable<Uuid>): void {
    for (const id of tenants) woken.add(id)
    rounds.wake()
  }
  const unwatch = watchFigures((tenants) => {
    const listening = [...streams].map(({ tenant }) => tenant.id).filter((id) => tenants.has(id))
    if (listening.length > 0) wake(listening)
  })

  function open(exchange: Exchange, listener: Listener): void {
    const { response } = exchange
    const nowMs = clock.now()
    const begin = (): boolean => beginOnce(exchange)
    if (exchange.method === 'HEAD') return end({ response, begin })
    const stream = { ...listener, response, begin, spokeAtMs: nowMs, askedAtMs: nowMs }
    streams.add(stream)
    response.on('close', () => streams.delete(stream))
    // It begins with the first look, which notes what there is: a page that reads after that is told of every change.
    wake([stream.tenant.id])
  }

  function requireRoom(person: Uuid): void {
    const own = [...streams].filter((stream) => stream.person === person).length
    if (closed) throw new Unavailable('The service is shutting down. Try again shortly.')
    if (own < streamsPerPersonMax && streams.size < streamsMax) return
    throw new Unavailable('Too many pages listen already. Ask again every 10 s.', { retryAfterSeconds: 10 })
  }

  return {
    endpoint: liveEndpoint(open, requireRoom),
    close() {
      closed = true
      unwatch()
      rounds.stop()
      for (const stream of streams) end(stream)
    },
  }
}

function end({ response, begin }: Pick<Stream, 'response' | 'begin'>): void {
  begin()
  response.end()
}

function beginOnce(exchange: Exchange): boolean {
  if (exchange.response.headersSent) return false
  beginStream(exchange, 'text/event-stream; charset=utf-8')
  return true
}

type Listener = Pick<Stream, 'token' | 'person' | 'business' | 'tenant' | 'names'>

function liveEndpoint(
  open: (exchange: Exchange, listener: Listener) => void,
  requireRoom: (person: Uuid) => void,
): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/live',
    permission: 'payments.see',
    query: z.object({
      names: z
        .string('names must be given once')
        .transform((text) => text.split(',').filter((name) => name !== ''))
        .refine((names) => names.length <= namesMax, `names must be at most ${namesMax} references`)
        .default([]),
    }),
    handle({ query, person, business, tenant, visitor }) {
      requireRoom(person.person.id)
      const listener = { token: visitor.token ?? '', person: person.person.id, business, tenant, names: query.names }
      return Promise.resolve({ data: {}, takeOver: (exchange) => open(exchange, listener) })
    },
  })
}
