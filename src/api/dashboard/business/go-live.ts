// The go-live checklist, and the rule that the first live key needs all points done or waived. The points are computed on
// every request; only waivers are stored.

import { z } from 'zod'
import { judge, titleOf } from '#api/dashboard/permissions.ts'
import { hrefOf } from '#api/dashboard/assets.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { lowBalanceReaders } from '#api/dashboard/money/alerts.ts'
import { text, validationError } from '#api/server/fields.ts'
import type { Rooms } from '#api/server/routes.ts'
import { findTenant } from '#businesses/business.ts'
import { readCurrencies } from '#businesses/currencies.ts'
import { listWaivers, waivePoint, readLowBalances } from '#businesses/settings.ts'
import { listKeys } from '#businesses/keys.ts'
import type { Config } from '#config.ts'
import { present } from '#platform/assert.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import type { ShownPayment } from '#payments/wire.ts'
import { listPeople } from '#users/members.ts'
import type { UserRole } from '#users/service.ts'
import type { SignatureProbe } from '#webhooks/endpoint-test.ts'

type PointParts = {
  ctx: Context
  rooms: Pick<Rooms, 'ledger' | 'payments' | 'webhooks'>
  config: Config
}

type Point = {
  id: string
  title: string
  /** Says what is missing or, if the point is done, how it was done. */
  says: string
  isDone: boolean
  /** The page where the user can complete the point; null if there is none. */
  page: { environment: Environment; path: string } | null
}

/** The simulator's account and wallets whose transfers stay queued until the user ends them. */
const unknownAccount = '9990000009'
const unknownWallet = /^(?:\+2348000000008|\+(?!234)\d+008)$/
/** How many of the latest transfers of each kind are searched for one that stayed unknown and then ended. */
const transfersSeenMax = 100

async function readPoints(parts: PointParts, business: Uuid, production: Tenant): Promise<Point[]> {
  const staging = await findTenant(parts.ctx, business, 'staging')
  return [
    ...(await peoplePoints(parts, business)),
    await receiverPoint(parts, production),
    await signaturePoint(parts, production),
    ...(staging === undefined ? [] : await transferPoints(parts, staging)),
    await lowBalancePoint(parts, business, { production, staging }),
    railPoint(parts),
  ]
}

async function peoplePoints({ ctx }: PointParts, business: Uuid): Promise<Point[]> {
  const people = await listPeople(ctx, business)
  const owners = people.filter(({ role }) => role === 'owner').length
  const without = people.filter(
    ({ role, has_second_factor }) =>
      role !== null && !has_second_factor && judge('payouts.propose', role, 'production') !== 'no',
  )
  return [
    {
      id: 'second-factors',
      title: 'Everyone who can send money has a second factor',
      says:
        without.length === 0
          ? 'All of them have one.'
          : `Still missing: ${without.map(({ name }) => name).join(', ')}.`,
      isDone: without.length === 0,
      page: { environment: 'production', path: 'team' },
    },
    {
      id: 'two-owners',
      title: 'There are two owners',
      says:
        owners >= 2 ? `There are ${owners}.` : 'There is one. If they lose their factor, no other owner can reset it.',
      isDone: owners >= 2,
      page: { environment: 'production', path: 'team' },
    },
  ]
}

async function receiverPoint({ rooms }: PointParts, production: Tenant): Promise<Point> {
  const question = { page: 1, limit: 1, event: 'webhook.test', status: 'delivered' as const }
  const { total } = await rooms.webhooks.log.list(production, question)
  return {
    id: 'webhook',
    title: 'A production webhook has answered a test',
    says: total > 0 ? 'One has.' : 'Create one in production and send it a test.',
    isDone: total > 0,
    page: { environment: 'production', path: 'webhooks' },
  }
}

