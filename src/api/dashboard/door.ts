// The request pipeline of the dashboard, for users with sessions in place of keys. It checks in a fixed order: host,
// route and method, session, same-site page, membership, environment, permission, quota, body, fields, and then runs the
// handler. Without a session, requests count against the quota of their network. Unlike the API, the dashboard allows no
// cross-origin access.

import { redirect } from '#api/server/answer.ts'
import { createUnread } from '#api/server/connections.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { type RateLimit, rateLimitExceeded } from '#api/server/rate-limit.ts'
import { createRouter, type Match } from '#api/server/routes.ts'
import { answerReply, readInput } from '#api/server/endpoint.ts'
import { createQuotaCounter, type Quota } from '#businesses/quota.ts'
import { isBelowDashboard } from '#config.ts'
import type { Clock } from '#platform/clock.ts'
import { createTurns } from '#platform/concurrency.ts'
import type { Context, Environment } from '#platform/context.ts'
import { connectionBudget } from '#platform/db/db.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import type { People, SignedIn, UserRole } from '#users/service.ts'
import { actorOf, type Acts } from './acts.ts'
import {
  compulsoryFactor,
  findPlace,
  type Place,
  type PlaceOptions,
  requirePermission,
  requirePerson,
  requireStepUp,
} from './admit.ts'
import { sendDownload } from './csv.ts'
import type { DashboardEndpoint, AnyInput, DashboardReply, Visitor } from './endpoint.ts'
import type { PublicReceipts } from './payouts/receipt-links.ts'
import {
  cookieHeaders,
  type DashboardAddress,
  nameInPlaceOfNumber,
  readTokens,
  requireHost,
  requireOurPage,
  securityHeaders,
  type Tokens,
} from './browser-security.ts'

const apiPath = '/dashboard/api'

export type DashboardDoor = {
  owns(exchange: Exchange): boolean
  answer(exchange: Exchange): Promise<void>
  /** Ends the live streams, which never end by themselves. */
  close(): void
}

type DashboardDoorOptions = {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>
  people: Pick<People, 'signedIn'>
  endpoints: DashboardEndpoint[]
  acts: Pick<Acts, 'refused'>
  assets: (exchange: Exchange) => Promise<void> | void
  receipts: PublicReceipts
  closeLive: () => void
  address: () => DashboardAddress
  environments: readonly Environment[]
  findTenant: PlaceOptions['findTenant']
  wantsFactor: (business: Uuid, role: UserRole) => Promise<boolean>
  quotaClock: Clock
  rateLimit: RateLimit
}

type FoundEndpoint = Extract<Match<DashboardEndpoint>, { kind: 'found' }>

export function createDashboardDoor(options: DashboardDoorOptions): DashboardDoor {
  const { ctx, people, rateLimit, acts, address } = options
  const router = createRouter(options.endpoints)
  const quota = createPersonQuota(options.quotaClock)
  const run = createRunner({ ctx, quota, address })

  async function lookUp({ callerAddress }: Exchange, { session }: Tokens): Promise<SignedIn | undefined> {
    if (session === undefined) return undefined
    rateLimit.requireGuess(callerAddress)
    const person = await ctx.db.aside(() => people.signedIn(session))
    if (person === undefined) rateLimit.countGuess(callerAddress)
    return person
  }

  async function admit(admitted: Admitted): Promise<void> {
    const { exchange, endpoint, person, place, visitor } = admitted
    if (person === undefined) return
    const left = quota.take(person.person.id)
    exchange.quota = left
    try {
      requirePermission(endpoint, person, place, ctx.clock.now())
      await requireCompulsoryFactor(admitted, options)
    } catch (error) {
      // A user who is over the quota must not fill the audit log.
      if (!left.exceeded && error instanceof ApiError) await acts.refused({ endpoint, person, place, visitor, error })
      throw error
    }
    quota.require(left)
  }

  async function answerApi(exchange: Exchange): Promise<void> {
    const found = findEndpoint(exchange, router.find(exchange.method, readablePath(exchange)))
    const { endpoint } = found
    exchange.route = endpoint.path
    const tokens = readTokens(exchange.request, address())
    const signedIn = await lookUp(exchange, tokens)
    if (signedIn === undefined) rateLimit.count(exchange)
    else exchange.person = { id: signedIn.person.id }
    requireOurPage(exchange, address())
    const person = requirePerson(endpoint, signedIn)
    const place = await findPlace(found.params, person, options)
    if (person !== undefined) exchange.person = seen(person, place)
    const admitted = { exchange, endpoint, params: found.params, person, place, visitor: visitorOf(exchange, tokens) }
    await admit(admitted)
    exchange.quota ??= rateLimit.peek(exchange.callerAddress)
    await run(admitted)
  }

  return {
    owns: ({ path, entrance }) => (entrance === undefined || entrance.prefix === '') && isBelowDashboard(path),
    answer(exchange) {
      exchange.route = '/dashboard'
      requireHost(exchange, address())
      if (options.receipts.owns(exchange)) return options.receipts.answer(exchange)
      return isApi(exchange) ? answerApi(exchange) : answerPage(exchange, options)
    },
    close: options.closeLive,
  }
}

function isApi({ path }: Exchange): boolean {
  return path === apiPath || path.startsWith(`${apiPath}/`)
}

