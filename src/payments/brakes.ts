// Brakes: a pause of the payouts of one business or of all, and the stop of a rail. A second after a brake is set, no
// process submits a payout that it covers. Three places apply the brakes: acceptance refuses new payouts during a pause
// (accept.ts), the claim of due payments holds the waiting ones back (`claimDue`, queries.ts), and a submission first asks
// whether its rail is stopped (`submit`, execution/step.ts). Payouts that wait do not fail. Payouts that were submitted
// before the brake continue.

import { recordEntry } from '#audit/record.ts'
import { stillFresh, type CacheEntry } from '#platform/cache.ts'
import {
  type Actor,
  type Environment,
  type Tenant,
  environments as allEnvironments,
  type Context,
} from '#platform/context.ts'
import { statement, type InLane, type Queryable, type Tx, inLane } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { RailName } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import { queuesWithWork } from './queries.ts'

/** The businesses and environments that a pause covers. Undefined: all businesses, both environments. */
export type Whose = {
  businessId?: Uuid | undefined
  environment?: Environment | undefined
  reason?: string | undefined
}

/**
 * If an operator at a terminal pauses a business that has paused itself, the pause becomes the operator's. If a user of
 * the dashboard pauses it after that, the pause stays the operator's.
 */
export function pausePayouts(ctx: Context, whose: Whose): Promise<void> {
  const on = brakeOn(whose)
  return ctx.db.transaction(async (tx) => {
    await writeBrakes(tx, on, { reason: whose.reason ?? null, at: new Date(ctx.clock.now()), by: ctx.by })
    await recordPause(ctx, tx, 'payouts.paused', on, whose.reason)
  })
}

/**
 * Ends exactly this pause: a pause of one business is independent of the pause of all businesses. Then the payouts that
 * it held back become due at once. If the process crashes in between, a second call wakes the rest.
 *
 * `isRefused`: the caller is a user of the dashboard, and the pause that is on was set by an operator at a terminal or
 * covers all businesses, so the user cannot end it.
 */
export async function resumePayouts(
  ctx: Context,
  lanes: number[],
  whose: Whose,
): Promise<{ woken: number; isRefused?: true }> {
  const on = brakeOn(whose)
  const isRefused = await ctx.db.transaction(async (tx) => {
    if (!(await removePauses(tx, on, ctx.by))) return true
    await recordPause(ctx, tx, 'payouts.resumed', on, whose.reason)
    return false
  })
  return isRefused ? { woken: 0, isRefused } : { woken: await wakeInPieces(ctx, lanes, on) }
}

/**
 * Runs in the transaction that finds the reason for the stop. Stopping a rail twice is harmless, and the first reason
 * stays.
 */
export async function stopRail(
  ctx: Context,
  tx: Tx,
  { environment, rail, why }: RailName & { why: string },
): Promise<void> {
  const nowMs = ctx.clock.now()
  const brake = { reason: why, at: new Date(nowMs), by: ctx.by }
  if ((await writeBrakes(tx, { environments: [environment], businessId: null, rail }, brake)) === 0) return
  // The log does not contain the reason, which may name account numbers. `manilla rails list` shows the reason.
  ctx.log.error({ environment, rail }, 'payouts of this rail are stopped; see docs/rails/breaks.md')
  recordEntry(tx, nowMs, { by: ctx.by, act: 'rail.stopped', subject: rail, details: { environment, why } })
}

/**
 * Ends the stop. Each process also forgets that the rail refused our account. Then the payouts that were held back
 * become due at once. If the process crashes in between, a second call wakes the rest.
 */
export async function resumeRail(
  ctx: Context,
  lanes: number[],
  { environment, rail }: RailName,
): Promise<{ wasStopped: boolean; woken: number }> {
  const on = { environments: [environment], businessId: null, rail }
  const wasStopped = await ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const lifted = (await removeBrakes(tx, on)) > 0
    writeResumption(tx, { environment, rail }, new Date(nowMs))
    recordEntry(tx, nowMs, {
      by: ctx.by,
      act: 'rail.resumed',
      subject: rail,
      details: { environment, wasStopped: lifted },
    })
    return lifted
  })
  return { wasStopped, woken: await wakeInPieces(ctx, lanes, on) }
}

export type Pause = {
  environment: Environment
  businessId: Uuid | undefined
  businessName: string | null
  pausedAt: Date
  reason: string | null
  by: string
  /** True if an operator at a terminal set the pause; then only an operator at a terminal can end it. */
  isByOperator: boolean
}
type Stop = RailName & { stoppedAt: Date; why: string; by: string }
type BrakeDeps = Pick<Context, 'db'>

export async function listPauses({ db }: BrakeDeps): Promise<Pause[]> {
  return (await readBrakes(db)).flatMap(({ rail, businessId, since, byKind, ...brake }) => {
    const isByOperator = byKind === 'terminal'
    return rail === null ? [{ ...brake, businessId: businessId ?? undefined, pausedAt: since, isByOperator }] : []
  })
}