async function signaturePoint({ rooms }: PointParts, production: Tenant): Promise<Point> {
  const active = (await rooms.webhooks.subscriptions.list(production)).filter(({ status }) => status === 'active')
  const unproved = active.filter(({ forgeryRefusedAt }) => forgeryRefusedAt === null).map(({ url }) => url)
  return {
    id: 'signature',
    title: 'Every webhook of production refuses a wrong signature',
    says:
      active.length === 0
        ? 'There is none yet.'
        : unproved.length === 0
          ? 'Each has refused one.'
          : `Not seen to refuse one: ${unproved.join(', ')}. Send each a wrong one: it must answer 400, 401 or 403.`,
    isDone: active.length > 0 && unproved.length === 0,
    page: { environment: 'production', path: 'webhooks' },
  }
}

async function transferPoints({ rooms }: PointParts, staging: Tenant): Promise<Point[]> {
  const question = { page: 1, limit: transfersSeenMax }
  const kinds = ['bank_transfer', 'momo_transfer'] as const
  const failures = await Promise.all(
    kinds.map((kind) => rooms.payments.list(staging, kind, { ...question, limit: 1, status: 'FAILED' })),
  )
  const failed = failures.some(({ total }) => total > 0)
  const latest = await Promise.all(kinds.map((kind) => rooms.payments.list(staging, kind, question)))
  const ended = latest.some(({ payments }) =>
    payments.some((payment) => isToUnknown(payment) && payment.completedAt !== null),
  )
  return [
    {
      id: 'failed-transfer',
      title: 'A transfer has failed on staging',
      says: failed
        ? 'One has.'
        : 'Send one to the account 9990000007 or to the wallet 08000000005 (in other countries: any number that ends in 005), and see what your program makes of it.',
      isDone: failed,
      page: { environment: 'staging', path: 'payments' },
    },
    {
      id: 'unknown-transfer',
      title: 'A transfer stayed unknown on staging, and then ended',
      says: ended
        ? 'One did.'
        : `Send one to the account ${unknownAccount} or to the wallet 08000000008 (in other countries: any number that ends in 008), wait, then end it in the simulator.`,
      isDone: ended,
      page: { environment: 'staging', path: 'simulator' },
    },
  ]
}

function isToUnknown(payment: ShownPayment): boolean {
  if (payment.kind === 'bank_transfer') return payment.accountNumber === unknownAccount
  if (payment.kind === 'momo_collection') return false
  return payment.phoneNumber === null
    ? payment.accountNumber?.endsWith('008') === true
    : unknownWallet.test(payment.phoneNumber)
}

type Tenants = { production: Tenant; staging: Tenant | undefined }

async function lowBalancePoint(parts: PointParts, business: Uuid, tenants: Tenants): Promise<Point> {
  const { ctx } = parts
  const { production } = tenants
  const [thresholds, currencies, readers] = await Promise.all([
    readLowBalances(ctx, production),
    readCurrencies(ctx, production),
    lowBalanceReaders(ctx, business),
  ])
  const on = currencies.filter((one) => one.on).map(({ currency }) => currency)
  const needsNaira = on.length === 1 || thresholds.has('NGN') || (await usesNaira(parts, tenants))
  const used = on.filter((currency) => currency !== 'NGN' || needsNaira)
  const without = used.filter((currency) => !thresholds.has(currency))
  const isDone = without.length === 0 && (readers ?? []).length > 0
  return {
    id: 'low-balance',
    title: 'The team gets an e-mail when the balance of production is low',
    says: without.length === 0 ? sayWhoIsTold(readers) : sayWhereUnset(without, used),
    isDone,
    page: { environment: 'production', path: 'settings' },
  }
}

/** Naira is always on, so only its ledger entries show whether a business uses it. */
async function usesNaira({ rooms }: PointParts, { production, staging }: Tenants): Promise<boolean> {
  const count = async (tenant: Tenant | undefined): Promise<number> => {
    if (tenant === undefined) return 0
    const counted = await rooms.ledger.countWhole(tenant, 'NGN', {})
    return counted.kind === 'count' ? counted.count : Infinity
  }
  // On staging the opening balance is an entry.
  return (await count(production)) > 0 || (await count(staging)) > 1
}

function sayWhereUnset(without: readonly string[], used: readonly string[]): string {
  const where = used.length === 1 && used[0] === 'NGN' ? 'the balance' : `the balance of ${without.join(', ')}`
  return `Set an amount below which ${where} is low.`
}

