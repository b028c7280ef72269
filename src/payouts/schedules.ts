// A schedule is a draft that is paid at a time, or every week or month. Each run becomes a draft of its own, whose key
// is made of the schedule and the date, as are the references that the maker left empty. So each run is made once, even
// if two workers make it, a process is killed, or the clock is set back. A run that is more than a day late waits for a
// person to decide; if it has a draft already, `mayBegin` (send.ts) rejects it.

import type { Act } from '#audit/entry.ts'
import { recordEntry } from '#audit/record.ts'
import { present } from '#platform/assert.ts'
import { theService, type Actor, type Context, type Tenant } from '#platform/context.ts'
import { inLane, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs, secondMs, lagosOffsetMs } from '#platform/durations.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { readRole } from '#users/user.ts'
import type { Cells } from './cells.ts'
import { cellsOf, contentHashOf, readDraftRows, startDraft, sumDetails, type NumberedCells } from './draft-rows.ts'
import type { Proposer } from './drafts.ts'
import { mailApprovers, needsApproval, readPolicy, waitsForMs } from './policy.ts'
import { changeDraft, findDraftByKey, listRows, lockDraft, type DraftRow, type PayoutRow } from './queries.ts'
import {
  changeSchedule,
  claimSchedule,
  deleteSchedule,
  findSchedule,
  finishSchedule,
  insertSchedule,
  markAsRun,
  takeBackRuns,
  type ScheduleRow,
  type ScheduleTerms,
} from './schedule-queries.ts'

/** A person decides about a run that is later than this. */
export const lateMs = dayMs
/** If people approve each run, a run is made this long before its time, so that they can approve it by then. */
const askedBeforeMs = 48 * hourMs
/**
 * Enough for a run, which takes one transaction. If it takes longer, its lock on the draft still keeps other workers
 * out.
 */
const leaseMs = 15 * secondMs

export function isSchedule({ id, scheduleId }: Pick<DraftRow, 'id' | 'scheduleId'>): boolean {
  return scheduleId === id
}

export async function readTerms(tx: Tx, tenant: Tenant, draft: DraftRow): Promise<ScheduleRow | undefined> {
  return isSchedule(draft) ? findSchedule(tx, tenant, draft.id) : undefined
}

/** The most schedules of a tenant. With more, people could not oversee them. */
export const schedulesMax = 200

export function startSchedule(tx: Tx, tenant: Tenant, id: Uuid, terms: ScheduleTerms, isApproved: boolean): void {
  insertSchedule(tx, tenant, id, terms)
  if (isApproved) activateSchedule(tx, tenant, { ...terms, draftId: id, nextAt: terms.firstAt })
}

export function activateSchedule(
  tx: Tx,
  tenant: Tenant,
  schedule: Pick<ScheduleRow, 'draftId' | 'approval' | 'nextAt'>,
): void {
  const { draftId, nextAt } = schedule
  changeSchedule(tx, tenant, draftId, { state: 'active', nextAt, dueAt: dueAtOf(schedule) })
}

function dueAtOf({ approval, nextAt }: Pick<ScheduleRow, 'approval' | 'nextAt'>): Date | null {
  if (nextAt === null) return null
  return approval === 'each' ? new Date(nextAt.getTime() - askedBeforeMs) : nextAt
}

/** Makes the schedule an ordinary draft again, and takes back its runs that are not due yet. */
export async function takeBackSchedule(tx: Tx, tenant: Tenant, id: Uuid, now: Date): Promise<void> {
  await takeBackRuns(tx, tenant, id, now)
  deleteSchedule(tx, tenant, id)
}

/** Makes the next run of one due schedule of a lane; resolves with 1 if there was one. */
export function createScheduleWork(ctx: Context): (lane: number) => Promise<number> {
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const claimed = await claimSchedule(inLane(ctx.db, lane), new Date(nowMs), new Date(nowMs + leaseMs))
    if (claimed === undefined) return 0
    const { tenantId, environment, businessId, draftId } = claimed
    const tenant: Tenant = { lane, id: tenantId, environment }
    await onSchedule(ctx, tenant, draftId, async (tx, found) => {
      if (found.schedule.state === 'active') await runIfDue(ctx, tx, { tenant, businessId, by: theService, ...found })
    })
    return 1
  }
}

type LockedSchedule = { draft: DraftRow; schedule: ScheduleRow }
type ScheduledRun = LockedSchedule & { tenant: Tenant; businessId: Uuid; by: Actor }

