// Brakes: payouts of all businesses or of one are paused, or a rail is stopped. No payout that has not left is handed to a
// rail past a brake, in any process, until a person lifts it; what waits is not failed. Acceptance and a process that is
// about to send know of a brake within a second; the claim of due payments reads brakes itself (sql.ts).

import { record } from '#audit/record.ts'
import { environments as allEnvironments, type Context, type Environment, type Tenant } from '#base/context.ts'
import { inLane, type Tx } from '#base/db.ts'
import { stillFresh, type Remembered } from '#base/fresh.ts'
import type { Uuid } from '#base/ids.ts'
import type { RailName } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'
import {
  readBrakes,
  readBrakeStates,
  readTenants,
  removeBrakes,
  wakeHeld,
  writeBrakes,
  writeResumption,
  type BrakeOn,
  type BrakeState,
} from './sql-brakes.ts'

/** Whose payouts. Undefined: of all businesses; in both environments. */
export type Whose = {
  businessId?: Uuid | undefined
  environment?: Environment | undefined
  /** Why, in the words of a person. */
  reason?: string | undefined
}

/** Pausing twice is harmless. */
export function pausePayouts(ctx: Context, whose: Whose): Promise<void> {
  const on = brakeOn(whose)
  return ctx.db.transaction(async (tx) => {
    await writeBrakes(tx, on, { reason: whose.reason ?? null, at: new Date(ctx.clock.now()), by: ctx.by.name })
    await recordPause(ctx, tx, 'payouts.paused', on, whose.reason)
  })
}

/**
 * Lifts just the pause that was made for the same: that of one business outlives that of all, and the other way round.
 * Then what it held back is due at once. Run again it goes on with what a crash left behind.
 */
export async function resumePayouts(ctx: Context, lanes: number[], whose: Whose): Promise<{ woken: number }> {
  const on = brakeOn(whose)
  await ctx.db.transaction(async (tx) => {
    await removeBrakes(tx, on)
    await recordPause(ctx, tx, 'payouts.resumed', on, whose.reason)
  })
  return { woken: await wakeInPieces(ctx, lanes, on) }
}

/** In the transaction that learns of the reason. Stopping twice is harmless; the first reason stays. */
export async function stopRail(
  ctx: Context,
  tx: Tx,
  { environment, rail, why }: RailName & { why: string },
): Promise<void> {
  const nowMs = ctx.clock.now()
  const brake = { reason: why, at: new Date(nowMs), by: ctx.by.name }
  if ((await writeBrakes(tx, { environments: [environment], businessId: null, rail }, brake)) === 0) return
  ctx.log.error({ environment, rail, why }, 'payouts of this rail are stopped; see docs/rails/breaks.md')
  record(tx, nowMs, { by: ctx.by, act: 'rail.stopped', subject: rail, details: { environment, why } })
}

/**
 * Lifts the stop, and lets every process forget that the rail refused us. Then what it held back is due at once. Run again
 * it goes on with what a crash left behind.
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
    record(tx, nowMs, { by: ctx.by, act: 'rail.resumed', subject: rail, details: { environment, wasStopped: lifted } })
    return lifted
  })
  return { wasStopped, woken: await wakeInPieces(ctx, lanes, on) }
}

export type Pause = { environment: Environment; businessId: Uuid | undefined; pausedAt: Date; reason: string | null }
export type Stop = RailName & { stoppedAt: Date; why: string }
type Reading = Pick<Context, 'db'>

export async function listPauses({ db }: Reading): Promise<Pause[]> {
  return (await readBrakes(db)).flatMap(({ environment, businessId, rail, since, reason }) =>
    rail === null ? [{ environment, businessId: businessId ?? undefined, pausedAt: since, reason }] : [],
  )
}

/** Those that hold up the payouts of one business: its own, and that of all. */
export async function pausesOf(ctx: Reading, businessId: Uuid, environment: Environment): Promise<Pause[]> {
  const pauses = await listPauses(ctx)
  return pauses.filter(
    (one) => one.environment === environment && (one.businessId === undefined || one.businessId === businessId),
  )
}

export async function listStops({ db }: Reading): Promise<Stop[]> {
  return (await readBrakes(db)).flatMap(({ environment, rail, since, reason }) =>
    rail === null ? [] : [{ environment, rail, stoppedAt: since, why: reason ?? '' }],
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
    record(tx, ctx.clock.now(), { by: ctx.by, act, ...more })
  if (businessId === null) return note({ details: { environments, ...why } })
  for (const { id } of await readTenants(tx, businessId, environments)) note({ tenantId: id, details: why })
}

/** Of each kind at each rail in one statement: some 10 ms. */
const wakeMax = 1_000

/** What the brake held back is due now. Resolves with how many payments that are. */
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
  /** A promise when the database must be asked; whoever uses it steadily need not wait. */
  now(): Brakes | Promise<Brakes>
  isStopped(rail: string): boolean | Promise<boolean>
}

/** `rails`: told which are stopped, so that routes lead to others, and of each that was resumed since this process looked last. */
export function watchBrakes(ctx: Context, rails?: Pick<RailRegistry, 'forgiveRefusals' | 'avoid'>): BrakeWatch {
  let known: Remembered<Brakes> | undefined
  let resumedBefore: Map<string, number> | undefined

  async function ask(): Promise<Brakes> {
    const askedAtMs = ctx.clock.now()
    const states = await readBrakeStates(ctx.db.readers)
    const { stopped, resumed, brakes } = brakesIn(states)
    known = { value: brakes, askedAtMs, asking: false }
    rails?.avoid(stopped)
    const before = resumedBefore ?? resumed
    resumedBefore = resumed
    for (const [rail, atMs] of resumed) if (atMs > (before.get(rail) ?? 0)) rails?.forgiveRefusals(rail)
    return brakes
  }

  function now(): Brakes | Promise<Brakes> {
    return stillFresh(known, ctx.clock.now(), ask)?.value ?? ask()
  }

  return {
    now,
    isStopped(rail) {
      const brakes = now()
      return brakes instanceof Promise ? brakes.then(({ isStopped }) => isStopped(rail)) : brakes.isStopped(rail)
    },
  }
}

/** A rail has one name in all environments. */
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
