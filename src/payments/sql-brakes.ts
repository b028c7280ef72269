// The SQL of brakes, and of payments that were held back by one. Brakes are few and concern whole environments, businesses
// and rails, so they stand in no lane.

import type { Environment, Tenant } from '#base/context.ts'
import { statement, type InLane, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { RailName } from '#rails/rail.ts'
import { waysWithWork } from './sql.ts'

/** What a brake holds back: payouts of all businesses (null) or of one, at all rails (null) or at one. */
export type BrakeOn = { environments: Environment[]; businessId: Uuid | null; rail: string | null }

export type BrakeRow = {
  environment: Environment
  businessId: Uuid | null
  rail: string | null
  /** Null: a person gave none. */
  reason: string | null
  since: Date
}

const selectBrakes = statement(
  'payments.brakes',
  `select environment, business_id as "businessId", rail, reason, since from brake
    order by environment, rail, business_id`,
)

export function readBrakes(db: Queryable): Promise<BrakeRow[]> {
  return db.query<BrakeRow>(selectBrakes)
}

/** A brake, or that a rail was resumed. `tenantId` null: all of the environment. */
export type BrakeState = {
  environment: Environment
  tenantId: Uuid | null
  rail: string | null
  resumedAt: Date | null
}

const selectStates = statement(
  'payments.brake_states',
  `select b.environment, t.id as "tenantId", b.rail, null::timestamptz as "resumedAt"
     from brake b left join tenant t on t.business_id = b.business_id and t.environment = b.environment
   union all select environment, null, rail, resumed_at from rail_resumption`,
)

export function readBrakeStates(db: Queryable): Promise<BrakeState[]> {
  return db.query<BrakeState>(selectStates)
}

const insertBrakes = statement(
  'payments.brake',
  `insert into brake (environment, business_id, rail, reason, since, by)
   select environment, $2, $3, $4, $5, $6 from unnest($1::text[]) as environment
   on conflict (environment, business_id, rail) do nothing returning 1 as one`,
)

/** Resolves with how many there were not yet. */
export async function writeBrakes(
  tx: Tx,
  { environments, businessId, rail }: BrakeOn,
  { reason, at, by }: { reason: string | null; at: Date; by: string },
): Promise<number> {
  return (await tx.query(insertBrakes, [environments, businessId, rail, reason, at, by])).length
}

// Waits for claims that hold payments back at this moment, because they lock what they go by (sql.ts).
const deleteBrakes = statement(
  'payments.lift_brake',
  `delete from brake where environment = any($1::text[]) and business_id is not distinct from $2 and rail is not distinct from $3
   returning 1 as one`,
)

/** Resolves with how many there were. */
export async function removeBrakes(tx: Tx, { environments, businessId, rail }: BrakeOn): Promise<number> {
  return (await tx.query(deleteBrakes, [environments, businessId, rail])).length
}

const noteResumption = statement(
  'payments.note_resumption',
  `insert into rail_resumption (environment, rail, resumed_at) values ($1, $2, $3)
   on conflict (environment, rail) do update set resumed_at = greatest(excluded.resumed_at, rail_resumption.resumed_at + interval '1 ms')`,
)

/** Later than any before it, so that every process sees that there was one. */
export function writeResumption(tx: Tx, { environment, rail }: RailName, at: Date): void {
  tx.send(noteResumption, [environment, rail, at])
}

const selectTenants = statement(
  'payments.tenants_of',
  'select lane, id, environment from tenant where business_id = $1 and environment = any($2::text[]) order by environment',
)

export function readTenants(db: Queryable, businessId: Uuid, environments: Environment[]): Promise<Tenant[]> {
  return db.query<Tenant>(selectTenants, [businessId, environments])
}

// Payouts that are due later and have certainly not left: those that a brake put off, and those whose rail did not take
// them, which may be tried again at once. A process that holds one at this moment knows better when it is due.
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
          order by p.due_at limit $6
            for update of p skip locked) as found
      where way.kind <> 'momo_collection' and ($5::text is null or way.rail = $5))
   update payment p set due_at = $2
     from held where p.lane = $1 and p.ctid = any(array(select row_place from held)) and p.ctid = held.row_place
   returning 1`,
)

/** Resolves with how many it woke: at most `limit` of each kind at each rail. */
export async function wakeHeld(
  lane: InLane,
  { environments, businessId, rail }: BrakeOn,
  now: Date,
  limit: number,
): Promise<number> {
  return (await lane.query(wakeRows, [lane.lane, now, environments, businessId, rail, limit])).length
}
