// SQL of payout drafts, their rows and their approvals. A transaction that changes rows or approvals locks their draft
// first, except while an approved draft is sent: then no user can change its rows.

import type { Environment, Tenant } from '#platform/context.ts'
import { arrayOf, arraysOf, statement, type InLane, type Queryable, type Tx } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { amountMax, type Currency, type Money } from '#platform/money.ts'
import type { PayeeKind } from './cells.ts'

export type DraftStatus = 'editing' | 'waiting' | 'approved' | 'done' | 'rejected'

export type DraftRow = {
  tenantId: Uuid
  id: Uuid
  key: string
  title: string
  status: DraftStatus
  makerId: Uuid
  makerName: string
  makerEmail: string
  createdAt: Date
  submittedAt: Date | null
  expiresAt: Date | null
  contentHash: Buffer | null
  approvalsNeeded: number | null
  rows: number
  currency: Currency
  total: Money
  fees: Money
  decidedAt: Date | null
  rejectedBy: string | null
  reason: string | null
  completedAt: Date | null
  retryOf: Uuid | null
  /** Its own id if the draft is a schedule; the id of the schedule if it is a run. */
  scheduleId: Uuid | null
  /** When a run is to be paid. */
  runAt: Date | null
  /** The first time that the balance did not cover this run. Null again from the moment when the run is sent. */
  heldSince: Date | null
}

const draftColumns = `d.tenant_id as "tenantId", d.id, d.key, d.title, d.status, d.maker_id as "makerId",
  d.maker_name as "makerName", d.maker_email as "makerEmail", d.created_at as "createdAt",
  d.submitted_at as "submittedAt", d.expires_at as "expiresAt", d.content_hash as "contentHash",
  d.approvals_needed as "approvalsNeeded", d.rows, d.currency, d.total, d.fees, d.decided_at as "decidedAt",
  d.rejected_by as "rejectedBy", d.reason, d.completed_at as "completedAt", d.retry_of as "retryOf",
  d.schedule_id as "scheduleId", d.run_at as "runAt", d.held_since as "heldSince"`

const insertDraftRow = statement(
  'payouts.insert_draft',
  `insert into payout_draft (lane, tenant_id, id, key, title, status, maker_id, maker_name, maker_email, created_at,
     rows, retry_of, currency)
   values ($1, $2, $3, $4, $5, 'editing', $6, $7, $8, $9, 0, $10, $11)
   on conflict (lane, tenant_id, key) do nothing returning id`,
)

export type NewDraft = Pick<
  DraftRow,
  'id' | 'key' | 'title' | 'makerId' | 'makerName' | 'makerEmail' | 'retryOf' | 'currency'
>

export async function insertDraft(tx: Tx, { id: tenantId }: Tenant, draft: NewDraft, at: Date): Promise<boolean> {
  const { id, key, title, makerId, makerName, makerEmail, retryOf, currency } = draft
  const values = [tx.lane, tenantId, id, key, title, makerId, makerName, makerEmail, at, retryOf, currency]
  return (await tx.query(insertDraftRow, values)).length > 0
}

const selectByKey = statement(
  'payouts.draft_by_key',
  `select ${draftColumns} from payout_draft d where lane = $1 and tenant_id = $2 and key = $3`,
)

export async function findDraftByKey(db: Queryable, { lane, id }: Tenant, key: string): Promise<DraftRow | undefined> {
  const [row] = await db.query<DraftRow>(selectByKey, [lane, id, key])
  return row
}

const selectDraft = statement(
  'payouts.draft',
  `select ${draftColumns} from payout_draft d where lane = $1 and tenant_id = $2 and id = $3`,
)
const selectDraftLocked = statement(
  'payouts.lock_draft',
  `select ${draftColumns} from payout_draft d where lane = $1 and tenant_id = $2 and id = $3 for update`,
)

export async function findDraft(db: Queryable, { lane, id }: Tenant, draft: Uuid): Promise<DraftRow | undefined> {
  const [row] = await db.query<DraftRow>(selectDraft, [lane, id, draft])
  return row
}

export async function lockDraft(tx: Tx, { id }: Tenant, draft: Uuid): Promise<DraftRow | undefined> {
  const [row] = await tx.query<DraftRow>(selectDraftLocked, [tx.lane, id, draft])
  return row
}

const selectDrafts = statement(
  'payouts.drafts',
  `select ${draftColumns} from payout_draft d
    where lane = $1 and tenant_id = $2 and status = any($3::text[]) and ($4::uuid is null or maker_id = $4)
      and ($5::uuid is null or id < $5)
    order by id desc limit $6`,
)

