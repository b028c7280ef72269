// The request pipeline of the dashboard, for users with sessions in place of keys. It checks in a fixed order: host,
// method, session, same-site page, membership, environment, permission, quota, body, fields, and then runs the
// handler. The cross-origin access of the public API does not apply here.

import { ApiError } from '#platform/errors.ts'
import type { Context, Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { isBelowDashboard } from '#config.ts'
import type { People, SignedIn, UserRole } from '#users/service.ts'
import { redirect } from '#api/server/answer.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { createRouter, type Match } from '#api/server/routes.ts'
import type { RateLimit } from '#api/server/rate-limit.ts'
import {
  nameInPlaceOfNumber,
  requireHost,
  type DashboardAddress,
  readTokens,
  type Tokens,
  requireOurPage,
  securityHeaders,
  visitorOf,
} from './request-guards.ts'
import {
  findPlace,
  requirePermission,
  requirePerson,
  compulsoryFactor,
  type Place,
  type PlaceOptions,
} from './admit.ts'
import type { DashboardEndpoint } from './endpoint.ts'
import { createPersonQuota } from './user-quota.ts'
import type { Acts } from './acts.ts'
import { createRunner, type Admitted } from './run.ts'
import type { PublicReceipts } from './payouts/receipt-links.ts'

const apiPath = '/dashboard/api'

export type DashboardDoor = {
  /** Returns true if the address belongs to the dashboard. */
  owns(exchange: Exchange): boolean
  /** Throws the caller's error. */
  answer(exchange: Exchange): Promise<void>
  /** Ends the live streams, which never end by themselves. */
  close(): void
}

export type DashboardDoorOptions = {
  ctx: Pick<Context, 'db' | 'clock' | 'log'>
  people: Pick<People, 'signedIn'>
  endpoints: DashboardEndpoint[]
  acts: Pick<Acts, 'refused'>
  /** Serves everything below /dashboard except the API. */
  assets: (exchange: Exchange) => Promise<void> | void
  /** Pages for people without an account. */
  receipts: PublicReceipts
  closeLive: () => void
  /** Known once the server listens. */
  address: () => DashboardAddress
  environments: readonly Environment[]
  findTenant: PlaceOptions['findTenant']
  /** Returns true if the business requires a second factor of its users with this role. */
  wantsFactor: (business: Uuid, role: UserRole) => Promise<boolean>
  rateLimit: RateLimit
}

type Found = Extract<Match<DashboardEndpoint>, { kind: 'found' }>

export function createDashboardDoor(options: DashboardDoorOptions): DashboardDoor {
  const { ctx, people, rateLimit, acts, address } = options
  const router = createRouter(options.endpoints)
  const quota = createPersonQuota(ctx.clock)
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
 * A business may require a second factor of some roles. Without one, such a user reaches nothing of the business, and can
 * only set one up. The setting is only read for users without a second factor.
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

/**
 * Applies before anything else is known of the request, so that no response, refusals included, is for other origins.
 */
export function guard(exchange: Exchange): void {
  exchange.forAnyOrigin = false
  exchange.guards = securityHeaders
}

function findEndpoint({ method, path }: Exchange, match: Match<DashboardEndpoint>): Found {
  switch (match.kind) {
    case 'found':
      return match
    case 'wrong-method':
      throw wrongMethod(match.allowed)
    case 'not-found':
      throw new ApiError('ROUTE_NOT_FOUND', `No route for ${method} ${path.slice(0, 200)}`)
  }
}

/** A path that does not decode still has to find its route, because the session is checked before the address. */
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
