// Runs the last steps of a dashboard request: reads body and fields, calls the handler, and sends the response.

import type { Context } from '#platform/context.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'
import { createTurns } from '#platform/concurrency.ts'
import { connectionBudget } from '#platform/db/db.ts'
import { answerReply, readInput } from '#api/server/run-endpoint.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { createUnread } from '#api/server/connections.ts'
import type { SignedIn } from '#users/service.ts'
import { type DashboardAddress, cookieHeaders, actorOf } from './request-guards.ts'
import { requireStepUp, type Place } from './admit.ts'
import { sendDownload } from './csv.ts'
import type { AnyInput, DashboardEndpoint, DashboardReply, Visitor } from './endpoint.ts'
import type { PersonQuota } from './user-quota.ts'

/**
 * Reads of pages share four connections. A page sends about six reads at once. A user's second tab waits a moment,
 * and another user is served before the first one's tenth read.
 */
const readTurns = {
  atOnceMax: connectionBudget.pages,
  atOnceInAllMax: connectionBudget.pages,
  waitingMax: 64,
  waitMsMax: 5_000,
  sentence: 'Too much is asked for at once. Wait for the answers to what is under way.',
}

export type Admitted = {
  exchange: Exchange
  endpoint: DashboardEndpoint
  params: Record<string, string | undefined>
  person: SignedIn | undefined
  place: Place
  visitor: Visitor
}

export type RunnerOptions = {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>
  quota: PersonQuota
  address: () => DashboardAddress
}

export function createRunner({ ctx, quota, address }: RunnerOptions): (admitted: Admitted) => Promise<void> {
  const turns = createTurns(readTurns)
  const unread = createUnread()

  function work({ exchange, endpoint, person }: Admitted, input: AnyInput): Promise<DashboardReply> {
    const handle = (): Promise<DashboardReply> => endpoint.handle(input)
    if (endpoint.method !== 'GET' || person === undefined) return handle()
    const unlessLeft = (): Promise<DashboardReply> =>
      exchange.request.socket.destroyed ? Promise.reject(new Unavailable('The caller has left.')) : handle()
    return ctx.db.aside(() => turns.run(person.person.id, unlessLeft))
  }

  return async (admitted) => {
    const { exchange, endpoint, params, person } = admitted
    const owner = person?.person.id
    if (owner !== undefined) unread.check(owner)
    const fields = await readInput(exchange, endpoint, params)
    if (endpoint.countsAs !== undefined && owner !== undefined)
      exchange.quota = quota.takeAs(owner, endpoint.countsAs(fields.body))
    const input = { ...fields, ...contextOf(admitted, () => ctx.clock.now()) } as AnyInput
    const reply = await work(admitted, input)
    const cookies = cookieHeaders(reply.cookie, address())
    if (reply.takeOver !== undefined) return reply.takeOver(exchange)
    if (reply.download !== undefined) return ctx.db.aside(() => sendDownload(exchange, reply.download, ctx.log))
    answerReply(exchange, endpoint, reply, owner === undefined ? undefined : { unread, owner }, cookies)
  }
}

type Told = Omit<AnyInput, 'params' | 'query' | 'body'>

function contextOf({ person, place, visitor }: Admitted, now: () => number): Told {
  return {
    person,
    ...place,
    visitor,
    by: () => actorOf(person, place, visitor),
    requireStepUp() {
      if (person === undefined) throw new ApiError('UNAUTHORIZED', 'You are not signed in.')
      requireStepUp(person, now())
    },
  }
}
