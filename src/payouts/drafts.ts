// Drafts are payouts that one person proposes and others approve. Neither the maker nor another user with the maker's
// email address can approve a draft (`api/dashboard/permissions.ts` says which roles can). Only the maker edits a
// draft, and only until it is submitted. Approvals are bound to the hash of its rows, and a withdrawn draft loses them.
// send.ts sends approved drafts.

import { recordEntry } from '#audit/record.ts'
import type { Act, Details } from '#audit/entry.ts'
import type { Payments } from '#payments/service.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { formatId, newUuid, type Uuid } from '#platform/ids.ts'
import { add, amountMax, zero, type Currency } from '#platform/money.ts'
import type { UserRole } from '#users/service.ts'
import { lockActor, readRole, type Manager } from '#users/user.ts'
import { cellNames, emptyCells, paymentKindOf, type CellError, type Cells } from './cells.ts'
import {
  cellsOf,
  contentHashOf,
  readDraftRows,
  resolvingAt,
  startDraft,
  sumDetails,
  sumFees,
  sumOf,
  isPayable,
  type NumberedCells,
} from './draft-rows.ts'
import { mailApprovers, needsApproval, readPolicy, waitsForMs } from './policy.ts'
import { approveRecipients } from './recipients.ts'
import {
  changeDraft,
  changeRows,
  countOpenDrafts,
  deleteApprovals,
  deleteDraft,
  deleteRows,
  findDraft,
  findDraftByKey,
  insertApproval,
  listApprovals,
  listRows,
  lockDraft,
  markRetried,
  type DraftRow,
  type DraftStatus,
  type PayoutRow,
  type WrittenRow,
} from './queries.ts'
import { activateSchedule, isSchedule, readTerms, schedulesMax, startSchedule, takeBackSchedule } from './schedules.ts'
import { countSchedules, findSchedule, type ScheduleTerms } from './schedule-queries.ts'

export const rowsMax = 10_000
/** The most drafts of one tenant that are edited or wait for approval. Among more, users could not find one. */
const openDraftsMax = 500

/** The user who acts, with what a draft stores about its maker. */
export type Proposer = { manager: Manager; personId: Uuid; name: string; email: string }

export type DraftDeps = { ctx: Context; payments: Pick<Payments, 'read' | 'feeFor'> }

export type DraftRefusal = { kind: 'not-found' } | { kind: 'not-yours' } | { kind: 'wrong-state'; draft: DraftRow }

type OrRefusal<Outcome> = Outcome | DraftRefusal

export type NewPayouts = { key: string; title: string; currency: Currency; rows: readonly Partial<Cells>[] }

export type CreateOutcome =
  | { kind: 'made'; draft: DraftRow }
  | { kind: 'too-many'; max: number }
  /** The draft that was made with this key has another title, currency or other rows. */
  | { kind: 'key-used' }

/** If there is a draft with this key and the same content, returns it. */
export function createDraft(
  { ctx }: DraftDeps,
  tenant: Tenant,
  person: Proposer,
  { key, title, currency, rows }: NewPayouts,
): Promise<CreateOutcome> {
  return ctx.db.transaction(async (tx): Promise<CreateOutcome> => {
    const cells = rows.map((row, index) => ({ number: index + 1, cells: emptyCells(row) }))
    let earlier = await findDraftByKey(tx, tenant, key)
    if (earlier === undefined) {
      if ((await countOpenDrafts(tx, tenant, openDraftsMax)) >= openDraftsMax)
        return { kind: 'too-many', max: openDraftsMax }
      const draft = await startDraft(ctx, tx, { tenant, person, key, title, currency, retryOf: null }, cells)
      if (draft !== undefined) return { kind: 'made', draft }
      // Another request made the draft after the first query.
      earlier = present(await findDraftByKey(tx, tenant, key), 'a draft has this key')
    }
    const isSame =
      earlier.title === title &&
      earlier.currency === currency &&
      hasCells(await listRows(tx, tenant, earlier.id), cells)
    return isSame ? { kind: 'made', draft: earlier } : { kind: 'key-used' }
  }, tenant.lane)
}

