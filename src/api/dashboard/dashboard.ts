// Builds the dashboard: its endpoints, the pipeline in front of them, and the live stream.

import type { Endpoint } from '#api/server/endpoint.ts'
import type { Exchange } from '#api/server/exchange.ts'
import type { RateLimit } from '#api/server/rate-limit.ts'
import type { Rooms } from '#api/server/routes.ts'
import { findTenant } from '#businesses/business.ts'
import { readSettings } from '#businesses/settings.ts'
import { type Config, dashboardUrlOf } from '#config.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { People } from '#users/service.ts'
import { type Acts, createActs } from './acts.ts'
import { businessEndpoints } from './business/endpoints.ts'
import { createDashboardDoor, type DashboardDoor } from './door.ts'
import type { DashboardEndpoint } from './endpoint.ts'
import { createLive } from './live.ts'
import { moneyEndpoints } from './money/endpoints.ts'
import { draftEndpoints } from './payouts/drafts.ts'
import { scheduleEndpoints } from './payouts/schedules.ts'
import { createPublicReceipts, receiptLinkEndpoints } from './payouts/receipt-links.ts'
import { recipientEndpoints } from './payouts/recipients.ts'
import { policyEndpoints } from './payouts/policy.ts'
import { type DashboardAddress, dashboardAddress } from './request-guards.ts'
import { mailEndpoints } from './team/mails.ts'
import { peopleEndpoints } from './team/endpoints.ts'
import { asDashboardEndpoint } from './v1.ts'

export type EndpointParts = {
  ctx: Context
  people: People
  rooms: Rooms
  /** The endpoints of /v1. */
  v1: Endpoint[]
  acts: Acts
  config: Config
  /** Known once the server listens. */
  address: () => DashboardAddress
}

export function createDashboardEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { people, v1, acts, address } = parts
  return [
    ...peopleEndpoints(people, address),
    ...mailEndpoints(parts),
    ...businessEndpoints(parts),
    ...moneyEndpoints(parts),
    ...policyEndpoints(parts),
    ...draftEndpoints(parts),
    ...scheduleEndpoints(parts),
    ...recipientEndpoints(parts),
    ...receiptLinkEndpoints(parts),
    ...v1.map((one) => asDashboardEndpoint(one, acts, parts.rooms.payouts)),
  ]
}

/** The dashboard's dependencies, which the App creates. */
export type DashboardParts = {
  ctx: Context
  people: People
  rooms: Rooms
  /** Serves everything below /dashboard except the API. */
  assets: (exchange: Exchange) => Promise<void> | void
}

type DashboardOptions = DashboardParts & {
  config: Config
  /** The endpoints of /v1, which the dashboard also serves below a business and an environment. */
  endpoints: Endpoint[]
  rateLimit: RateLimit
  /** The port on which the server listens, once it does. */
  port: () => number
}

export function createDashboard(options: DashboardOptions): DashboardDoor {
  const { ctx, people, rooms, assets, config, endpoints: v1, rateLimit, port } = options
  const acts = createActs(ctx)
  const address = (): DashboardAddress => dashboardAddress(dashboardUrlOf(config, port()))
  const live = createLive({ ctx, people, rooms })
  return createDashboardDoor({
    ctx,
    people,
    acts,
    assets,
    receipts: createPublicReceipts({ ctx, rooms, rateLimit }),
    rateLimit,
    endpoints: [...createDashboardEndpoints({ ctx, people, rooms, v1, acts, config, address }), live.endpoint],
    closeLive: live.close,
    address,
    environments: config.environments,
    wantsFactor: async (business, role) =>
      (await readSettings(ctx, [business])).some((one) => one.compulsoryFactorRoles.includes(role)),
    findTenant: rememberTenants((business, environment) => findTenant(ctx, business, environment)),
  })
}

const tenantsMax = 10_000

type FindTenant = (business: Uuid, environment: Environment) => Promise<Tenant | undefined>

/** Cached without expiry, because a tenant never changes. */
function rememberTenants(find: FindTenant): FindTenant {
  const known = new Map<string, Tenant>()
  return async (business, environment) => {
    const key = `${business} ${environment}`
    const tenant = known.get(key) ?? (await find(business, environment))
    if (known.size >= tenantsMax) known.clear()
    if (tenant !== undefined) known.set(key, tenant)
    return tenant
  }
}
