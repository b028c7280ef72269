// SQL of schedules. A change of a schedule locks its draft first; a claim locks only the schedule.

import type { Environment, Tenant } from '#platform/context.ts'
import { statement, type InLane, type Queryable, type Tx } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'
import type { DraftStatus } from './queries.ts'
import type { Timing } from './schedules.ts'

export type ScheduleTerms = Timing & {
  /** `once`: people approve the schedule. `each`: they approve every run. */
  approval: 'once' | 'each'
}

export type ScheduleState = 'waiting' | 'active' | 'paused' | 'late' | 'unreadable' | 'ended'

export type ScheduleRow = ScheduleTerms & {
  draftId: Uuid
  state: ScheduleState
  /** The next run that has no draft yet. Null: the schedule has ended. */
  nextAt: Date | null
}

const scheduleColumns = `s.draft_id as "draftId", s.repeats, s.month_day as "monthDay", s.first_at as "firstAt",
  s.approval, s.state, s.next_at as "nextAt"`

const put = statement(
  'payouts.put_schedule',
  `insert into payout_schedule (lane, tenant_id, draft_id, repeats, month_day, first_at, approval, state, next_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'waiting', $6)`,
)
const mark = statement(
  'payouts.mark_schedule',
  `update payout_draft set schedule_id = $4 where lane = $1 and tenant_id = $2 and id = $3`,
)

export function insertSchedule(tx: Tx, { id }: Tenant, draft: Uuid, terms: ScheduleTerms): void {
  const { repeats, monthDay, firstAt, approval } = terms
  tx.send(put, [tx.lane, id, draft, repeats, monthDay, firstAt, approval])
  tx.send(mark, [tx.lane, id, draft, draft])
}

const remove = statement(
  'payouts.delete_schedule',
  'delete from payout_schedule where lane = $1 and tenant_id = $2 and draft_id = $3',
)

export function deleteSchedule(tx: Tx, { id }: Tenant, draft: Uuid): void {
  tx.send(remove, [tx.lane, id, draft])
  tx.send(mark, [tx.lane, id, draft, null])
}

const select = statement(
  'payouts.schedule',
  `select ${scheduleColumns} from payout_schedule s where lane = $1 and tenant_id = $2 and draft_id = $3`,
)

export async function findSchedule(db: Queryable, { lane, id }: Tenant, draft: Uuid): Promise<ScheduleRow | undefined> {
  const [row] = await db.query<ScheduleRow>(select, [lane, id, draft])
  return row
}

const change = statement(
  'payouts.change_schedule',
  `update payout_schedule set state = $4, next_at = $5, due_at = $6 where lane = $1 and tenant_id = $2 and draft_id = $3`,
)

export function changeSchedule(
  tx: Tx,
  { id }: Tenant,
  draft: Uuid,
  { state, nextAt, dueAt }: { state: ScheduleState; nextAt: Date | null; dueAt: Date | null },
): void {
  tx.send(change, [tx.lane, id, draft, state, nextAt, dueAt])
}

const countRunning = statement(
  'payouts.count_schedules',
  `select count(*)::int as count from (
     select 1 from payout_schedule where lane = $1 and tenant_id = $2 and state <> 'ended' limit $3) as s`,
)

export async function countSchedules(tx: Tx, { id }: Tenant, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(countRunning, [tx.lane, id, limit])
  return row?.count ?? 0
}

const selectAll = statement(
  'payouts.schedules',
  `select ${scheduleColumns}, d.title, d.status, d.maker_id as "makerId", d.maker_name as "makerName", d.rows, d.currency,
     d.total, d.fees, d.expires_at as "expiresAt"
     from payout_schedule s join payout_draft d on d.lane = $1 and d.tenant_id = $2 and d.id = s.draft_id
    where s.lane = $1 and s.tenant_id = $2 and (s.state <> 'ended' or $3)
    order by s.draft_id desc limit $4`,
)

export type ListedSchedule = ScheduleRow & {
  title: string
  status: DraftStatus
  makerId: Uuid
  makerName: string
  rows: number
  currency: Currency
  total: Money
  fees: Money
  expiresAt: Date | null
}

export function listSchedules(
  db: Queryable,
  { lane, id }: Tenant,
  { withEnded, limit }: { withEnded: boolean; limit: number },
): Promise<ListedSchedule[]> {
  return db.query<ListedSchedule>(selectAll, [lane, id, withEnded, limit])
}

const selectRuns = statement(
  'payouts.runs',
  `select id, schedule_id as "scheduleId", title, status, run_at as "runAt", held_since as "heldSince", currency,
     total, fees
     from payout_draft
    where lane = $1 and tenant_id = $2 and run_at > $3 and status in ('editing', 'waiting', 'approved')
    order by run_at limit $4`,
)