export type DraftQuestion = {
  statuses: readonly DraftStatus[]
  makerId: Uuid | null
  before: Uuid | null
  limit: number
}

export function listDraftRows(
  db: Queryable,
  { lane, id }: Tenant,
  { statuses, makerId, before, limit }: DraftQuestion,
): Promise<DraftRow[]> {
  return db.query<DraftRow>(selectDrafts, [lane, id, statuses, makerId, before, limit])
}

const countOpen = statement(
  'payouts.count_open',
  `select count(*)::int as count from (
     select 1 from payout_draft where lane = $1 and tenant_id = $2 and status in ('editing', 'waiting') limit $3) as d`,
)

export async function countOpenDrafts(tx: Tx, { id }: Tenant, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(countOpen, [tx.lane, id, limit])
  return row?.count ?? 0
}

/** Missing fields become null. */
export type DraftChange = Pick<DraftRow, 'status' | 'rows' | 'total' | 'fees'> &
  Partial<Pick<DraftRow, 'submittedAt' | 'expiresAt' | 'contentHash' | 'approvalsNeeded' | 'decidedAt'>> &
  Partial<Pick<DraftRow, 'rejectedBy' | 'reason'>> & { dueAt: Date | null }

const updateDraft = statement(
  'payouts.change_draft',
  `update payout_draft set status = $4, rows = $5, total = $6, fees = $7, submitted_at = $8, expires_at = $9,
     content_hash = $10, approvals_needed = $11, decided_at = $12, rejected_by = $13, reason = $14, due_at = $15
    where lane = $1 and tenant_id = $2 and id = $3`,
)

export function changeDraft(tx: Tx, { id: tenantId }: Tenant, id: Uuid, change: DraftChange): void {
  const { status, rows, total, fees, submittedAt = null, expiresAt = null, contentHash = null } = change
  const { approvalsNeeded = null, decidedAt = null, rejectedBy = null, reason = null, dueAt } = change
  const end = [decidedAt, rejectedBy, reason, dueAt]
  const values = [tx.lane, tenantId, id, status, rows, total, fees, submittedAt, expiresAt, contentHash]
  tx.send(updateDraft, [...values, approvalsNeeded, ...end])
}

const deleteDraftRow = statement(
  'payouts.delete_draft',
  'delete from payout_draft where lane = $1 and tenant_id = $2 and id = $3',
)
const releaseRetried = statement(
  'payouts.release_retried',
  `update payout_draft_row set retried_in = null
    where lane = $1 and tenant_id = $2 and draft_id = $3 and retried_in = $4`,
)

/** Deletes a draft. If the draft retried failed rows of another draft, users can retry those rows again. */
export function deleteDraft(tx: Tx, { id: tenantId }: Tenant, { id, retryOf }: DraftRow): void {
  tx.send(deleteDraftRow, [tx.lane, tenantId, id])
  if (retryOf !== null) tx.send(releaseRetried, [tx.lane, tenantId, retryOf, id])
}

export type Resolution = 'due' | 'resolved' | 'not-found' | 'unavailable' | 'none'

export type PayoutRow = {
  number: number
  /** A JSON object of texts. */
  cells: string
  kind: PayeeKind
  amount: Money | null
  institution: string | null
  accountNumber: string | null
  accountName: string | null
  narration: string | null
  reference: string | null
  /** A JSON array. */
  errors: string | null
  resolution: Resolution
  resolvedName: string | null
  outcome: 'accepted' | 'refused' | null
  refusal: string | null
  retriedIn: Uuid | null
}

const rowColumns = `r.number, r.cells, r.kind, r.amount, r.institution, r.account_number as "accountNumber",
  r.account_name as "accountName", r.narration, r.reference, r.errors, r.resolution, r.resolved_name as "resolvedName",
  r.outcome, r.refusal, r.retried_in as "retriedIn"`

const selectRows = statement(
  'payouts.rows',
  `select ${rowColumns} from payout_draft_row r where lane = $1 and tenant_id = $2 and draft_id = $3 order by number`,
)

export function listRows(db: Queryable, { lane, id }: Tenant, draft: Uuid): Promise<PayoutRow[]> {
  return db.query<PayoutRow>(selectRows, [lane, id, draft])
}

const written = ['cells', 'kind', 'amount', 'institution', 'accountNumber', 'accountName', 'narration'] as const
const alsoWritten = ['reference', 'errors', 'resolution', 'resolvedName'] as const
const givenRows = `unnest($4::integer[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::text[], $13::text[], $14::text[], $15::text[])`
const givenColumns = `number, cells, kind, amount, institution, account_number, account_name, narration, reference,
  errors, resolution, resolved_name`

