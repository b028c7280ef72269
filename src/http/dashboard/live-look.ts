// One look for all who listen: what is new, told to the streams that want it, and whether each of them may still listen.

import type { ServerResponse } from 'node:http'
import type { Context, Tenant } from '#base/context.ts'
import { minuteMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import type { People } from '#people/people.ts'
import { createHints, type Hint, type HintRooms, type Seen } from './hints.ts'
import { judge } from './permissions.ts'

const heartbeatMs = 15_000
/** A role that was changed ends the stream within that time. */
const askAgainMs = minuteMs
/** What a page that does not read may leave in our memory. Its stream is ended; it comes back and begins anew. */
const unsentBytesMax = 64 * 1024

export type Stream = {
  response: ServerResponse
  /**
   * Answers, once; what is written comes after it. A page that was answered gives up the stream that it had before. False: it
   * was answered before.
   */
  begin(): boolean
  token: string
  person: Uuid
  business: Uuid
  tenant: Tenant
  names: string[]
  spokeAtMs: number
  askedAtMs: number
}

export type LookOptions = {
  ctx: Pick<Context, 'clock'>
  people: Pick<People, 'signedIn'>
  rooms: HintRooms
}

/** What is told when these streams are looked at; of tenants that are not among them it forgets nothing in a `part`. */
export type Look = (streams: Iterable<Stream>, which: 'all' | 'part') => Promise<void>

export function createLook({ ctx, people, rooms }: LookOptions): Look {
  const hintsOf = createHints(rooms)
  const seen = new Map<Uuid, Seen>()

  async function askAgain(stream: Stream): Promise<void> {
    const found = await people.signedIn(stream.token)
    const role = found?.level === 'full' ? found.roles.get(stream.business) : undefined
    if (role === undefined || judge('payments.see', role, stream.tenant.environment) === 'no') stream.response.end()
    stream.askedAtMs = ctx.clock.now()
  }

  return async (streams, which) => {
    const tenants = Map.groupBy(streams, ({ tenant }) => tenant.id)
    if (which === 'all') for (const id of seen.keys()) if (!tenants.has(id)) seen.delete(id)
    for (const [id, listening] of tenants) {
      const [first] = listening
      if (first === undefined) continue
      const names = new Set(listening.flatMap((stream) => stream.names))
      const looked = await hintsOf(first.tenant, names, seen.get(id))
      seen.set(id, looked.now)
      for (const stream of listening) tell(stream, looked.hints, ctx.clock.now())
    }
    const due = [...tenants.values()].flat().filter(({ askedAtMs }) => ctx.clock.now() - askedAtMs >= askAgainMs)
    for (const stream of due) await askAgain(stream)
  }
}

function tell(stream: Stream, hints: Hint[], nowMs: number): void {
  const { response, names, spokeAtMs } = stream
  if (stream.begin()) response.write(': hello\n\n')
  const wanted = hints.filter(({ isNew, reference }) => isNew || names.includes(reference))
  const text = wanted.map(({ noun, reference, status }) => `data: ${JSON.stringify({ noun, reference, status })}\n\n`)
  if (text.length === 0 && nowMs - spokeAtMs < heartbeatMs) return
  if (response.writableLength > unsentBytesMax) response.destroy()
  else response.write(text.length === 0 ? ': still here\n\n' : text.join(''))
  stream.spokeAtMs = nowMs
}
