// The last steps at the second door: body and fields, the endpoint's work, and its answer.

import type { Actor, Context } from '#base/context.ts'
import { ApiError, Unavailable } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { createTurns } from '#base/turns.ts'
import { connectionBudget } from '#base/connections.ts'
import { answerReply, readInput } from '#http/run-endpoint.ts'
import type { Exchange } from '#http/exchange.ts'
import { createUnread } from '#http/unread.ts'
import type { SignedIn } from '#people/people.ts'
import type { DashboardAddress } from './address.ts'
import { requireStepUp, type Place } from './admit.ts'
import { cookieHeaders, type Tokens } from './cookies.ts'
import { sendDownload } from './download.ts'
import type { AnyInput, DashboardEndpoint, DashboardReply, Visitor } from './endpoint.ts'
import type { PersonQuota } from './person-quota.ts'

/**
 * Pages read through four connections of their own. A page asks half a dozen things at once; its person's second tab waits a
 * moment, and another person is served before their tenth question.
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
  tokens: Tokens
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
    if (endpoint.writes || person === undefined) return handle()
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

function contextOf({ exchange, person, place, tokens }: Admitted, now: () => number): Told {
  const visitor = visitorOf(exchange, tokens)
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

const deviceLengthMax = 300
/** What the audit log keeps of a request id that a caller chose. */
const requestIdLengthMax = 100

function visitorOf({ request, callerAddress, requestId }: Exchange, { session, device }: Tokens): Visitor {
  return {
    address: callerAddress,
    device: (request.headers['user-agent'] ?? '').slice(0, deviceLengthMax),
    requestId: requestId.slice(0, requestIdLengthMax),
    token: session,
    ...(device === undefined ? {} : { deviceToken: device }),
  }
}

/** For the audit log: by their id, which says nothing of them once they are gone. */
export function actorOf(
  person: SignedIn | undefined,
  { role }: Pick<Place, 'role'>,
  { address, device, requestId }: Visitor,
): Actor {
  if (person === undefined) return { kind: 'service', name: 'manilla', address }
  const { id } = person.person
  return { kind: 'person', name: formatId('person', id), address, person: { id, role, device, requestId } }
}
