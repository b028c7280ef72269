// Finds deposits by the provider's id, across all tenants, and the rail of a provider.

import { type Context, type Environment, environments } from '#platform/context.ts'
import { arraysOf, type Db, inLane, type Queryable, statement } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Deposit, DepositStatus } from './deposit.ts'
import { findDepositsOfNotices } from './queries.ts'

type DepositOfProvider = {
  providerId: string
  lane: number
  status: DepositStatus
  currency: string
  amount: Money
  accountNumber: string
  isReturned: boolean
}

type ProviderName = { environment: Environment; provider: string }

const placesOf = statement(
  'deposits.places_of_provider',
  `select n.lane, n.tenant_id as "tenantId", n.provider_id as "providerId"
     from unnest($3::text[]) as k (value)
     cross join lateral (
       select * from provider_notice
        where environment = $1 and provider = $2 and provider_id = k.value limit 1) as n`,
)

// Reads in the order of the index of notices, for the reason given in queries.ts.
const byProvider = statement(
  'deposits.of_provider',
  `select d.provider_id as "providerId", d.lane, d.status, d.currency, d.amount,
          d.account_number as "accountNumber", d.return_reason is not null as "isReturned"
     from unnest($3::uuid[], $4::text[]) as k (tenant_id, provider_id)
     cross join lateral (
       select * from deposit
        where lane = $1 and (tenant_id, provider, provider_id) >= (k.tenant_id, $2, k.provider_id)
        order by tenant_id, provider, provider_id limit 1) as d
    where d.tenant_id = k.tenant_id and d.provider = $2 and d.provider_id = k.provider_id`,
)

type NoticeOwner = { lane: number; tenantId: Uuid; providerId: string }

export async function findOfProvider(
  db: Queryable,
  { environment, provider }: ProviderName,
  ids: string[],
): Promise<DepositOfProvider[]> {
  const places = await db.query<NoticeOwner>(placesOf, [environment, provider, ids])
  const found: DepositOfProvider[] = []
  for (const [lane, ofLane] of Map.groupBy(places, (place) => place.lane)) {
    const keys = arraysOf(ofLane, 'tenantId', 'providerId')
    found.push(...(await db.query<DepositOfProvider>(byProvider, [lane, provider, ...keys])))
  }
  return found
}

export async function findDepositOfNotice(
  db: Db,
  { environment, provider, providerId }: ProviderName & { providerId: string },
): Promise<Deposit | undefined> {
  const [place] = await db.query<NoticeOwner>(placesOf, [environment, provider, [providerId]])
  if (place === undefined) return undefined
  const [found] = await findDepositsOfNotices(inLane(db, place.lane), [{ ...place, provider }])
  return found
}

const keptIds = statement(
  'deposits.kept_ids',
  `select n.provider_id as "providerId" from unnest($3::text[]) as k (value)
    cross join lateral (
      select provider_id from inbound_notice
       where environment = $1 and provider = $2 and provider_id = k.value and resolved_at is null limit 1) as n`,
)

function findKeptIds(
  db: Queryable,
  { environment, provider }: ProviderName,
  ids: string[],
): Promise<{ providerId: string }[]> {
  return db.query(keptIds, [environment, provider, ids])
}

/** `kept`: a stored notice of the money awaits review. */
export type KnownMoney = ({ kind: 'deposit' } & DepositOfProvider) | { kind: 'kept' }

/** An id is missing if no deposit has it and no stored notice of it awaits review. */
export async function findKnownMoney(
  { db }: Pick<Context, 'db'>,
  from: { environment: Environment; provider: string },
  providerIds: string[],
): Promise<Map<string, KnownMoney>> {
  const [deposits, kept] = await Promise.all([
    findOfProvider(db, from, providerIds),
    findKeptIds(db, from, providerIds),
  ])
  return new Map<string, KnownMoney>([
    ...kept.map(({ providerId }) => [providerId, { kind: 'kept' }] as const),
    ...deposits.map((deposit) => [deposit.providerId, { kind: 'deposit', ...deposit }] as const),
  ])
}

/**
 * Deposits store the provider's name. Every adapter uses the name of its rail as that name, because the float books
 * require it.
 */
type ProviderRail = { environment: Environment; provider: string; rail: string }

export function providersOf(rails: RailRegistry): ProviderRail[] {
  return environments.flatMap((environment) =>
    rails.namesOf(environment).flatMap((rail) => {
      const answer = rails.inbound(environment, { rail })
      return answer.kind === 'served' ? [{ environment, provider: answer.port.provider, rail }] : []
    }),
  )
}

export function railOfProvider(rails: RailRegistry, environment: Environment, provider: string): string | undefined {
  return providersOf(rails).find((one) => one.environment === environment && one.provider === provider)?.rail
}