/** The pauses that stop the payouts of one business: its own, and the one of all businesses. */
export async function pausesOf(ctx: BrakeDeps, businessId: Uuid, environment: Environment): Promise<Pause[]> {
  const pauses = await listPauses(ctx)
  return pauses.filter(
    (one) => one.environment === environment && (one.businessId === undefined || one.businessId === businessId),
  )
}

export async function listStops({ db }: BrakeDeps): Promise<Stop[]> {
  return (await readBrakes(db)).flatMap(({ environment, rail, since, reason, by }) =>
    rail === null ? [] : [{ environment, rail, stoppedAt: since, why: reason ?? '', by }],
  )
}

function brakeOn({ businessId, environment }: Whose): BrakeOn {
  const environments = environment === undefined ? [...allEnvironments] : [environment]
  return { environments, businessId: businessId ?? null, rail: null }
}

async function recordPause(
  ctx: Context,
  tx: Tx,
  act: 'payouts.paused' | 'payouts.resumed',
  { environments, businessId }: BrakeOn,
  reason: string | undefined,
): Promise<void> {
  const why = reason === undefined ? {} : { reason }
  const note = (more: { tenantId?: Uuid; details: { environments?: Environment[]; reason?: string } }): void =>
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act, ...more })
  if (businessId === null) return note({ details: { environments, ...why } })
  for (const { id } of await readTenants(tx, businessId, environments)) note({ tenantId: id, details: why })
}

/**
 * The number of payments of each kind at each rail that one statement reschedules. Such a statement takes about 10 ms.
 */
const wakeMax = 1_000

async function wakeInPieces({ db, clock }: Context, lanes: readonly number[], on: BrakeOn): Promise<number> {
  let woken = 0
  for (const lane of lanes) {
    const now = new Date(clock.now())
    let some: number
    do woken += some = await wakeHeld(inLane(db, lane), on, now, wakeMax)
    while (some >= wakeMax)
  }
  return woken
}

/** The brakes as they were less than a second ago. */
export type Brakes = { isPaused(tenant: Tenant): boolean; isStopped(rail: string): boolean }

export type BrakeWatch = {
  /** Returns a promise only if the database must be asked, so a caller with recent state does not wait. */
  now(): Brakes | Promise<Brakes>
  isStopped(rail: string): boolean | Promise<boolean>
}

/**
 * Tells `rails` which rails are stopped, so that routes avoid them, and which rails were resumed since this process
 * last looked.
 */
export function watchBrakes(ctx: Context, rails?: Pick<RailRegistry, 'forgiveRefusals' | 'avoid'>): BrakeWatch {
  let known: CacheEntry<Brakes> | undefined
  let resumedBefore: Map<string, number> | undefined

  async function ask(): Promise<Brakes> {
    const askedAtMs = ctx.clock.monotonicMs()
    const states = await readBrakeStates(ctx.db.readers)
    const { stopped, resumed, brakes } = brakesIn(states)
    known = { value: brakes, askedAtMs, asking: false }
    rails?.avoid(stopped)
    const before = resumedBefore ?? resumed
    resumedBefore = resumed
    for (const [rail, atMs] of resumed) if (atMs > (before.get(rail) ?? 0)) rails?.forgiveRefusals(rail)
    return brakes
  }

  function readNow(): Brakes | Promise<Brakes> {
    return stillFresh(known, ctx.clock.monotonicMs(), ask)?.value ?? ask()
  }

  return {
    now: readNow,
    isStopped(rail) {
      const brakes = readNow()
      return brakes instanceof Promise ? brakes.then(({ isStopped }) => isStopped(rail)) : brakes.isStopped(rail)
    },
  }
}

/** A name identifies one rail of one environment, so the stops need no environment. */
function brakesIn(states: BrakeState[]) {
  const paused = states.filter(({ rail }) => rail === null)
  const environments = new Set(paused.flatMap(({ tenantId, environment }) => (tenantId === null ? [environment] : [])))
  const tenants = new Set(paused.map(({ tenantId }) => tenantId))
  const stopped = new Set<string>()
  const resumed = new Map<string, number>()
  for (const { rail, resumedAt } of states) {
    if (rail === null) continue
    if (resumedAt === null) stopped.add(rail)
    else resumed.set(rail, resumedAt.getTime())
  }
  const brakes: Brakes = {
    isPaused: ({ id, environment }) => environments.has(environment) || tenants.has(id),
    isStopped: (rail) => stopped.has(rail),
  }
  return { stopped, resumed, brakes }
}

// SQL of brakes, and of payments that a brake holds back. There are few brakes, and each covers whole environments,
// businesses or rails, so they belong to no lane.

/** The payouts that a brake stops. `businessId` null: those of all businesses. `rail` null: those at all rails. */
type BrakeOn = { environments: Environment[]; businessId: Uuid | null; rail: string | null }

type BrakeRow = {
  environment: Environment
  businessId: Uuid | null
  businessName: string | null
  rail: string | null
  reason: string | null
  since: Date
  by: string
  /** Null: a process of release 0.2.0 set it. */
  byKind: Actor['kind'] | null
}

