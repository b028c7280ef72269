// SQL that erases payers in stored notices. There are few, and they have no lane, because some belong to no tenant.

import { arraysOf, statement, type InLane, type Tx } from '#platform/db/db.ts'
import type { Environment } from '#platform/context.ts'
import { erased } from './personal.ts'
import { erasedColumn } from './retain-queries.ts'

const unnamed = `sender_account_name = '${erased}', ${erasedColumn('sender_account_number')}, ${erasedColumn('narration')}`
const found = `n.environment = found.environment and n.provider = found.provider and n.provider_id = found.provider_id
      and n.status = found.status`
const key = 'environment, provider, provider_id, status'

// Uses the index of notices that still name a payer.
const forgetOld = statement(
  'privacy.forget_old_notices',
  `with found as materialized (
     select ${key} from inbound_notice
      where received_at < $1 and sender_account_name <> '${erased}' order by received_at limit $2 for update skip locked)
   update inbound_notice n set ${unnamed} from found where ${found} returning 1`,
)

export async function forgetOldNotices(db: InLane, before: Date, limit: number): Promise<number> {
  return (await db.query(forgetOld, [before, limit])).length
}

const ofCustomer = `select n.* from virtual_account a
     cross join lateral (
       select * from inbound_notice where environment = $2 and account_number = a.account_number) as n
    where a.lane = $1 and a.tenant_id = $3 and a.customer_reference = $4`

const openOfCustomer = statement(
  'privacy.open_notices',
  `select count(*) as count from (${ofCustomer}) as n where n.resolved_at is null and n.status <> 'FAILED'`,
)

export type WhoseNotices = { environment: Environment; tenantId: string; reference: string }

/** Counts the notices of money for a customer's accounts that await review. */
export async function countOpenNotices(tx: Tx, { environment, tenantId, reference }: WhoseNotices): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>(openOfCustomer, [tx.lane, environment, tenantId, reference])
  return Number(row?.count ?? 0n)
}

const namedOfCustomer = statement(
  'privacy.named_notices',
  `select environment, provider, provider_id as "providerId", status
     from (${ofCustomer}) as n where sender_account_name <> '${erased}' order by ${key}`,
)

const forgetOfCustomer = statement(
  'privacy.forget_notices',
  `with found as materialized (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as found (${key}))
   update inbound_notice n set ${unnamed} from found where ${found}`,
)

type NoticeRowKey = { environment: Environment; provider: string; providerId: string; status: string }

export async function forgetNoticesOfCustomer(
  tx: Tx,
  { environment, tenantId, reference }: WhoseNotices,
): Promise<number> {
  const named = await tx.query<NoticeRowKey>(namedOfCustomer, [tx.lane, environment, tenantId, reference])
  if (named.length > 0) tx.send(forgetOfCustomer, arraysOf(named, 'environment', 'provider', 'providerId', 'status'))
  return named.length
}