function sayWhoIsTold(readers: { name: string }[] | null): string {
  if (readers === null) return 'The amount is set, but this installation sends no e-mails. Its operator sets SMTP_URL.'
  if (readers.length === 0) return 'The amount is set, but everyone has switched off this e-mail.'
  return `E-mails go to: ${readers.map(({ name }) => name).join(', ')}.`
}

function railPoint({ config }: PointParts): Point {
  const isDone = config.rails !== undefined
  return {
    id: 'rail',
    title: 'A provider carries the money of production',
    says: isDone
      ? 'One is configured.'
      : 'The operator of this service configures a provider with the setting RAILS_FILE.',
    isDone,
    page: null,
  }
}

const path = '/dashboard/api/b/:business/production/go-live'

type PointState = { points: (Omit<Point, 'isDone' | 'page'> & Judged)[]; isReady: boolean; hasLiveKey: boolean }
type Judged = { href: string | null; state: 'done' | 'open' | 'waived'; waivedBy: string | null; reason: string | null }

export function goLiveEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'settings.see',
      handle: async ({ business }) => ({ data: await readState(parts, business, await productionOf(parts, business)) }),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/waive`,
      permission: 'go-live',
      body: z.object({ id: text(40), reason: text(500).trim().min(1, 'must not be empty') }),
      handle: async ({ business, body, by }) => {
        const production = await productionOf(parts, business)
        const points = await readPoints(parts, business, production)
        if (!points.some(({ id }) => id === body.id))
          throw validationError([{ field: 'id', message: 'id must be the id of a point of the checklist' }])
        await waivePoint({ ...parts.ctx, by: by() }, production, { point: body.id, reason: body.reason })
        return { data: await readState(parts, business, production) }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/b/:business/:environment/forgeries',
      permission: 'webhooks.see',
      handle: async ({ tenant, by }) => {
        const probes = await parts.rooms.webhooks.endpointTests.probeSignatures(tenant, by())
        return { data: { webhooks: probes.map(probeData) } }
      },
    }),
  ]
}

function probeData({ subscription: { url }, verdict, responseCode }: SignatureProbe): Record<string, unknown> {
  return { url, verdict, statusCode: responseCode }
}

/**
 * Throws if the business has never had a live key and either the user may not go live or a point is open. Later live keys
 * need only the permission for keys.
 */
export async function requireReady(
  parts: PointParts,
  { business, role, tenant }: { business: Uuid; role: UserRole; tenant: Tenant },
): Promise<void> {
  const { points, isReady, hasLiveKey } = await readState(parts, business, tenant)
  if (hasLiveKey) return
  if (judge('go-live', role, 'production') === 'no')
    throw new ApiError('FORBIDDEN', `Your role, ${role}, may not create the first live key: ${titleOf('go-live')}.`)
  if (isReady) return
  const open = points.filter(({ state }) => state === 'open').map(({ title }) => title)
  throw new ApiError('CONFLICT', `Before the first live key: ${open.join('; ')}.`)
}

async function readState(parts: PointParts, business: Uuid, production: Tenant): Promise<PointState> {
  const [found, waivers, keys] = await Promise.all([
    readPoints(parts, business, production),
    listWaivers(parts.ctx, production),
    listKeys(parts.ctx, business),
  ])
  const points = found.map(({ isDone, page, ...point }) => {
    const waiver = waivers.find((one) => one.point === point.id)
    const state = isDone ? ('done' as const) : waiver === undefined ? ('open' as const) : ('waived' as const)
    const href = page === null ? null : hrefOf({ business, ...page })
    return { ...point, href, state, waivedBy: waiver?.waivedBy ?? null, reason: waiver?.reason ?? null }
  })
  return {
    points,
    isReady: points.every(({ state }) => state !== 'open'),
    hasLiveKey: keys.some(({ environment }) => environment === 'production'),
  }
}

async function productionOf({ ctx }: PointParts, business: Uuid): Promise<Tenant> {
  return present(await findTenant(ctx, business, 'production'), 'a business has both tenants')
}