const selectBrakes = statement(
  'payments.brakes',
  `select k.environment, k.business_id as "businessId", b.name as "businessName", k.rail, k.reason, k.since, k.by,
          k.by_kind as "byKind"
     from brake k left join business b on b.id = k.business_id order by k.environment, k.rail, k.business_id`,
)

function readBrakes(db: Queryable): Promise<BrakeRow[]> {
  return db.query<BrakeRow>(selectBrakes)
}

/** The state of a brake, or the fact that a rail was resumed. `tenantId` null: the whole environment. */
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
  `insert into brake (environment, business_id, rail, reason, since, by, by_kind)
   select environment, $2, $3, $4, $5, $6, $7 from unnest($1::text[]) as environment
   on conflict (environment, business_id, rail) do update
     set reason = excluded.reason, by = excluded.by, by_kind = excluded.by_kind
     where excluded.by_kind = 'terminal' and brake.by_kind is distinct from 'terminal' and brake.rail is null
   returning 1 as one`,
)

/** Resolves with the number of brakes that did not exist before or that became the operator's. */
async function writeBrakes(
  tx: Tx,
  { environments, businessId, rail }: BrakeOn,
  { reason, at, by }: { reason: string | null; at: Date; by: Actor },
): Promise<number> {
  return (await tx.query(insertBrakes, [environments, businessId, rail, reason, at, by.name, by.kind])).length
}

// A claim of due payments locks the brakes that it reads (queries.ts). So this statement waits for claims that are just
// now holding payments back.
const deleteBrakes = statement(
  'payments.lift_brake',
  `delete from brake where environment = any($1::text[]) and business_id is not distinct from $2 and rail is not distinct from $3
     and (not $4::boolean or by_kind is distinct from 'terminal')
   returning 1 as one`,
)

/** `sparesOperators`: pauses of operators stay. */
async function removeBrakes(
  tx: Tx,
  { environments, businessId, rail }: BrakeOn,
  sparesOperators = false,
): Promise<number> {
  return (await tx.query(deleteBrakes, [environments, businessId, rail, sparesOperators])).length
}

/**
 * Resolves with false if nothing was removed because the actor may not end the pauses that are on. The delete statement
 * itself checks who set each pause, so an operator who pauses at the same time wins.
 */
async function removePauses(tx: Tx, on: BrakeOn, { kind }: Actor): Promise<boolean> {
  const isPerson = kind === 'person'
  if ((await removeBrakes(tx, on, isPerson)) > 0 || !isPerson) return true
  const left = await readBrakes(tx)
  return !left.some(
    ({ environment, businessId, rail }) =>
      rail === null && (businessId === null || businessId === on.businessId) && on.environments.includes(environment),
  )
}

const noteResumption = statement(
  'payments.note_resumption',
  `insert into rail_resumption (environment, rail, resumed_at) values ($1, $2, $3)
   on conflict (environment, rail) do update set resumed_at = greatest(excluded.resumed_at, rail_resumption.resumed_at + interval '1 ms')`,
)

/** Stores a time that is later than every earlier one, so that each process notices the new resumption. */
function writeResumption(tx: Tx, { environment, rail }: RailName, at: Date): void {
  tx.send(noteResumption, [environment, rail, at])
}

const selectTenants = statement(
  'payments.tenants_of',
  'select lane, id, environment from tenant where business_id = $1 and environment = any($2::text[]) order by environment',
)

function readTenants(db: Queryable, businessId: Uuid, environments: Environment[]): Promise<Tenant[]> {
  return db.query<Tenant>(selectTenants, [businessId, environments])
}

// Payouts that are due later and wait to be submitted: those that a brake postponed, and those that a rail refused and
// that may be tried again at once. A leased payment is left alone, because the process with the lease knows the due
// time better.
const wakeRows = statement(
  'payments.wake_held',
  `with recursive ${queuesWithWork},
   held as materialized (
     select found.row_place
       from queue
       cross join lateral (
         select p.ctid as row_place from payment p
          where p.lane = $1 and p.kind = queue.kind and p.rail = queue.rail and p.due_at > $2 and p.submitted_at is null
            and exists (select 1 from tenant t
                         where t.lane = $1 and t.id = p.tenant_id and t.environment = any($3::text[])
                           and ($4::uuid is null or t.business_id = $4))
          order by p.due_at limit $6
            for update of p skip locked) as found
      where queue.kind <> 'momo_collection' and ($5::text is null or queue.rail = $5))
   update payment p set due_at = $2
     from held where p.lane = $1 and p.ctid = any(array(select row_place from held)) and p.ctid = held.row_place
   returning 1`,
)

/** Resolves with the number of woken payments, at most `limit` of each kind at each rail. */
export async function wakeHeld(
  lane: InLane,
  { environments, businessId, rail }: BrakeOn,
  now: Date,
  limit: number,
): Promise<number> {
  return (await lane.query(wakeRows, [lane.lane, now, environments, businessId, rail, limit])).length
}