function hasCells(rows: PayoutRow[], wanted: NumberedCells[]): boolean {
  return (
    rows.length === wanted.length &&
    wanted.every(({ number, cells }, index) => {
      const row = rows[index]
      if (row?.number !== number) return false
      const stored = cellsOf(row)
      return cellNames.every((name) => stored[name] === cells[name])
    })
  )
}

/** `change` undefined removes the row. */
export type RowEdit = { number: number; change: Partial<Cells> | undefined }

export function editRow(
  { ctx }: DraftDeps,
  tenant: Tenant,
  person: Proposer,
  id: Uuid,
  { number, change }: RowEdit,
): Promise<OrRefusal<{ kind: 'done' }>> {
  return onOwnDraft(ctx, tenant, person, { id, statuses: ['editing'] }, async (tx, draft) => {
    const before = await listRows(tx, tenant, id)
    if (!before.some((row) => row.number === number)) return { kind: 'not-found' }
    const kept = before.filter((row) => change !== undefined || row.number !== number)
    const cells = kept.map((row) => ({
      number: row.number,
      cells: { ...cellsOf(row), ...(row.number === number ? change : {}) },
    }))
    const after = readDraftRows(tenant, draft, cells, before)
    if (change === undefined) deleteRows(tx, tenant, id, [number])
    changeRows(tx, tenant, id, changedRows(before, after))
    const dueAt = resolvingAt(after, ctx.clock.now())
    changeDraft(tx, tenant, id, { ...sumOf(after), fees: zero, status: 'editing', dueAt })
    return { kind: 'done' }
  })
}

function changedRows(before: PayoutRow[], after: WrittenRow[]): WrittenRow[] {
  const known = new Map(before.map((row) => [row.number, row]))
  return after.filter((row) => {
    const earlier = known.get(row.number)
    return earlier?.cells !== row.cells || earlier.errors !== row.errors || earlier.reference !== row.reference
  })
}

/** Runs `work` with a draft of this person in one of these states, locked until the transaction ends. */
function onOwnDraft<Outcome>(
  ctx: Context,
  tenant: Tenant,
  person: Proposer,
  { id, statuses }: { id: Uuid; statuses: readonly DraftStatus[] },
  work: (tx: Tx, draft: DraftRow) => Promise<OrRefusal<Outcome>>,
): Promise<OrRefusal<Outcome>> {
  return onDraft<Outcome>(ctx, tenant, id, async (tx, draft) => {
    if (draft.makerId !== person.personId) return { kind: 'not-yours' }
    return statuses.includes(draft.status) ? work(tx, draft) : { kind: 'wrong-state', draft }
  })
}

function onDraft<Outcome>(
  ctx: Context,
  tenant: Tenant,
  id: Uuid,
  work: (tx: Tx, draft: DraftRow) => Promise<OrRefusal<Outcome>>,
): Promise<OrRefusal<Outcome>> {
  return ctx.db.transaction(async (tx): Promise<OrRefusal<Outcome>> => {
    const draft = await lockDraft(tx, tenant, id)
    return draft === undefined ? { kind: 'not-found' } : work(tx, draft)
  }, tenant.lane)
}

export type SubmitOutcome =
  | { kind: 'submitted'; draft: DraftRow }
  | { kind: 'empty' }
  /** `count`: all rows that cannot be paid. `first`: at most 100 of them. */
  | { kind: 'wrong-rows'; count: number; first: { number: number; errors: CellError[] }[] }
  | { kind: 'too-large' }
  /** A run of a schedule cannot become a schedule. */
  | { kind: 'is-run' }
  | { kind: 'too-many-schedules'; max: number }

