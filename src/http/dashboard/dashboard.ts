// The second door, put together: its endpoints behind its pipeline, with the live stream beside them.

import type { Context, Environment, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { findTenant } from '#businesses/business.ts'
import { readSettings } from '#businesses/settings.ts'
import { dashboardUrlOf, type Config } from '#config.ts'
import type { Endpoint } from '#http/endpoint.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Rooms } from '#http/routes.ts'
import type { RateLimit } from '#http/steps/rate-limit.ts'
import type { People } from '#people/people.ts'
import { createActs } from './acts.ts'
import { dashboardAddress, type DashboardAddress } from './address.ts'
import { createDashboardDoor, type DashboardDoor } from './door.ts'
import { createLive } from './live.ts'
import { createDashboardEndpoints } from './routes.ts'

/** What the dashboard stands on, made by the App. */
export type DashboardParts = {
  ctx: Context
  people: People
  rooms: Rooms
  /** Answers everything below /dashboard that is not its API. */
  assets: (exchange: Exchange) => Promise<void> | void
}

export type DashboardOptions = DashboardParts & {
  config: Config
  /** Of the API, which people call below a business and an environment. */
  endpoints: Endpoint[]
  rateLimit: RateLimit
  /** Where the server listens, once it does. */
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
    rateLimit,
    endpoints: [...createDashboardEndpoints({ ctx, people, rooms, v1, acts, config, address }), live.endpoint],
    closeLive: live.close,
    address,
    environments: config.environments,
    wantsFactor: async (business) => (await readSettings(ctx, [business])).some((one) => one.isCompulsoryFactor),
    findTenant: rememberTenants((business, environment) => findTenant(ctx, business, environment)),
  })
}

const tenantsMax = 10_000

type FindTenant = (business: Uuid, environment: Environment) => Promise<Tenant | undefined>

/** A tenant never changes once it is there. */
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
