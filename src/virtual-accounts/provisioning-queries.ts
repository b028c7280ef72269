// The SQL that locks, writes and claims openings.

import type { Environment, Tenant } from '#platform/context.ts'
import { arraysOf, statement, type InLane, type Queryable, type Tx, type ColumnValues } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { lookUp } from '#platform/db/statement.ts'
import { accountOfRow, claimName, claimOf, type FlatTerms, rowOfAccount } from './queries.ts'
import type { Provisioning } from './account.ts'

type ProvisioningRow = Omit<Provisioning, 'order' | 'customer'> & FlatTerms

const columns = `o.lane, o.tenant_id as "tenantId", o.id, o.type, o.reference, o.bank_slug as "bankSlug",
  o.account_name as "accountName", o.narration, o.metadata, o.amount, o.amount_policy as "policy",
  o.expires_at as "expiresAt", o.customer_id as "customerId",
  case when o.type = 'static' then o.reference end as "customerReference", o.created_at as "createdAt",
  o.given_up_at as "givenUpAt", o.due_at as "dueAt", o.rail`

function openingOf(row: ProvisioningRow): Provisioning {
  return accountOfRow(row)
}

/** A tenant has at most one opening per uniqueness claim (queries.ts). */
export type OpeningKey = { tenantId: Uuid; claim: string }

export function keyOf(
  opening: Pick<Provisioning, 'tenantId' | 'id' | 'customer' | 'reference' | 'bankSlug'>,
): OpeningKey {
  const claim = claimOf(opening.tenantId, opening)
  return { tenantId: opening.tenantId, claim: claim === undefined ? `once ${opening.id}` : claimName(claim) }
}

const keyColumns = (keys: OpeningKey[]): ColumnValues[] => arraysOf(keys, 'tenantId', 'claim')

const lockByKeys = statement(
  'openings.lock',
  lookUp({
    table: 'virtual_account_opening',
    row: 'o',
    columns,
    key: { tenant_id: 'uuid', claim: 'text' },
    lock: true,
  }),
)

/** The tenant's lock is not enough, because the release loop abandons openings without it. */
export async function lockOpenings(tx: Tx, keys: OpeningKey[]): Promise<Provisioning[]> {
  return (await tx.query<ProvisioningRow>(lockByKeys, [tx.lane, ...keyColumns(keys)])).map(openingOf)
}

const insertRows = statement(
  'openings.insert',
  `insert into virtual_account_opening
     (lane, tenant_id, claim, id, type, reference, customer_id, bank_slug, account_name, amount, amount_policy, expires_at,
      narration, metadata, created_at, due_at, rail)
   select $1, v.*
     from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[],
       $10::bigint[], $11::text[], $12::timestamptz[], $13::text[], $14::text[], $15::timestamptz[],
       $16::timestamptz[], $17::text[]) as v`,
)

export function insertOpenings(tx: Tx, rows: Provisioning[]): void {
  const flat = rows.map(rowOfAccount)
  tx.send(insertRows, [
    tx.lane,
    ...keyColumns(rows.map(keyOf)),
    ...arraysOf(flat, 'id', 'type', 'reference', 'customerId', 'bankSlug', 'accountName', 'amount', 'policy'),
    ...arraysOf(flat, 'expiresAt', 'narration', 'metadata', 'createdAt', 'dueAt', 'rail'),
  ])
}

// The rows of these two statements are locked, so they are changed by ctid (see payments/queries.ts).
const changeRows = statement(
  'openings.change',
  `with v as materialized (
     select o.place, k.given_up_at, k.due_at
       from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as k (tenant_id, claim, given_up_at, due_at)
       cross join lateral (
         select ctid as place from virtual_account_opening
          where lane = $1 and tenant_id = k.tenant_id and claim = k.claim limit 1) as o)
   update virtual_account_opening o set given_up_at = v.given_up_at, due_at = v.due_at
     from v
    where o.lane is not distinct from $1 and o.ctid = v.place`,
)

/** Stores the times at which openings were abandoned or are due. The caller must have locked the rows. */
export function changeOpenings(tx: Tx, rows: Provisioning[]): void {
  tx.send(changeRows, [tx.lane, ...keyColumns(rows.map(keyOf)), ...arraysOf(rows, 'givenUpAt', 'dueAt')])
}

const deleteRows = statement(
  'openings.delete_many',
  `with v as materialized (
     select o.place
       from unnest($2::uuid[], $3::text[]) as k (tenant_id, claim)
       cross join lateral (
         select ctid as place from virtual_account_opening
          where lane = $1 and tenant_id = k.tenant_id and claim = k.claim limit 1) as o)
   delete from virtual_account_opening o using v
    where o.lane is not distinct from $1 and o.ctid = v.place`,
)

export function deleteOpenings(tx: Tx, rows: Provisioning[]): void {
  tx.send(deleteRows, [tx.lane, ...keyColumns(rows.map(keyOf))])
}

const deleteRow = statement(
  'openings.delete',
  'delete from virtual_account_opening where lane = $1 and tenant_id = $2 and claim = $3 and id = $4 and due_at = $5',
)

/**
 * Deletes an opening whose rail is certain to have no open account for it. If another process has changed its due time,
 * the rail may have opened an account since then, so the opening stays.
 */
export async function deleteOpening(db: Queryable, row: Provisioning): Promise<void> {
  await db.query(deleteRow, [row.lane, row.tenantId, keyOf(row).claim, row.id, row.dueAt])
}

// A claim abandons the opening and schedules the next attempt, so a process that fails or dies has nothing to write.
// The pause equals the time since the opening was abandoned: 1 min, 1 min, 2 min, 4 min … up to the longest pause.
const claimDue = statement(
  'openings.claim',
  `with due as materialized (
     select ctid as place, tenant_id from virtual_account_opening
      where lane = $1 and due_at <= $2
      order by due_at limit $3
        for update skip locked)
   update virtual_account_opening o
      set given_up_at = coalesce(o.given_up_at, $2),
          due_at = $2 + least(greatest($2 - coalesce(o.given_up_at, $2), $4::int * interval '1 millisecond'),
                              $5::int * interval '1 millisecond')
     from due cross join lateral (
            select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t
    where o.lane = $1 and o.ctid = any(array(select place from due)) and o.ctid = due.place
   returning ${columns}, t.environment`,
)

export type Pauses = { shortestMs: number; longestMs: number }

export async function claimOpenings(
  db: InLane,
  now: Date,
  limit: number,
  { shortestMs, longestMs }: Pauses,
): Promise<{ opening: Provisioning; tenant: Tenant }[]> {
  const values = [db.lane, now, limit, shortestMs, longestMs]
  const rows = await db.query<ProvisioningRow & { environment: Environment }>(claimDue, values)
  return rows.map(({ environment, ...row }) => {
    const opening = openingOf(row)
    return { opening, tenant: { lane: db.lane, id: opening.tenantId, environment } }
  })
}