const insertRowsOf = statement(
  'payouts.insert_rows',
  `insert into payout_draft_row (lane, tenant_id, draft_id, ${givenColumns})
   select $1, $2::uuid, $3::uuid, v.* from ${givenRows} as v (${givenColumns})`,
)

export type WrittenRow = Omit<PayoutRow, 'outcome' | 'refusal' | 'retriedIn'>

function columnsOf(tx: Tx, { id }: Tenant, draft: Uuid, rows: WrittenRow[]): unknown[] {
  return [tx.lane, id, draft, ...arraysOf(rows, 'number', ...written, ...alsoWritten)]
}

export function insertRows(tx: Tx, tenant: Tenant, draft: Uuid, rows: WrittenRow[]): void {
  if (rows.length > 0) tx.send(insertRowsOf, columnsOf(tx, tenant, draft, rows))
}

// A reference may move to another row, and is unique in a draft, so the old ones are removed first.
const clearReferences = statement(
  'payouts.clear_references',
  `update payout_draft_row set reference = null
    where lane = $1 and tenant_id = $2 and draft_id = $3 and number = any($4::integer[])`,
)
const updateRows = statement(
  'payouts.change_rows',
  `update payout_draft_row r set cells = v.cells, kind = v.kind, amount = v.amount, institution = v.institution,
     account_number = v.account_number, account_name = v.account_name, narration = v.narration,
     reference = v.reference, errors = v.errors, resolution = v.resolution, resolved_name = v.resolved_name
     from ${givenRows} as v (${givenColumns})
    where r.lane = $1 and r.tenant_id = $2 and r.draft_id = $3 and r.number = v.number`,
)

export function changeRows(tx: Tx, tenant: Tenant, draft: Uuid, rows: WrittenRow[]): void {
  if (rows.length === 0) return
  tx.send(clearReferences, [tx.lane, tenant.id, draft, arrayOf(rows, ({ number }) => number)])
  tx.send(updateRows, columnsOf(tx, tenant, draft, rows))
}

const deleteRowsOf = statement(
  'payouts.delete_rows',
  `delete from payout_draft_row
    where lane = $1 and tenant_id = $2 and draft_id = $3 and number = any($4::integer[])`,
)

export function deleteRows(tx: Tx, { id }: Tenant, draft: Uuid, numbers: number[]): void {
  tx.send(deleteRowsOf, [tx.lane, id, draft, numbers])
}

const retriedRows = statement(
  'payouts.mark_retried',
  `update payout_draft_row set retried_in = $5
    where lane = $1 and tenant_id = $2 and draft_id = $3 and number = any($4::integer[])`,
)

export function markRetried(tx: Tx, { id }: Tenant, draft: Uuid, numbers: number[], by: Uuid): void {
  tx.send(retriedRows, [tx.lane, id, draft, numbers, by])
}