/**
 * Submits a draft to its approvers. If the policy needs none, the draft is sent at once, or, if it is a run of a
 * schedule, at the time of the run. With `terms` the draft becomes a schedule.
 */
export async function submitDraft(
  deps: DraftDeps,
  tenant: Tenant,
  person: Proposer,
  id: Uuid,
  terms?: ScheduleTerms,
): Promise<OrRefusal<SubmitOutcome>> {
  const { ctx } = deps
  const repeats = terms !== undefined && terms.repeats !== 'never'
  const used = repeats ? new Set<string>() : await usedReferences(deps, tenant, await listRows(ctx.db, tenant, id))
  return onOwnDraft<SubmitOutcome>(ctx, tenant, person, { id, statuses: ['editing'] }, async (tx, draft) => {
    const before = await listRows(tx, tenant, id)
    if (before.length === 0) return { kind: 'empty' }
    if (terms !== undefined && draft.scheduleId !== null) return { kind: 'is-run' }
    if (terms !== undefined && (await countSchedules(tx, tenant, schedulesMax)) >= schedulesMax)
      return { kind: 'too-many-schedules', max: schedulesMax }
    const wrong = before.map((row) => ({ number: row.number, errors: errorsAtSubmission(row, used, repeats) }))
    const faulty = wrong.filter(({ errors }) => errors.length > 0)
    if (faulty.length > 0) return { kind: 'wrong-rows', count: faulty.length, first: faulty.slice(0, 100) }
    const rows = before.map((row) => ({ ...row, accountName: row.accountName ?? row.resolvedName }))
    const named = rows.filter((row, index) => row.accountName !== before[index]?.accountName)
    changeRows(tx, tenant, id, named)
    const { total, rows: count } = sumOf(rows)
    const { currency } = draft
    const fees = sumFees(deps.payments, currency, rows)
    if (add(total, fees) > amountMax) return { kind: 'too-large' }
    const nowMs = ctx.clock.now()
    const approvalsNeeded = await approvalsFor(tx, tenant, { ...draft, total }, { terms, nowMs })
    const isApproved = approvalsNeeded === 0
    const now = new Date(nowMs)
    changeDraft(tx, tenant, id, {
      status: isApproved ? 'approved' : 'waiting',
      rows: count,
      total,
      fees,
      submittedAt: now,
      expiresAt: new Date(nowMs + waitsForMs),
      contentHash: contentHashOf(tenant, draft, rows, terms),
      approvalsNeeded,
      decidedAt: isApproved ? now : null,
      dueAt: isApproved ? (terms === undefined ? sendAt(draft, now) : null) : resolvingAt(rows, nowMs),
    })
    if (terms !== undefined) startSchedule(tx, tenant, id, terms, isApproved)
    const sum = sumDetails({ total, currency })
    const details = { ...sum, rows: count, approvals: approvalsNeeded, ...detailsOf(terms) }
    record(ctx, tx, person, { act: terms === undefined ? 'payout.proposed' : 'payout.scheduled', tenant, id, details })
    const { manager, personId: makerId, name: makerName } = person
    const { businessId } = manager
    if (!isApproved)
      await mailApprovers(ctx, tx, tenant, { id, businessId, makerId, makerName, rows: count, total, currency })
    return { kind: 'submitted', draft: present(await findDraft(tx, tenant, id), 'the draft is locked') }
  })
}

/** If people approve each run of a schedule, the schedule itself needs no approval, and each run needs at least one. */
async function approvalsFor(
  tx: Tx,
  tenant: Tenant,
  draft: DraftRow,
  { terms, nowMs }: { terms: ScheduleTerms | undefined; nowMs: number },
): Promise<number> {
  if (terms?.approval === 'each') return 0
  const { policy } = await readPolicy(tx, tenant, nowMs)
  const wanted = needsApproval(policy, draft) ? policy.approvers : 0
  const schedule = draft.scheduleId === null ? undefined : await findSchedule(tx, tenant, draft.scheduleId)
  return schedule?.approval === 'each' ? Math.max(1, wanted) : wanted
}

