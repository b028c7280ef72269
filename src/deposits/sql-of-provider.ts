// The SQL that finds deposits by what their provider calls them, whosoever they are.

import type { Environment } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Kobo } from '#base/money.ts'
import type { DepositStatus } from './deposit.ts'

export type OfProvider = {
  providerId: string
  lane: number
  status: DepositStatus
  currency: string
  amount: Kobo
  /** The money came and must go back. */
  isReturned: boolean
}

type From = { environment: Environment; provider: string }

// In the order of the index of notices, as in sql.ts.
const byProvider = statement(
  'deposits.of_provider',
  `select d.provider_id as "providerId", d.lane, d.status, d.currency, d.amount, d.return_reason is not null as "isReturned"
     from unnest($3::text[]) as k (value)
     cross join lateral (
       select lane, tenant_id from provider_notice
        where environment = $1 and provider = $2 and provider_id = k.value limit 1) as n
     cross join lateral (
       select * from deposit
        where lane = n.lane and (tenant_id, provider, provider_id) >= (n.tenant_id, $2, k.value)
        order by tenant_id, provider, provider_id limit 1) as d
    where d.tenant_id = n.tenant_id and d.provider = $2 and d.provider_id = k.value`,
)

export function findOfProvider(db: Queryable, { environment, provider }: From, ids: string[]): Promise<OfProvider[]> {
  return db.query<OfProvider>(byProvider, [environment, provider, ids])
}

const keptIds = statement(
  'deposits.kept_ids',
  `select n.provider_id as "providerId" from unnest($3::text[]) as k (value)
    cross join lateral (
      select provider_id from inbound_notice
       where environment = $1 and provider = $2 and provider_id = k.value and resolved_at is null limit 1) as n`,
)

export function findKeptIds(
  db: Queryable,
  { environment, provider }: From,
  ids: string[],
): Promise<{ providerId: string }[]> {
  return db.query(keptIds, [environment, provider, ids])
}
