// The replacement for personal data, and the places of personal data in events and stored notices. docs/privacy.md
// lists all columns with personal data.

import { arrayOf, arraysOf, statement, type Tx, type InLane } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Environment } from '#platform/context.ts'

/** Replaces required names and numbers. The CHECK constraint of an erased customer uses it too. */
export const erased = 'erased'

/** Sets a column to `erased`; empty values stay empty. */
export const erasedColumn = (column: string): string =>
  `${column} = case when ${column} = '' or ${column} is null then ${column} else '${erased}' end`

/** These fields, and `narration`, become `erased`. Empty and null values stay. */
const named = new Set([
  'accountName',
  'accountNumber',
  'accountReference',
  'customerName',
  'firstName',
  'lastName',
  'phoneNumber',
  'recipientAccountName',
  'senderAccountName',
  'senderAccountNumber',
])
/** These fields become null. */
const optional = new Set(['email', 'metadata'])

/** Returns event data without personal data; amounts, references, states and times stay. */
export function withoutPersonalData(data: string): string {
  return JSON.stringify(JSON.parse(data), (name, value: unknown) => {
    if (optional.has(name)) return null
    const says = value !== null && value !== ''
    return says && (named.has(name) || name === 'narration') ? erased : value
  })
}

// SQL that reads events and rewrites them without personal data. A locked row keeps its ctid, so the update uses the
// ctid.

type LockedEvent = { place: string; data: string }
type InTime = { at: Date; id: Uuid }

// Uses ctids, because a planner without statistics would look up each key among all events of the tenant.
const nextInTime = statement(
  'privacy.next_events',
  `with next as materialized (
     select ctid as place, created_at, id from event
      where lane = $1 and tenant_id = $2 and (created_at, id) > ($3, $4) and created_at < $5
      order by created_at, id limit $6),
   locked as materialized (
     select ctid as place, data from event
      where lane is not distinct from $1 and ctid = any(array(select place from next)) for update skip locked)
   select next.created_at as at, next.id, next.place::text as place, locked.data
     from next left join locked using (place)
    order by next.created_at, next.id`,
)

/** Locks events between two moments, in order, up to the first one that another transaction has locked. */
export async function lockNextEvents(
  tx: Tx,
  tenantId: Uuid,
  { after, before, limit }: { after: InTime; before: Date; limit: number },
): Promise<(LockedEvent & InTime)[]> {
  const values = [tx.lane, tenantId, after.at, after.id, before, limit]
  const rows = await tx.query<InTime & { place: string; data: string | null }>(nextInTime, values)
  const held = rows.findIndex(({ data }) => data === null)
  return rows.slice(0, held === -1 ? undefined : held).map((row) => ({ ...row, data: row.data ?? '' }))
}

// A deposit has one event. For each deposit, reads the first row at or after its key, in an order that only one index
// has, so that the planner must use that index (see deposits/queries.ts).
const ofSources = statement(
  'privacy.events_of_sources',
  `select e.place::text as place, e.data
     from unnest($3::uuid[]) as k (source_id)
     cross join lateral (
       select ctid as place, tenant_id, source_id, data from event
        where lane = $1 and (tenant_id, source_id) >= ($2, k.source_id) order by tenant_id, source_id, name limit 1
          for update) as e
    where e.tenant_id = $2 and e.source_id = k.source_id`,
)

export function lockEventsOf(tx: Tx, tenantId: Uuid, sourceIds: Uuid[]): Promise<LockedEvent[]> {
  return tx.query<LockedEvent>(ofSources, [tx.lane, tenantId, arrayOf(sourceIds.toSorted(), (id) => id)])
}

const rewrite = statement(
  'privacy.rewrite_events',
  `with v as materialized (select * from unnest($2::tid[], $3::text[]) as v (place, data))
   update event e set data = v.data from v
    where e.lane is not distinct from $1 and e.ctid = v.place`,
)

/** Rewrites events that contain personal data; resolves with their number. The rows must be locked. */
export function forgetEvents(tx: Tx, events: LockedEvent[]): number {
  const changed = events
    .map(({ place, data: before }) => ({ place, before, data: withoutPersonalData(before) }))
    .filter(({ data, before }) => data !== before)
  if (changed.length > 0) tx.send(rewrite, [tx.lane, ...arraysOf(changed, 'place', 'data')])
  return changed.length
}

// SQL that erases payers in stored notices. There are few, and they have no lane, because some belong to no tenant.

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

type WhoseNotices = { environment: Environment; tenantId: string; reference: string }

/** Counts the notices that await review and are about money for a customer's accounts. */
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
  const notices = await tx.query<NoticeRowKey>(namedOfCustomer, [tx.lane, environment, tenantId, reference])
  if (notices.length > 0)
    tx.send(forgetOfCustomer, arraysOf(notices, 'environment', 'provider', 'providerId', 'status'))
  return notices.length
}