/** Locks the draft of a schedule. Undefined: there is no such schedule, or it is not approved. */
function onSchedule<Outcome>(
  ctx: Context,
  tenant: Tenant,
  id: Uuid,
  work: (tx: Tx, found: LockedSchedule) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  return ctx.db.transaction(async (tx) => {
    const draft = await lockDraft(tx, tenant, id)
    if (draft?.status !== 'approved') return undefined
    const schedule = await readTerms(tx, tenant, draft)
    return schedule === undefined ? undefined : work(tx, { draft, schedule })
  }, tenant.lane)
}

async function runIfDue(ctx: Context, tx: Tx, run: ScheduledRun): Promise<void> {
  const { tenant, schedule } = run
  const { draftId, nextAt } = schedule
  const [nowMs, dueAt] = [ctx.clock.now(), dueAtOf(schedule)]
  if (nextAt === null || dueAt === null) return
  // The lease of this worker had ended, and another worker has already made the run.
  if (dueAt.getTime() > nowMs) activateSchedule(tx, tenant, schedule)
  else if (nowMs - nextAt.getTime() > lateMs)
    changeSchedule(tx, tenant, draftId, { state: 'late', nextAt, dueAt: null })
  else await makeRun(ctx, tx, run, nextAt)
}

async function makeRun(ctx: Context, tx: Tx, run: ScheduledRun, runAt: Date): Promise<void> {
  const { tenant, draft, schedule, by } = run
  const nowMs = ctx.clock.now()
  const { key, isMade } = await findRun(tx, tenant, draft, runAt)
  const rows = await listRows(tx, tenant, draft.id)
  const cells = rows.map((row) => ({ number: row.number, cells: runCells(row, { key, runAt, schedule }) }))
  const isAsApproved = contentHashOf(tenant, draft, rows, schedule).equals(draft.contentHash ?? Buffer.alloc(0))
  if (!isAsApproved || !readsTheSame(tenant, draft, rows, cells)) {
    changeSchedule(tx, tenant, draft.id, { state: 'unreadable', nextAt: runAt, dueAt: null })
    return
  }
  if (!isMade) {
    await insertRun(ctx, tx, run, { key, runAt, cells, rows, approvalsNeeded: await approvalsFor(tx, run, nowMs) })
    const details = { runAt: runAt.toISOString(), ...sumDetails(draft) }
    recordEntry(tx, nowMs, { by, act: 'payout-schedule.run', tenantId: tenant.id, subject: key, details })
  }
  moveOn(tx, tenant, run, runAt, new Date(nowMs))
}

/**
 * The key is the schedule and the date, so a date is paid once, also if the schedule was withdrawn and submitted again.
 * A run of the earlier terms that was rejected before it paid anything does not count; the key of the new run then also
 * contains the time of the submission.
 */
async function findRun(
  tx: Tx,
  tenant: Tenant,
  { id, submittedAt }: DraftRow,
  runAt: Date,
): Promise<{ key: string; isMade: boolean }> {
  const key = `${formatId('payoutDraft', id)}-${digitsOf(runAt)}`
  const made = await findDraftByKey(tx, tenant, key)
  const termsAt = present(submittedAt, 'an approved schedule was submitted')
  if (made?.status !== 'rejected' || made.createdAt >= termsAt) return { key, isMade: made !== undefined }
  if ((await listRows(tx, tenant, made.id)).some(({ outcome }) => outcome === 'accepted')) return { key, isMade: true }
  const keyAgain = `${key}-${termsAt.getTime().toString(36)}`
  return { key: keyAgain, isMade: (await findDraftByKey(tx, tenant, keyAgain)) !== undefined }
}

function digitsOf(runAt: Date): string {
  return dateOf(runAt).replaceAll('-', '')
}

/**
 * No two payments share a reference, so in a schedule that repeats, the date is added to a reference that the maker
 * gave.
 */
function runCells(
  row: PayoutRow,
  { key, runAt, schedule: { repeats } }: { key: string; runAt: Date; schedule: ScheduleRow },
): Cells {
  const cells = cellsOf(row)
  const given = repeats === 'never' ? cells.reference : `${cells.reference}-${digitsOf(runAt)}`
  const reference = cells.reference === '' ? `${key}-${row.number}` : given
  return { ...cells, name: row.accountName ?? '', reference }
}