/**
 * References that users gave and that a payment has already. References that the service made are not checked, because
 * each belongs to one row.
 */
async function usedReferences({ payments }: DraftDeps, tenant: Tenant, rows: PayoutRow[]): Promise<Set<string>> {
  const given = rows.flatMap((row) => (row.reference === null || cellsOf(row).reference === '' ? [] : [row.reference]))
  const kinds = ['bank_transfer', 'momo_transfer', 'momo_collection'] as const
  const found = await Promise.all(
    given.map(async (reference) => {
      const ofKinds = await Promise.all(kinds.map((kind) => payments.read(tenant, kind, reference)))
      return ofKinds.some((payment) => payment !== undefined) ? [reference] : []
    }),
  )
  return new Set(found.flat())
}

function sendAt({ runAt }: DraftRow, now: Date): Date {
  return runAt !== null && runAt > now ? runAt : now
}

function detailsOf(terms: ScheduleTerms | undefined): Details {
  if (terms === undefined) return {}
  const { repeats, approval, firstAt } = terms
  return { repeats, approval, firstAt: firstAt.toISOString() }
}

/** A reference has at most 100 characters, and the reference of a run needs nine of them for its date. */
const repeatedReferenceMax = 91

function errorsAtSubmission(row: PayoutRow, used: Set<string>, repeats: boolean): CellError[] {
  const errors = row.errors === null ? [] : (JSON.parse(row.errors) as CellError[])
  if (row.reference !== null && used.has(row.reference))
    errors.push({ field: 'reference', message: `A payment has the reference ${row.reference} already.` })
  if (repeats && row.reference !== null && row.reference.length > repeatedReferenceMax)
    errors.push({ field: 'reference', message: `Use at most ${repeatedReferenceMax} characters in a schedule.` })
  if (errors.length === 0 && row.accountName === null && row.resolvedName === null)
    errors.push({ field: 'name', message: 'Enter the name: the bank has not confirmed this account.' })
  return errors
}

/** The maker takes a draft back to change it. Its approvals are void, and a schedule stops. */
export function withdrawDraft(
  { ctx }: DraftDeps,
  tenant: Tenant,
  person: Proposer,
  id: Uuid,
): Promise<OrRefusal<{ kind: 'done' }>> {
  return onOwnDraft(ctx, tenant, person, { id, statuses: ['waiting', 'rejected', 'approved'] }, async (tx, draft) => {
    if (draft.status === 'approved' && !isSchedule(draft)) return { kind: 'wrong-state', draft }
    if (isSchedule(draft)) await takeBackSchedule(tx, tenant, id, new Date(ctx.clock.now()))
    deleteApprovals(tx, tenant, id)
    const { rows, total } = draft
    const dueAt = resolvingAt(await listRows(tx, tenant, id), ctx.clock.now())
    changeDraft(tx, tenant, id, { status: 'editing', rows, total, fees: zero, dueAt })
    record(ctx, tx, person, { act: 'payout.withdrawn', tenant, id })
    return { kind: 'done' }
  })
}

export function discardDraft(
  { ctx }: DraftDeps,
  tenant: Tenant,
  person: Proposer,
  id: Uuid,
): Promise<OrRefusal<{ kind: 'done' }>> {
  return onOwnDraft(ctx, tenant, person, { id, statuses: ['editing'] }, async (tx, draft) => {
    deleteDraft(tx, tenant, draft)
    record(ctx, tx, person, { act: 'payout.discarded', tenant, id, details: { rows: draft.rows } })
    return { kind: 'done' }
  })
}

/** `roles`: the roles that may approve here. */
export type Approver = Proposer & { roles: readonly UserRole[] }

