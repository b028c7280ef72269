// The SQL of pauses, and of payments that were held back by one. Pauses are few and concern whole environments and
// businesses, so they stand in no lane.

import type { Environment, Tenant } from '#base/context.ts'
import { statement, type InLane, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { waysWithWork } from './sql.ts'

/** `businessId` null: all businesses of the environment. */
export type PauseRow = { environment: Environment; businessId: Uuid | null; pausedAt: Date; reason: string | null }

const selectPauses = statement(
  'payments.pauses',
  'select environment, business_id as "businessId", paused_at as "pausedAt", reason from payout_pause',
)

export function readPauses(db: Queryable): Promise<PauseRow[]> {
  return db.query<PauseRow>(selectPauses)
}

/** `tenantId` null: all of the environment. */
export type PausedRow = { environment: Environment; tenantId: Uuid | null }

const selectPaused = statement(
  'payments.paused',
  `select p.environment, t.id as "tenantId"
     from payout_pause p left join tenant t on t.business_id = p.business_id and t.environment = p.environment`,
)

export function readPaused(db: Queryable): Promise<PausedRow[]> {
  return db.query<PausedRow>(selectPaused)
}

const insertPauses = statement(
  'payments.pause',
  `insert into payout_pause (environment, business_id, paused_at, reason) select environment, $2, $3, $4 from unnest($1::text[]) as environment
   on conflict (environment, business_id) do nothing`,
)

type NewPauses = Omit<PauseRow, 'environment'> & { environments: Environment[] }

export function writePauses(tx: Tx, { environments, businessId, pausedAt, reason }: NewPauses): void {
  tx.send(insertPauses, [environments, businessId, pausedAt, reason])
}

// Waits for claims that hold payments back at this moment, because they lock what they go by (sql.ts).
const deletePauses = statement(
  'payments.resume',
  'delete from payout_pause where environment = any($1::text[]) and business_id is not distinct from $2',
)

export function removePauses(tx: Tx, environments: Environment[], businessId: Uuid | null): void {
  tx.send(deletePauses, [environments, businessId])
}

const selectTenants = statement(
  'payments.tenants_of',
  'select lane, id, environment from tenant where business_id = $1 and environment = any($2::text[]) order by environment',
)

export function readTenants(db: Queryable, businessId: Uuid, environments: Environment[]): Promise<Tenant[]> {
  return db.query<Tenant>(selectTenants, [businessId, environments])
}

// Payouts that are due later and have certainly not left: those that a pause put off, and those whose rail did not take
// them, which may be tried again at once. Whoever holds one at this moment knows better when it is due.
const wakeRows = statement(
  'payments.wake_held',
  `with recursive ${waysWithWork},
   held as materialized (
     select found.row_place
       from way
       cross join lateral (
         select p.ctid as row_place from payment p
          where p.lane = $1 and p.kind = way.kind and p.rail = way.rail and p.due_at > $2 and p.submitted_at is null
            and exists (select 1 from tenant t
                         where t.lane = $1 and t.id = p.tenant_id and t.environment = any($3::text[])
                           and ($4::uuid is null or t.business_id = $4))
          order by p.due_at limit $5
            for update of p skip locked) as found
      where way.kind <> 'momo_collection')
   update payment p set due_at = $2
     from held where p.lane = $1 and p.ctid = any(array(select row_place from held)) and p.ctid = held.row_place
   returning 1`,
)

/** Resolves with how many it woke: at most `limit` of each kind at each rail. */
export async function wakeHeld(
  lane: InLane,
  { environments, businessId }: { environments: Environment[]; businessId: Uuid | null },
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await lane.query(wakeRows, [lane.lane, now, environments, businessId, limit])
  return rows.length
}