/** Returns false if the cells now read differently than at the approval, for example because a bank is gone. */
function readsTheSame(tenant: Tenant, draft: DraftRow, rows: PayoutRow[], cells: NumberedCells[]): boolean {
  const judged = readDraftRows(tenant, draft, cells, [])
  return judged.every((row, index) => {
    const before = rows[index]
    return (
      row.errors === null &&
      row.kind === before?.kind &&
      row.amount === before.amount &&
      row.institution === before.institution &&
      row.accountNumber === before.accountNumber &&
      row.accountName === before.accountName &&
      row.narration === before.narration
    )
  })
}

/**
 * If people approve each run, or the maker has left the business, the run needs as many approvals as the policy says
 * now, but at least one. Otherwise it needs none, unless the policy has become stricter since the schedule was
 * submitted.
 */
async function approvalsFor(
  tx: Tx,
  { tenant, businessId, draft, schedule }: ScheduledRun,
  nowMs: number,
): Promise<number> {
  const { policy } = await readPolicy(tx, tenant, nowMs)
  const wanted = needsApproval(policy, draft) ? policy.approvers : 0
  if (schedule.approval === 'each') return Math.max(1, wanted)
  const hasLeft = (await readRole(tx, businessId, draft.makerId)) === undefined
  if (hasLeft) return Math.max(1, wanted)
  return wanted > (draft.approvalsNeeded ?? 0) ? wanted : 0
}

type NewRun = { key: string; runAt: Date; cells: NumberedCells[]; rows: PayoutRow[]; approvalsNeeded: number }

async function insertRun(
  ctx: Context,
  tx: Tx,
  { tenant, businessId, draft }: ScheduledRun,
  { key, runAt, cells, rows: approved, approvalsNeeded }: NewRun,
): Promise<void> {
  const now = new Date(ctx.clock.now())
  const { makerId: personId, makerName: name, makerEmail: email, rows, total, fees, currency } = draft
  const isApproved = approvalsNeeded === 0
  const title = `${draft.title.slice(0, 85)}, ${dateOf(runAt)}`
  const start = { tenant, person: { personId, name, email }, key, title, currency, retryOf: null }
  // If people still have to approve the run, the banks are asked again for the names that the approvers see.
  const made = present(await startDraft(ctx, tx, start, cells, isApproved ? approved : []), 'no draft has the key')
  markAsRun(tx, tenant, made.id, draft.id, runAt)
  changeDraft(tx, tenant, made.id, {
    status: isApproved ? 'approved' : 'waiting',
    rows,
    total,
    fees,
    submittedAt: now,
    expiresAt: new Date(now.getTime() + waitsForMs),
    contentHash: contentHashOf(tenant, made, await listRows(tx, tenant, made.id)),
    approvalsNeeded,
    decidedAt: isApproved ? now : null,
    dueAt: isApproved && runAt > now ? runAt : now,
  })
  const { makerId, makerName } = draft
  if (!isApproved)
    await mailApprovers(ctx, tx, tenant, { id: made.id, businessId, makerId, makerName, rows, total, currency })
}

function moveOn(tx: Tx, tenant: Tenant, { draft, schedule }: LockedSchedule, run: Date, now: Date): void {
  const nextAt = runAfter(schedule, run) ?? null
  if (nextAt === null) endSchedule(tx, tenant, draft, now)
  else if (schedule.state === 'paused') changeSchedule(tx, tenant, draft.id, { state: 'paused', nextAt, dueAt: null })
  else activateSchedule(tx, tenant, { ...schedule, nextAt })
}

function endSchedule(tx: Tx, tenant: Tenant, { id }: DraftRow, now: Date): void {
  changeSchedule(tx, tenant, id, { state: 'ended', nextAt: null, dueAt: null })
  finishSchedule(tx, tenant, id, now)
}

export const scheduleActs = ['pause', 'resume', 'end'] as const
/** These act on one run. The person names the run that they saw, because another person may have acted meanwhile. */
export const runActs = ['skip', 'run'] as const
export type ScheduleAct = (typeof scheduleActs | typeof runActs)[number]
export type ScheduleRequest = { act: (typeof scheduleActs)[number] } | { act: (typeof runActs)[number]; runAt: Date }

type ScheduleOutcome = { kind: 'done' | 'not-found' | 'wrong-schedule-state' | 'other-run' }

const actNames: Record<ScheduleAct, Act> = {
  pause: 'payout-schedule.paused',
  resume: 'payout-schedule.resumed',
  skip: 'payout-schedule.skipped',
  run: 'payout-schedule.run-late',
  end: 'payout-schedule.ended',
}