export type DecisionOutcome =
  | { kind: 'approved'; draft: DraftRow }
  | { kind: 'rejected' }
  | { kind: 'not-allowed' }
  | { kind: 'own-draft' }
  | { kind: 'expired' }
  | { kind: 'changed' }

/**
 * Adds an approval. The last one that is needed sends the draft, or starts the schedule. `hash`: the content that the
 * approver was shown. A second approval of the same person changes nothing.
 */
export function approveDraft(
  deps: DraftDeps,
  tenant: Tenant,
  approver: Approver,
  id: Uuid,
  hash: Buffer,
): Promise<OrRefusal<DecisionOutcome>> {
  const { ctx } = deps
  return onDecision(deps, tenant, approver, id, async (tx, draft) => {
    const { personId, name: personName } = approver
    const { contentHash } = draft
    if (contentHash === null) return { kind: 'wrong-state', draft }
    const approvals = (await listApprovals(tx, tenant, [id])).filter((one) => one.contentHash.equals(contentHash))
    const isAgain = approvals.some((one) => one.personId === personId)
    if (!hash.equals(contentHash)) return { kind: 'changed' }
    if (isAgain && draft.status !== 'rejected') return { kind: 'approved', draft }
    const refused = requireWaiting(ctx, draft)
    if (refused !== undefined) return refused
    const rows = await listRows(tx, tenant, id)
    const schedule = await readTerms(tx, tenant, draft)
    if (!contentHashOf(tenant, draft, rows, schedule).equals(hash)) return { kind: 'changed' }
    const nowMs = ctx.clock.now()
    const now = new Date(nowMs)
    const { policy } = await readPolicy(tx, tenant, nowMs)
    const strict = needsApproval(policy, draft) ? policy.approvers : 0
    const approvalsNeeded = Math.max(draft.approvalsNeeded ?? 0, strict)
    const count = (await stillAllowed(tx, approver, approvals)) + 1
    const isApproved = count >= approvalsNeeded
    insertApproval(tx, tenant, draft, { personId, personName, contentHash, createdAt: now })
    if (isApproved) approveRecipients(tx, tenant, rows.filter(isPayable), now)
    const dueAt = schedule === undefined ? sendAt(draft, now) : null
    const decided = isApproved ? { status: 'approved' as const, decidedAt: now, dueAt } : undefined
    if (isApproved && schedule !== undefined) activateSchedule(tx, tenant, schedule)
    changeDraft(tx, tenant, id, { ...draft, dueAt: now, approvalsNeeded, ...decided })
    const details = { ...sumDetails(draft), rows: draft.rows, hash: hash.toString('hex'), approval: count }
    record(ctx, tx, approver, { act: 'payout.approved', tenant, id, details })
    return { kind: 'approved', draft: present(await findDraft(tx, tenant, id), 'the draft is locked') }
  })
}

/** Counts the approvals of people whose present role may approve. A person who left the business does not count. */
async function stillAllowed(tx: Tx, { manager, roles }: Approver, approvals: { personId: Uuid }[]): Promise<number> {
  let count = 0
  for (const { personId } of approvals) {
    const role = await readRole(tx, manager.businessId, personId)
    if (role !== undefined && roles.includes(role)) count++
  }
  return count
}

export function rejectDraft(
  deps: DraftDeps,
  tenant: Tenant,
  approver: Approver,
  id: Uuid,
  reason: string,
): Promise<OrRefusal<DecisionOutcome>> {
  const { ctx } = deps
  return onDecision(deps, tenant, approver, id, async (tx, draft) => {
    const refused = requireWaiting(ctx, draft)
    if (refused !== undefined) return refused
    const decidedAt = new Date(ctx.clock.now())
    const rejectedBy = approver.name
    changeDraft(tx, tenant, id, { ...draft, status: 'rejected', decidedAt, rejectedBy, reason, dueAt: null })
    record(ctx, tx, approver, { act: 'payout.rejected', tenant, id, details: { reason } })
    return { kind: 'rejected' }
  })
}