/**
 * A business may require a second factor of some roles. A user who has such a role but no second factor can use nothing
 * of the business until they set one up. The setting is read only for users without a second factor.
 */
async function requireCompulsoryFactor(
  { person, place: { business, role } }: Admitted,
  { wantsFactor }: DashboardDoorOptions,
): Promise<void> {
  if (business === undefined || role === undefined || person?.person.hasSecondFactor !== false) return
  if (await wantsFactor(business, role)) throw compulsoryFactor(role)
}

async function answerPage(exchange: Exchange, { rateLimit, assets }: DashboardDoorOptions): Promise<void> {
  exchange.quota = rateLimit.peek(exchange.callerAddress)
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') throw wrongMethod(['GET', 'HEAD'])
  const named = nameInPlaceOfNumber(exchange)
  if (named === undefined) await assets(exchange)
  else redirect(exchange, named)
}

/** Runs first, so that pages of other origins can read no response, not even an error. */
export function runGuarded(exchange: Exchange): void {
  exchange.forAnyOrigin = false
  exchange.guards = securityHeaders
}

function findEndpoint({ method, path }: Exchange, match: Match<DashboardEndpoint>): FoundEndpoint {
  switch (match.kind) {
    case 'found':
      return match
    case 'wrong-method':
      throw wrongMethod(match.allowed)
    case 'not-found':
      throw new ApiError('ROUTE_NOT_FOUND', `No route for ${method} ${path.slice(0, 200)}`)
  }
}

/**
 * A path with malformed percent-encoding must still find its route, because the session is checked before the path is
 * refused.
 */
function readablePath({ path, badAddress }: Exchange): string {
  return badAddress === undefined ? path : path.replaceAll('%', '%25')
}

function wrongMethod(allowed: string[]): ApiError {
  const list = allowed.join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers to: ${list}`, { headers: { Allow: list } })
}

function seen(
  { person }: SignedIn,
  { business, tenant }: Place,
): { id: Uuid; business?: Uuid; environment?: Environment } {
  return {
    id: person.id,
    ...(business === undefined ? {} : { business }),
    ...(tenant === undefined ? {} : { environment: tenant.environment }),
  }
}

const deviceLengthMax = 300
/** The audit log stores this much of a request id that a caller chose. */
const requestIdLengthMax = 100

function visitorOf({ request, callerAddress, requestId }: Exchange, { session, device }: Tokens): Visitor {
  return {
    address: callerAddress,
    device: (request.headers['user-agent'] ?? '').slice(0, deviceLengthMax),
    requestId: requestId.slice(0, requestIdLengthMax),
    token: session,
    confirmed: confirmedOf(request.headers['x-manilla-second']),
    ...(device === undefined ? {} : { deviceToken: device }),
  }
}

function confirmedOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

/**
 * Reads of pages share four database connections (`connectionBudget.pages`), and a page sends about six reads at once.
 * When a connection is free, the waiting user with the fewest reads under way is served first, so that no user delays
 * others.
 */
const readTurns = {
  atOnceMax: connectionBudget.pages,
  atOnceInAllMax: connectionBudget.pages,
  waitingMax: 64,
  waitMsMax: 5_000,
  sentence: 'Too many requests at once. Wait for the responses to earlier ones.',
}

type Admitted = {
  exchange: Exchange
  endpoint: DashboardEndpoint
  params: Record<string, string | undefined>
  person: SignedIn | undefined
  place: Place
  visitor: Visitor
}

type RunnerOptions = {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>
  quota: PersonQuota
  address: () => DashboardAddress
}

function createRunner({ ctx, quota, address }: RunnerOptions): (admitted: Admitted) => Promise<void> {
  const turns = createTurns(readTurns)
  const unread = createUnread()

  function work({ exchange, endpoint, person }: Admitted, input: AnyInput): Promise<DashboardReply> {
    const handle = (): Promise<DashboardReply> => endpoint.handle(input)
    if (endpoint.method !== 'GET' || person === undefined) return handle()
    const unlessLeft = (): Promise<DashboardReply> =>
      exchange.request.socket.destroyed ? Promise.reject(new Unavailable('The caller disconnected.')) : handle()
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

function contextOf(
  { person, place, visitor }: Admitted,
  now: () => number,
): Omit<AnyInput, 'params' | 'query' | 'body'> {
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

// The request quota of a user. It covers all businesses, and each process counts for itself. A page needs far less: it
// sends a few requests when it opens. Requests with keys count against the quota of their business instead.

const requestsPerMinute = 600

type PersonQuota = {
  take(person: Uuid): Quota
  /** Counts one request as several. Throws if the quota does not allow that many; then it still counts as one. */
  takeAs(person: Uuid, requests: number): Quota
  require(quota: Quota): void
}

function createPersonQuota(clock: Clock): PersonQuota {
  const counter = createQuotaCounter({ limit: requestsPerMinute })
  const require = (quota: Quota): void => {
    if (quota.exceeded) throw rateLimitExceeded(quota, clock.now())
  }
  return {
    take: (person) => counter.take(person, clock.now()),
    takeAs(person, requests) {
      const quota = counter.takeMore(person, Math.min(requests, requestsPerMinute) - 1, clock.now())
      require(quota)
      return quota
    },
    require,
  }
}