/** A run that has a draft and is not completed. */
export type OpenRun = {
  id: Uuid
  scheduleId: Uuid
  title: string
  status: DraftStatus
  runAt: Date
  heldSince: Date | null
  currency: Currency
  total: Money
  fees: Money
}

export function listOpenRuns(db: Queryable, { lane, id }: Tenant, after: Date, limit: number): Promise<OpenRun[]> {
  return db.query<OpenRun>(selectRuns, [lane, id, after, limit])
}

const selectStopped = statement(
  'payouts.stopped_runs',
  `select id, title, reason from payout_draft
    where lane = $1 and tenant_id = $2 and run_at > $3 and status = 'rejected' and rejected_by = 'manilla'
    order by run_at limit $4`,
)

/** A run that the service rejected, because it could not be sent within a day. */
export type StoppedRun = { id: Uuid; title: string; reason: string }

export function listStoppedRuns(
  db: Queryable,
  { lane, id }: Tenant,
  after: Date,
  limit: number,
): Promise<StoppedRun[]> {
  return db.query<StoppedRun>(selectStopped, [lane, id, after, limit])
}

// A worker that claims a draft moves its due_at. As long as due_at is run_at, no worker sends the run. A run that waits
// for the balance is sent only after its worker has cleared held_since (`beginHeldRun`).
const canTakeBack = `lane = $1 and tenant_id = $2 and run_at > $5 and schedule_id = $3
      and (run_at > $4 and (status in ('editing', 'waiting') or (status = 'approved' and due_at = run_at))
        or (status = 'approved' and held_since is not null))`
/** No run waits longer for its approval and the balance. */
const heldMsMax = 7 * dayMs
const untilHeld = (now: Date): Date => new Date(now.getTime() - heldMsMax)

const takeBack = statement(
  'payouts.take_back_runs',
  `delete from payout_draft where ${canTakeBack} returning run_at as "runAt"`,
)
const selectFirst = statement(
  'payouts.first_run_to_take_back',
  `select run_at as "runAt" from payout_draft where ${canTakeBack} order by run_at limit 1`,
)

/** Returns when the first of the runs is to be paid that `takeBackRuns` would take back. */
export async function findRunToTakeBack(
  db: Queryable,
  { lane, id }: Tenant,
  schedule: Uuid,
  now: Date,
): Promise<Date | undefined> {
  const [row] = await db.query<{ runAt: Date }>(selectFirst, [lane, id, schedule, now, untilHeld(now)])
  return row?.runAt
}

/** Deletes drafts of runs that are not due yet or wait for the balance, and returns when they were to be paid. */
export async function takeBackRuns(tx: Tx, { id }: Tenant, schedule: Uuid, now: Date): Promise<Date[]> {
  const rows = await tx.query<{ runAt: Date }>(takeBack, [tx.lane, id, schedule, now, untilHeld(now)])
  return rows.map(({ runAt }) => runAt).toSorted((left, right) => left.getTime() - right.getTime())
}

const finish = statement(
  'payouts.finish_schedule',
  `update payout_draft set status = 'done', completed_at = $4
    where lane = $1 and tenant_id = $2 and id = $3 and status = 'approved'`,
)

export function finishSchedule(tx: Tx, { id }: Tenant, draft: Uuid, at: Date): void {
  tx.send(finish, [tx.lane, id, draft, at])
}

const markRun = statement(
  'payouts.mark_run',
  `update payout_draft set schedule_id = $4, run_at = $5 where lane = $1 and tenant_id = $2 and id = $3`,
)

export function markAsRun(tx: Tx, { id }: Tenant, draft: Uuid, schedule: Uuid, runAt: Date): void {
  tx.send(markRun, [tx.lane, id, draft, schedule, runAt])
}

const claimDue = statement(
  'payouts.claim_schedule',
  `with due as materialized (
     select tenant_id, draft_id from payout_schedule
      where lane = $1 and due_at <= $2 and due_at is not null order by due_at limit 1 for update skip locked)
   update payout_schedule s set due_at = $3
     from due, tenant t
    where s.lane = $1 and s.tenant_id = due.tenant_id and s.draft_id = due.draft_id
      and t.lane = $1 and t.id = due.tenant_id
   returning s.tenant_id as "tenantId", s.draft_id as "draftId", t.environment, t.business_id as "businessId"`,
)

export type ClaimedSchedule = { tenantId: Uuid; draftId: Uuid; environment: Environment; businessId: Uuid }

export async function claimSchedule(lane: InLane, now: Date, leaseEnd: Date): Promise<ClaimedSchedule | undefined> {
  const [row] = await lane.query<ClaimedSchedule>(claimDue, [lane.lane, now, leaseEnd])
  return row
}