function requireWaiting(ctx: Context, draft: DraftRow): { kind: 'expired' } | DraftRefusal | undefined {
  if (draft.status !== 'waiting') return { kind: 'wrong-state', draft }
  return isExpired(draft, ctx.clock.now()) ? { kind: 'expired' } : undefined
}

export function isExpired({ status, expiresAt }: Pick<DraftRow, 'status' | 'expiresAt'>, nowMs: number): boolean {
  return status === 'waiting' && (expiresAt?.getTime() ?? 0) <= nowMs
}

/** Locks the approver's role first, then the draft. Makers never decide on their own drafts. */
function onDecision(
  { ctx }: DraftDeps,
  tenant: Tenant,
  approver: Approver,
  id: Uuid,
  work: (tx: Tx, draft: DraftRow) => Promise<OrRefusal<DecisionOutcome>>,
): Promise<OrRefusal<DecisionOutcome>> {
  return ctx.db.transaction(async (tx): Promise<OrRefusal<DecisionOutcome>> => {
    const role = await lockActor(tx, approver.manager)
    if (role === undefined || role === 'terminal' || !approver.roles.includes(role)) return { kind: 'not-allowed' }
    const draft = await lockDraft(tx, tenant, id)
    if (draft === undefined) return { kind: 'not-found' }
    // Several accounts may share an address; they count as one person.
    if (draft.makerId === approver.personId || draft.makerEmail === approver.email) return { kind: 'own-draft' }
    return work(tx, draft)
  }, tenant.lane)
}

export type RepeatOutcome = { kind: 'made'; draft: DraftRow } | { kind: 'nothing' }

/**
 * Copies the failed rows into a new draft, each row once. A row that was refused keeps its reference, so it is never
 * paid under two references. A payment that failed is final, so its row gets a new reference.
 */
export async function retryFailed(
  { ctx, payments }: DraftDeps,
  tenant: Tenant,
  person: Proposer,
  id: Uuid,
): Promise<OrRefusal<RepeatOutcome>> {
  const seen = await listRows(ctx.db, tenant, id)
  const failed = new Set<string>()
  await Promise.all(
    seen.map(async ({ outcome, kind, reference }) => {
      if (outcome !== 'accepted' || reference === null) return
      const payment = await payments.read(tenant, paymentKindOf(kind), reference)
      if (payment?.status === 'FAILED') failed.add(reference)
    }),
  )
  return onDraft<RepeatOutcome>(ctx, tenant, id, async (tx, draft) => {
    if (draft.status !== 'done') return { kind: 'wrong-state', draft }
    const rows = (await listRows(tx, tenant, id)).filter(
      ({ outcome, reference, retriedIn }) =>
        retriedIn === null && (outcome === 'refused' || (reference !== null && failed.has(reference))),
    )
    if (rows.length === 0) return { kind: 'nothing' }
    const cells = rows.map((row, index) => ({
      number: index + 1,
      cells: { ...cellsOf(row), reference: row.outcome === 'refused' ? (row.reference ?? '') : '' },
    }))
    const key = `retry-${newUuid(ctx.clock.now())}`
    const title = `Failed rows of ${draft.title}`.slice(0, 100)
    const { currency } = draft
    const start = { tenant, person, key, title, currency, retryOf: id }
    const made = present(await startDraft(ctx, tx, start, cells), 'the key is new')
    markRetried(
      tx,
      tenant,
      id,
      rows.map(({ number }) => number),
      made.id,
    )
    return { kind: 'made', draft: made }
  })
}

type DraftAct = { act: Act; tenant: Tenant; id: Uuid; details?: Details }

function record(ctx: Context, tx: Tx, { manager }: Proposer, { act, tenant, id, details = {} }: DraftAct): void {
  const subject = formatId('payoutDraft', id)
  recordEntry(tx, ctx.clock.now(), { by: manager.by, act, tenantId: tenant.id, subject, details })
}
