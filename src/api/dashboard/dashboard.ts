// Builds the dashboard: its endpoints, the pipeline in front of them, and the live stream.

import { auditEndpoints } from '#api/dashboard/business/audit.ts'
import { goLiveEndpoints } from '#api/dashboard/business/go-live.ts'
import { keyEndpoints } from '#api/dashboard/business/keys.ts'
import { requestEndpoints } from '#api/dashboard/business/requests.ts'
import {
  createBusinessEndpoint,
  currencyEndpoints,
  logoEndpoints,
  settingsEndpoints,
  viewEndpoints,
} from '#api/dashboard/business/settings.ts'
import { lowBalanceEndpoints, watchEndpoints } from '#api/dashboard/money/alerts.ts'
import { collectionFeeEndpoint } from '#api/dashboard/money/collection-fee.ts'
import { deliveryEndpoints } from '#api/dashboard/money/deliveries.ts'
import { exportEndpoint, receiptEndpoint } from '#api/dashboard/money/export.ts'
import { figuresEndpoint } from '#api/dashboard/money/figures.ts'
import { customersEndpoint, endedDepositsEndpoint, findEndpoint, searchEndpoint } from '#api/dashboard/money/search.ts'
import { statementEndpoint, storyEndpoint } from '#api/dashboard/money/statement.ts'
import { draftEndpoints } from '#api/dashboard/payouts/drafts.ts'
import { policyEndpoints } from '#api/dashboard/payouts/policy.ts'
import { createPublicReceipts, receiptLinkEndpoints } from '#api/dashboard/payouts/receipt-links.ts'
import { recipientEndpoints } from '#api/dashboard/payouts/recipients.ts'
import { scheduleEndpoints } from '#api/dashboard/payouts/schedules.ts'
import { factorEndpoints, mailEndpoints, meEndpoints, signInsEndpoints } from '#api/dashboard/team/own-account.ts'
import { passkeyEndpoints, passkeySignInEndpoints } from '#api/dashboard/team/passkeys.ts'
import { linkEndpoints, signInEndpoints } from '#api/dashboard/team/sign-in.ts'
import { invitationEndpoints, teamEndpoints } from '#api/dashboard/team/team.ts'
import type { Endpoint } from '#api/server/endpoint.ts'
import type { Exchange } from '#api/server/exchange.ts'
import type { RateLimit } from '#api/server/rate-limit.ts'
import type { Rooms } from '#api/server/routes.ts'
import { findTenant } from '#businesses/business.ts'
import { readSettings } from '#businesses/settings.ts'
import { type Config, dashboardPath, dashboardUrlOf } from '#config.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { People } from '#users/service.ts'
import { operationsEndpoints } from './operations.ts'
import { type Acts, createActs } from './acts.ts'
import { createDashboardDoor, type DashboardDoor } from './door.ts'
import type { DashboardEndpoint } from './endpoint.ts'
import { createLive } from './live.ts'
import { type DashboardAddress, dashboardAddress } from './request-guards.ts'
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

// The endpoints for a business itself: settings, keys, audit log, saved views, and going live.

function businessEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [
    createBusinessEndpoint(parts),
    ...settingsEndpoints(parts),
    ...logoEndpoints(parts),
    ...currencyEndpoints(parts),
    ...keyEndpoints(parts),
    ...requestEndpoints(parts),
    ...auditEndpoints(parts),
    ...viewEndpoints(parts),
    ...goLiveEndpoints(parts),
  ]
}

// The endpoints for users: sign-in, factors, teams and invitations.

function peopleEndpoints(people: People, address: () => DashboardAddress): DashboardEndpoint[] {
  const url = (): string => `${address().origin}${dashboardPath}`
  return [
    ...signInEndpoints(people),
    ...linkEndpoints(people),
    ...meEndpoints(people),
    ...signInsEndpoints(people),
    ...factorEndpoints(people),
    ...passkeySignInEndpoints(people, address),
    ...passkeyEndpoints(people, address),
    ...teamEndpoints(people, url),
    ...invitationEndpoints(people, url),
  ]
}

function moneyEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  const { insights, webhooks } = rooms
  return [
    figuresEndpoint(insights),
    ...watchEndpoints(parts),
    ...lowBalanceEndpoints(parts),
    findEndpoint(parts),
    customersEndpoint(parts),
    searchEndpoint(ctx),
    endedDepositsEndpoint(ctx),
    storyEndpoint(insights),
    statementEndpoint(ctx),
    collectionFeeEndpoint(rooms.payments),
    exportEndpoint(parts),
    receiptEndpoint(parts),
    ...deliveryEndpoints(webhooks),
    ...operationsEndpoints(parts),
  ]
}