const insertApprovalRow = statement(
  'payouts.approve',
  `insert into payout_approval (lane, tenant_id, draft_id, person_id, person_name, maker_id, content_hash, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
)

export type ApprovalRow = { personId: Uuid; personName: string; contentHash: Buffer; createdAt: Date }

export function insertApproval(tx: Tx, { id }: Tenant, draft: DraftRow, approval: ApprovalRow): void {
  const { personId, personName, contentHash, createdAt } = approval
  const values = [tx.lane, id, draft.id, personId, personName, draft.makerId, contentHash, createdAt]
  tx.send(insertApprovalRow, values)
}

const selectApprovals = statement(
  'payouts.approvals',
  `select draft_id as "draftId", person_id as "personId", person_name as "personName", content_hash as "contentHash",
     created_at as "createdAt"
     from payout_approval where lane = $1 and tenant_id = $2 and draft_id = any($3::uuid[]) order by created_at`,
)

export function listApprovals(
  db: Queryable,
  { lane, id }: Tenant,
  drafts: Uuid[],
): Promise<(ApprovalRow & { draftId: Uuid })[]> {
  return db.query(selectApprovals, [lane, id, drafts])
}

const deleteApprovalsOf = statement(
  'payouts.void_approvals',
  'delete from payout_approval where lane = $1 and tenant_id = $2 and draft_id = $3',
)

export function deleteApprovals(tx: Tx, { id }: Tenant, draft: Uuid): void {
  tx.send(deleteApprovalsOf, [tx.lane, id, draft])
}

// The sum is capped, because the rows of a draft that cannot be submitted may add up to more than a JSON integer can
// show.
const selectProgress = statement(
  'payouts.progress',
  `select coalesce(r.outcome, 'unsent') as outcome, p.status, count(*)::int as count,
     least(sum(r.amount), ${amountMax})::bigint as amount
     from payout_draft_row r
     left join lateral (
       select status from payment
        where r.outcome = 'accepted' and lane = $1 and tenant_id = $2 and reference = r.reference limit 1) as p on true
    where r.lane = $1 and r.tenant_id = $2 and r.draft_id = $3
    group by 1, 2`,
)

/** `status`: the status of the payments of these rows; null if the rows have no payment. */
export type Progress = {
  outcome: 'unsent' | 'accepted' | 'refused'
  status: string | null
  count: number
  amount: Money
}

export function readProgress(db: Queryable, { lane, id }: Tenant, draft: Uuid): Promise<Progress[]> {
  return db.query<Progress>(selectProgress, [lane, id, draft])
}

const selectTwins = statement(
  'payouts.twins_in_drafts',
  `select distinct r.institution, r.account_number as "accountNumber", r.amount, d.title
     from unnest($4::text[], $5::text[], $6::bigint[]) as v (institution, account_number, amount)
     join payout_draft_row r on r.lane = $1 and r.tenant_id = $2 and r.institution = v.institution
      and r.account_number = v.account_number and r.amount = v.amount and r.outcome is null
     join payout_draft d on d.lane = $1 and d.tenant_id = $2 and d.id = r.draft_id and d.id <> $3
      and d.status in ('waiting', 'approved') and (d.expires_at > $7 or d.status = 'approved')
      and ($8::uuid is null or d.schedule_id is distinct from $8)`,
)

export type TwinInDraft = { institution: string; accountNumber: string; amount: Money; title: string }

/**
 * Unsent rows of other drafts, waiting or approved, that pay the same amount to the same account. Leaves out drafts of
 * the same schedule.
 */
export function findTwinsInDrafts(
  db: Queryable,
  { lane, id }: Tenant,
  { id: draft, scheduleId }: Pick<DraftRow, 'id' | 'scheduleId'>,
  rows: { institution: string; accountNumber: string; amount: Money }[],
  now: Date,
): Promise<TwinInDraft[]> {
  const accounts = arraysOf(rows, 'institution', 'accountNumber', 'amount')
  return db.query<TwinInDraft>(selectTwins, [lane, id, draft, ...accounts, now, scheduleId])
}

export type ClaimedDraft = DraftRow & { environment: Environment }

const claimDue = statement(
  'payouts.claim',
  `with due as materialized (
     select tenant_id, id from payout_draft
      where lane = $1 and due_at <= $2 and due_at is not null order by due_at limit 1 for update skip locked)
   update payout_draft d set due_at = $3
     from due, tenant t
    where d.lane = $1 and d.tenant_id = due.tenant_id and d.id = due.id and t.lane = $1 and t.id = due.tenant_id
   returning ${draftColumns}, t.environment`,
)

export async function claimDraft(lane: InLane, now: Date, leaseEnd: Date): Promise<ClaimedDraft | undefined> {
  const [row] = await lane.query<ClaimedDraft>(claimDue, [lane.lane, now, leaseEnd])
  return row
}

const renew = statement(
  'payouts.renew_lease',
  `update payout_draft set due_at = $5 where lane = $1 and tenant_id = $2 and id = $3 and due_at = $4 returning 1 as one`,
)

/** Returns false if the lease is no longer the one that ends at `end`. */
export async function renewLease(lane: InLane, { tenantId, id }: DraftRow, end: Date, next: Date): Promise<boolean> {
  return (await lane.query(renew, [lane.lane, tenantId, id, end, next])).length === 1
}

const writeResolved = statement(
  'payouts.resolve',
  `update payout_draft_row r set resolution = v.resolution, resolved_name = v.resolved_name
     from unnest($4::integer[], $5::text[], $6::text[], $7::text[], $8::text[])
       as v (number, institution, account_number, resolution, resolved_name)
    where r.lane = $1 and r.tenant_id = $2 and r.draft_id = $3 and r.number = v.number and r.resolution = 'due'
      and r.institution = v.institution and r.account_number = v.account_number`,
)
const putDownResolving = statement(
  'payouts.put_down_resolving',
  `update payout_draft d set due_at = case when exists (
       select 1 from payout_draft_row r
        where r.lane = $1 and r.tenant_id = $2 and r.draft_id = $3 and r.resolution = 'due') then $4::timestamptz end
    where d.lane = $1 and d.tenant_id = $2 and d.id = $3 and d.status not in ('approved')`,
)

export type ResolvedRow = Pick<PayoutRow, 'number' | 'institution' | 'accountNumber' | 'resolution' | 'resolvedName'>

export function noteResolved(tx: Tx, { tenantId, id }: DraftRow, rows: ResolvedRow[], now: Date): void {
  const names = ['number', 'institution', 'accountNumber', 'resolution', 'resolvedName'] as const
  tx.send(writeResolved, [tx.lane, tenantId, id, ...arraysOf(rows, ...names)])
  tx.send(putDownResolving, [tx.lane, tenantId, id, now])
}

// An acceptance is final, so it overwrites a refusal: a worker whose lease had ended may record the acceptance after
// another worker noted a refusal.
const writeOutcomes = statement(
  'payouts.note_outcomes',
  `update payout_draft_row r set outcome = v.outcome, refusal = v.refusal
     from unnest($4::integer[], $5::text[], $6::text[]) as v (number, outcome, refusal)
    where r.lane = $1 and r.tenant_id = $2 and r.draft_id = $3 and r.number = v.number
      and r.outcome is distinct from 'accepted'`,
)
const putOff = statement(
  'payouts.put_off',
  `update payout_draft set due_at = $4 where lane = $1 and tenant_id = $2 and id = $3 and status = 'approved'`,
)

export type SentRow = { number: number; outcome: 'accepted' | 'refused'; refusal: string | null }

/** `waitsUntil`: the time when rows that could not be decided are tried again. */
export function noteOutcomes(tx: Tx, { tenantId, id }: DraftRow, rows: SentRow[], waitsUntil: Date | null): void {
  if (rows.length > 0)
    tx.send(writeOutcomes, [tx.lane, tenantId, id, ...arraysOf(rows, 'number', 'outcome', 'refusal')])
  if (waitsUntil !== null) tx.send(putOff, [tx.lane, tenantId, id, waitsUntil])
}

const hold = statement(
  'payouts.hold',
  `update payout_draft set held_since = coalesce(held_since, $4), due_at = $5
    where lane = $1 and tenant_id = $2 and id = $3 and status = 'approved'`,
)

/** Called if the balance does not cover the run. A worker tries again at `dueAt`. */
export function holdRun(tx: Tx, { tenantId, id }: DraftRow, now: Date, dueAt: Date): void {
  tx.send(hold, [tx.lane, tenantId, id, now, dueAt])
}

const beginHeld = statement(
  'payouts.begin_held_run',
  `update payout_draft set held_since = null
    where lane = $1 and tenant_id = $2 and id = $3 and status = 'approved' and held_since is not null returning 1 as one`,
)

/** Returns false if a person took the run back while it waited for the balance, or another worker began it. */
export async function beginHeldRun(tx: Tx, { tenantId, id }: DraftRow): Promise<boolean> {
  return (await tx.query(beginHeld, [tx.lane, tenantId, id])).length === 1
}

const finish = statement(
  'payouts.finish',
  `update payout_draft d set status = 'done', completed_at = $4, due_at = null
    where d.lane = $1 and d.tenant_id = $2 and d.id = $3 and d.status = 'approved'
      and not exists (select 1 from payout_draft_row r
                       where r.lane = $1 and r.tenant_id = $2 and r.draft_id = $3 and r.outcome is null)`,
)

export function finishDraft(tx: Tx, { tenantId, id }: DraftRow, at: Date): void {
  tx.send(finish, [tx.lane, tenantId, id, at])
}

const stop = statement(
  'payouts.stop',
  `update payout_draft set status = 'rejected', rejected_by = 'manilla', reason = $4, due_at = null
    where lane = $1 and tenant_id = $2 and id = $3 and status = 'approved' returning 1 as one`,
)

/** Returns false if another worker stopped it already. */
export async function stopDraft(tx: Tx, { tenantId, id }: DraftRow, reason: string): Promise<boolean> {
  return (await tx.query(stop, [tx.lane, tenantId, id, reason])).length === 1
}

const oldDrafts = statement(
  'payouts.forget',
  `with old as materialized (
     select tenant_id, id from payout_draft
      where lane = $1 and greatest(created_at, expires_at, decided_at, completed_at) < $2 and status <> 'approved'
        and due_at is null limit $3)
   delete from payout_draft d using old where d.lane = $1 and d.tenant_id = old.tenant_id and d.id = old.id
   returning 1 as one`,
)

/**
 * Deletes drafts with their rows if nothing has happened with them since `before`. The payments of a draft stay. Drafts
 * that are being sent and schedules that run are not deleted.
 */
export async function deleteOldDrafts(lane: InLane, before: Date, limit: number): Promise<number> {
  return (await lane.query(oldDrafts, [lane.lane, before, limit])).length
}