/** Applies a person's act to an approved schedule. No act pays more than was approved. */
export async function actOnSchedule(
  ctx: Context,
  tenant: Tenant,
  { manager }: Proposer,
  id: Uuid,
  request: ScheduleRequest,
): Promise<ScheduleOutcome> {
  try {
    const outcome = await onSchedule(ctx, tenant, id, async (tx, found): Promise<ScheduleOutcome> => {
      const run: ScheduledRun = { ...found, tenant, businessId: manager.businessId, by: manager.by }
      const isDone = await doAct(ctx, tx, run, request)
      if (!isDone) return { kind: 'wrong-schedule-state' }
      const details = { nextAt: found.schedule.nextAt?.toISOString() ?? null }
      const entry = { by: manager.by, act: actNames[request.act], tenantId: tenant.id, details }
      recordEntry(tx, ctx.clock.now(), { ...entry, subject: formatId('payoutDraft', id) })
      return { kind: 'done' }
    })
    return outcome ?? { kind: 'not-found' }
  } catch (error) {
    if (error instanceof OtherRun) return { kind: 'other-run' }
    throw error
  }
}

/** Rolls the act back. */
class OtherRun extends Error {}

function requireRun(found: Date, shown: Date): void {
  if (found.getTime() !== shown.getTime()) throw new OtherRun()
}

/** Returns false if the state of the schedule does not allow the act. */
async function doAct(ctx: Context, tx: Tx, run: ScheduledRun, request: ScheduleRequest): Promise<boolean> {
  const { tenant, draft, schedule } = run
  const { state, nextAt } = schedule
  const now = new Date(ctx.clock.now())
  if (nextAt === null) return false
  switch (request.act) {
    case 'pause': {
      if (state !== 'active') return false
      const [first = nextAt] = await takeBackRuns(tx, tenant, draft.id, now)
      changeSchedule(tx, tenant, draft.id, { state: 'paused', nextAt: first, dueAt: null })
      return true
    }
    case 'resume':
      if (state !== 'paused') return false
      activateSchedule(tx, tenant, schedule)
      return true
    case 'skip': {
      if (state === 'unreadable') return false
      const drafted = await takeBackRuns(tx, tenant, draft.id, now)
      requireRun(drafted[0] ?? nextAt, request.runAt)
      if (drafted.length === 0) moveOn(tx, tenant, run, nextAt, now)
      return true
    }
    case 'run':
      if (state !== 'late') return false
      requireRun(nextAt, request.runAt)
      await makeRun(ctx, tx, run, nextAt)
      return true
    case 'end':
      await takeBackRuns(tx, tenant, draft.id, now)
      endSchedule(tx, tenant, draft, now)
      return true
  }
}

// When a schedule runs. Times are those of Lagos, which is one hour ahead of UTC all year, so that a week always has
// 168 hours.

export type Timing = {
  repeats: 'never' | 'weekly' | 'monthly'
  /** The day of the month; in a shorter month the last day. Null: not monthly. */
  monthDay: number | null
  firstAt: Date
}

export function runAfter({ repeats, monthDay }: Timing, run: Date): Date | undefined {
  switch (repeats) {
    case 'never':
      return undefined
    case 'weekly':
      return new Date(run.getTime() + 7 * dayMs)
    case 'monthly': {
      const local = new Date(run.getTime() + lagosOffsetMs)
      const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() + 1]
      const timeOfDayMs = local.getTime() % dayMs
      const day = Math.min(monthDay ?? 1, lastDayOf(year, month))
      return new Date(Date.UTC(year, month, day) + timeOfDayMs - lagosOffsetMs)
    }
  }
}

/** `month` counts from 0 and may be 12, which is January of the next year. */
function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}

export function runsBefore(timing: Timing, next: Date, until: Date): Date[] {
  const runs: Date[] = []
  for (let run: Date | undefined = next; run !== undefined && run < until; run = runAfter(timing, run)) runs.push(run)
  return runs
}

/** The date in Lagos, such as `2026-12-31`. */
export function dateOf(at: Date): string {
  return new Date(at.getTime() + lagosOffsetMs).toISOString().slice(0, 10)
}

/** A date and a time of day in Lagos, such as `2026-12-31` and `09:00`. Undefined: there is no such date. */
export function timeIn(date: string, time: string): Date | undefined {
  const local = new Date(`${date}T${time}:00.000Z`)
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== date) return undefined
  return new Date(local.getTime() - lagosOffsetMs)
}

export function isLastDayOfMonth(date: string): boolean {
  return new Date(Date.parse(date) + dayMs).getUTCDate() === 1
}
