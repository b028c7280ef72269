// Builds the dashboard: its endpoints, the pipeline in front of them, and the live stream.

import type { Endpoint } from '#api/server/endpoint.ts'
import type { Exchange } from '#api/server/exchange.ts'
import type { RateLimit } from '#api/server/rate-limit.ts'
import type { Rooms } from '#api/server/routes.ts'
import { findTenant } from '#businesses/business.ts'
import { readSettings } from '#businesses/settings.ts'
import { type Config, dashboardPath, dashboardUrlOf } from '#config.ts'
import type { Clock } from '#platform/clock.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { People } from '#users/service.ts'
import { z } from 'zod'
import { currencyField } from '#api/server/fields.ts'
import { amountParameter } from '#api/v1/balance.ts'
import type { Payments } from '#payments/service.ts'
import { toMoney, toWire } from '#platform/money.ts'
import { auditEndpoints } from './business/audit.ts'
import { goLiveEndpoints } from './business/go-live.ts'
import { keyEndpoints } from './business/keys.ts'
import { requestEndpoints } from './business/requests.ts'
import {
  createBusinessEndpoint,
  currencyEndpoints,
  logoEndpoints,
  settingsEndpoints,
  viewEndpoints,
} from './business/settings.ts'
import { lowBalanceEndpoints, watchEndpoints } from './money/alerts.ts'
import { deliveryEndpoints } from './money/deliveries.ts'
import { exportEndpoint, receiptEndpoint } from './money/export.ts'
import { figuresEndpoint } from './money/figures.ts'
import { customersEndpoint, endedDepositsEndpoint, findEndpoint, searchEndpoint } from './money/search.ts'
import { statementEndpoint, storyEndpoint } from './money/statement.ts'
import { draftEndpoints } from './payouts/drafts.ts'
import { policyEndpoints } from './payouts/policy.ts'
import { createPublicReceipts, receiptLinkEndpoints } from './payouts/receipt-links.ts'
import { recipientEndpoints } from './payouts/recipients.ts'
import { scheduleEndpoints } from './payouts/schedules.ts'
import { factorEndpoints, mailEndpoints, meEndpoints, signInsEndpoints } from './team/own-account.ts'
import { passkeyEndpoints, passkeySignInEndpoints } from './team/passkeys.ts'
import { linkEndpoints, signInEndpoints } from './team/sign-in.ts'
import { invitationEndpoints, teamEndpoints } from './team/team.ts'
import { operationsEndpoints } from './operations.ts'
import { type Acts, createActs } from './acts.ts'
import { createDashboardDoor, type DashboardDoor } from './door.ts'
import { type DashboardEndpoint, dashboardEndpoint } from './endpoint.ts'
import { createLive } from './live.ts'
import { type DashboardAddress, dashboardAddress } from './browser-security.ts'
import { asDashboardEndpoint } from './v1.ts'

export type EndpointParts = {
  ctx: Context
  people: People
  rooms: Rooms
  v1: Endpoint[]
  acts: Acts
  config: Config
  /** The address is known once the server listens. */
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

export type DashboardParts = {
  ctx: Context
  people: People
  rooms: Rooms
  assets: (exchange: Exchange) => Promise<void> | void
}

type DashboardOptions = DashboardParts & {
  config: Config
  /** The endpoints of /v1, which the dashboard also serves below a business and an environment. */
  endpoints: Endpoint[]
  quotaClock: Clock
  rateLimit: RateLimit
  /** The port on which the server listens, once it does. */
  port: () => number
}

export function createDashboard(options: DashboardOptions): DashboardDoor {
  const { ctx, people, rooms, assets, config, endpoints: v1, quotaClock, rateLimit, port } = options
  const acts = createActs(ctx)
  const address = (): DashboardAddress => dashboardAddress(dashboardUrlOf(config, port()))
  const live = createLive({ ctx, people, rooms })
  return createDashboardDoor({
    ctx,
    people,
    acts,
    assets,
    receipts: createPublicReceipts({ ctx, rooms, rateLimit }),
    quotaClock,
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

/** Caches tenants without expiry, because a tenant never changes. */
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

function collectionFeeEndpoint(payments: Payments): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/collection-fee',
    permission: 'payments.see',
    query: z.object({ amount: amountParameter, currency: currencyField }),
    handle: ({ query: { amount, currency } }) => {
      const fee = payments.feeFor(amount, currency, 'momo_collection')
      return Promise.resolve({
        data: { amount: toWire(amount), fee: toWire(fee), credited: toWire(toMoney(amount - fee)) },
      })
    },
  })
}
