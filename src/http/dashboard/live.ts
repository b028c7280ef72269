// The live stream: hints that something changed, never what it is; the page asks for that by itself, and is refused there
// where it may not see it. A hint that is lost costs nothing: the page looks again by itself now and then.

import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Context, Tenant } from '#base/context.ts'
import { brief, Unavailable } from '#base/error.ts'
import type { Uuid } from '#base/ids.ts'
import { beginStream } from '#http/answer.ts'
import type { Exchange } from '#http/exchange.ts'
import type { People } from '#people/people.ts'
import { dashboardEndpoint, type DashboardEndpoint } from './endpoint.ts'
import { createHints, type Hint, type HintRooms, type Seen } from './hints.ts'
import { judge } from './permissions.ts'

export const streamsPerPersonMax = 5
const streamsMax = 500
const namesMax = 100
const lookEveryMs = 1_000
const heartbeatMs = 15_000
/** A role that was changed ends the stream within that time. */
const askAgainMs = 60_000
/** What a page that does not read may leave in our memory. Its stream is ended; it comes back and begins anew. */
const unsentBytesMax = 64 * 1024

export type Live = {
  endpoint: DashboardEndpoint
  /** Ends all streams; none begins any more. */
  close(): void
}

type Stream = {
  response: ServerResponse
  token: string
  person: Uuid
  business: Uuid
  tenant: Tenant
  names: string[]
  spokeAtMs: number
  askedAtMs: number
}

export type LiveOptions = {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>
  people: Pick<People, 'signedIn'>
  rooms: HintRooms
}

export function createLive({ ctx, people, rooms }: LiveOptions): Live {
  const streams = new Set<Stream>()
  const seen = new Map<Uuid, Seen>()
  const hintsOf = createHints(rooms)
  let closed = false
  let timer: NodeJS.Timeout | undefined

  /** One look after the other: however many listen and however slow the database, there is never a second one under way. */
  async function look(): Promise<void> {
    const tenants = Map.groupBy(streams, ({ tenant }) => tenant.id)
    for (const id of seen.keys()) if (!tenants.has(id)) seen.delete(id)
    for (const [id, listening] of tenants) {
      const [{ tenant } = { tenant: undefined }] = listening
      if (tenant === undefined) continue
      const before = seen.get(id)
      const { hints, now } = await hintsOf(tenant, new Set(listening.flatMap(({ names }) => names)), before)
      seen.set(id, now)
      for (const stream of listening) tell(stream, hints)
    }
    await Promise.all([...streams].filter(isDue).map(askAgain))
  }

  function again(): void {
    timer = closed || streams.size === 0 ? undefined : setTimeout(turn, lookEveryMs)
    timer?.unref()
  }

  function turn(): void {
    ctx.db
      .aside(look)
      .catch((error: unknown) => ctx.log.warn({ error: brief(error) }, 'the dashboard could not look for what is new'))
      .finally(again)
  }

  function tell(stream: Stream, hints: Hint[]): void {
    const { response, names, spokeAtMs } = stream
    const wanted = hints.filter(({ isNew, reference }) => isNew || names.includes(reference))
    const text = wanted.map(({ noun, reference, status }) => `data: ${JSON.stringify({ noun, reference, status })}\n\n`)
    if (text.length === 0 && ctx.clock.now() - spokeAtMs < heartbeatMs) return
    if (response.writableLength > unsentBytesMax) response.destroy()
    else response.write(text.length === 0 ? ': still here\n\n' : text.join(''))
    stream.spokeAtMs = ctx.clock.now()
  }

  const isDue = ({ askedAtMs }: Stream): boolean => ctx.clock.now() - askedAtMs >= askAgainMs

  async function askAgain(stream: Stream): Promise<void> {
    const found = await people.signedIn(stream.token)
    const role = found?.level === 'full' ? found.roles.get(stream.business) : undefined
    if (role === undefined || judge('payments.see', role, stream.tenant.environment) === 'no') stream.response.end()
    stream.askedAtMs = ctx.clock.now()
  }

  function open(exchange: Exchange, listener: Omit<Stream, 'response' | 'spokeAtMs' | 'askedAtMs'>): void {
    const nowMs = ctx.clock.now()
    const stream = { ...listener, response: exchange.response, spokeAtMs: nowMs, askedAtMs: nowMs }
    beginStream(exchange, 'text/event-stream; charset=utf-8')
    if (exchange.method === 'HEAD') return void exchange.response.end()
    streams.add(stream)
    exchange.response.on('close', () => streams.delete(stream))
    exchange.response.write(': hello\n\n')
    timer ??= setTimeout(turn, 0)
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
      clearTimeout(timer)
      for (const { response } of streams) response.end()
    },
  }
}

function liveEndpoint(
  open: (exchange: Exchange, listener: Pick<Stream, 'token' | 'person' | 'business' | 'tenant' | 'names'>) => void,
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
