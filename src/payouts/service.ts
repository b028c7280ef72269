// Payouts that people propose in the dashboard: the approval policy, drafts, schedules, saved recipients, receipt
// links, and the sending of approved drafts.

import type { Payments } from '#payments/service.ts'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { add, type Currency, type Money } from '#platform/money.ts'
import {
  approveDraft,
  createDraft,
  discardDraft,
  editRow,
  rejectDraft,
  retryFailed,
  submitDraft,
  withdrawDraft,
  type Approver,
  type DraftDeps,
  type NewPayouts,
  type Proposer,
  type DraftRefusal,
  type RowEdit,
  type SubmitOutcome,
} from './drafts.ts'
import {
  sumFees,
  countDuplicates,
  payeeKey,
  reviewRows,
  type FindEarlierPayouts,
  type ReviewedRow,
} from './draft-rows.ts'
import { confirmPolicy, needsApproval, readPolicy, setPolicy, type Owner, type PayoutPolicy } from './policy.ts'
import {
  deleteOldDrafts,
  findDraft,
  listApprovals,
  listDraftRows,
  listRows,
  readProgress,
  type ApprovalRow,
  type DraftQuestion,
  type DraftRow,
  type PayoutRow,
  type Progress,
} from './queries.ts'
import {
  importRecipients,
  type RecipientCells,
  changeRecipient,
  listRecipients,
  listTags,
  recipientsMax,
  removeRecipient,
  saveRecipient,
  type Recipient,
  type RecipientChange,
  type RecipientFields,
  type RecipientQuestion,
} from './recipients.ts'
import { createReceiptLinks } from './receipt-links.ts'
import {
  findRunToTakeBack,
  findSchedule,
  listOpenRuns,
  listStoppedRuns,
  listSchedules,
  type ListedSchedule,
  type OpenRun,
  type ScheduleRow,
  type ScheduleTerms,
} from './schedule-queries.ts'
import { actOnSchedule, createScheduleWork, isSchedule, lateMs, type ScheduleRequest, runsBefore } from './schedules.ts'
import { createPayoutWork, type SendDeps } from './send.ts'
import { createRecipientWork } from './verify-recipients.ts'

export type { ApprovalRow, DraftRow, Progress } from './queries.ts'
export type { ReceiptLink } from './receipt-links.ts'
export type { ScheduleRow, ScheduleTerms } from './schedule-queries.ts'

export type ListedRecipient = Recipient & { lastPaidAt: Date | null }
export type DraftWithApprovals = DraftRow & { approvals: ApprovalRow[] }
export type DraftDetail = {
  /** `skipAt`: the run that a person skips next. */
  schedule: (ScheduleRow & { skipAt: Date | null; openRuns: OpenRun[] }) | undefined
  draft: DraftWithApprovals
  rows: ReviewedRow[]
  progress: Progress[]
}

export type PayoutDeps = SendDeps & { findEarlier: FindEarlierPayouts }

export type Payouts = ReturnType<typeof createPayouts>

export function createPayouts(deps: PayoutDeps) {
  const { ctx } = deps
  const drafts: DraftDeps = deps
  const policyOf = (tenant: Tenant) => readPolicy(ctx.db, tenant, ctx.clock.now())

  return {
    policy: policyOf,
    setPolicy: (tenant: Tenant, owner: Owner, policy: PayoutPolicy) => setPolicy(ctx, tenant, owner, policy),
    confirmPolicy: (tenant: Tenant, owner: Owner, shown: PayoutPolicy) => confirmPolicy(ctx, tenant, owner, shown),
    /** Returns the policy if a payout of this total must be approved by another person. */
    async approvalFor(tenant: Tenant, total: Money, currency: Currency): Promise<PayoutPolicy | undefined> {
      const { policy } = await policyOf(tenant)
      return needsApproval(policy, { total, currency }) ? policy : undefined
    },
    create: (tenant: Tenant, person: Proposer, asked: NewPayouts) => createDraft(drafts, tenant, person, asked),
    async list(tenant: Tenant, question: DraftQuestion): Promise<DraftWithApprovals[]> {
      const found = await listDraftRows(ctx.db, tenant, question)
      const approvals = await listApprovals(
        ctx.db,
        tenant,
        found.map(({ id }) => id),
      )
      return found.map((draft) => ({ ...draft, approvals: approvals.filter(({ draftId }) => draftId === draft.id) }))
    },
    draft: (tenant: Tenant, id: Uuid) => readDraft(deps, tenant, id),
    rows: (tenant: Tenant, id: Uuid) => readReviewed(deps, tenant, id),
    detail: (tenant: Tenant, id: Uuid) => readDetail(deps, tenant, id),
    edit: (tenant: Tenant, person: Proposer, id: Uuid, edit: RowEdit) => editRow(drafts, tenant, person, id, edit),
    /** `confirmed`: how many rows the person was shown as possible duplicates, which pay an account twice. */
    async submit(
      tenant: Tenant,
      person: Proposer,
      id: Uuid,
      confirmed: number,
      terms?: ScheduleTerms,
    ): Promise<SubmitOutcome | DraftRefusal | { kind: 'unconfirmed'; duplicates: number }> {
      const found = countDuplicates((await readReviewed(deps, tenant, id)) ?? [])
      if (found !== confirmed) return { kind: 'unconfirmed', duplicates: found }
      return submitDraft(drafts, tenant, person, id, terms)
    },
    withdraw: (tenant: Tenant, person: Proposer, id: Uuid) => withdrawDraft(drafts, tenant, person, id),
    discard: (tenant: Tenant, person: Proposer, id: Uuid) => discardDraft(drafts, tenant, person, id),
    approve: (tenant: Tenant, approver: Approver, id: Uuid, hash: Buffer) =>
      approveDraft(drafts, tenant, approver, id, hash),
    reject: (tenant: Tenant, approver: Approver, id: Uuid, reason: string) =>
      rejectDraft(drafts, tenant, approver, id, reason),
    retryFailed: (tenant: Tenant, person: Proposer, id: Uuid) => retryFailed(drafts, tenant, person, id),
    ...recipientsOf(deps),
    ...schedulesOf(deps),
    ...createReceiptLinks(deps),
    work: createPayoutWork(deps),
    /** Deletes at most `limit` drafts with which nothing has happened for `days`. */
    forget: (lane: number, days: number, limit: number) =>
      deleteOldDrafts(inLane(ctx.db, lane), new Date(ctx.clock.now() - days * dayMs), limit),
  }
}

async function readDraft(
  { ctx, payments }: PayoutDeps,
  tenant: Tenant,
  id: Uuid,
): Promise<DraftWithApprovals | undefined> {
  const [draft, approvals] = await Promise.all([findDraft(ctx.db, tenant, id), listApprovals(ctx.db, tenant, [id])])
  if (draft === undefined) return undefined
  const rows = draft.status === 'editing' ? await listRows(ctx.db, tenant, id) : []
  return { ...draft, fees: feesOf(payments, draft, rows), approvals }
}

async function readReviewed(deps: PayoutDeps, tenant: Tenant, id: Uuid): Promise<ReviewedRow[] | undefined> {
  const draft = await findDraft(deps.ctx.db, tenant, id)
  return draft === undefined ? undefined : review(deps, tenant, draft, await listRows(deps.ctx.db, tenant, id))
}

async function readDetail(deps: PayoutDeps, tenant: Tenant, id: Uuid): Promise<DraftDetail | undefined> {
  const { ctx, payments } = deps
  const draft = await findDraft(ctx.db, tenant, id)
  if (draft === undefined) return undefined
  const [rows, schedule, approvals, progress] = await Promise.all([
    listRows(ctx.db, tenant, id),
    isSchedule(draft) ? readShownSchedule(deps, tenant, id) : undefined,
    listApprovals(ctx.db, tenant, [id]),
    readProgress(ctx.db, tenant, id),
  ])
  const fees = feesOf(payments, draft, rows)
  return { schedule, draft: { ...draft, fees, approvals }, rows: await review(deps, tenant, draft, rows), progress }
}

async function readShownSchedule({ ctx }: PayoutDeps, tenant: Tenant, id: Uuid): Promise<DraftDetail['schedule']> {
  const schedule = await findSchedule(ctx.db, tenant, id)
  if (schedule === undefined) return undefined
  const [drafted, runs] = await Promise.all([
    findRunToTakeBack(ctx.db, tenant, id, new Date(ctx.clock.now())),
    readOpenRuns(ctx, tenant),
  ])
  const openRuns = runs.filter(({ scheduleId }) => scheduleId === id)
  return { ...schedule, skipAt: drafted ?? schedule.nextAt, openRuns }
}

/** Unsent runs of the last three days, and all later ones. Older unsent runs are listed only among the drafts. */
function readOpenRuns({ db, clock }: PayoutDeps['ctx'], tenant: Tenant): Promise<OpenRun[]> {
  return listOpenRuns(db, tenant, new Date(clock.now() - 3 * lateMs), schedulesListed)
}

/** The fees are stored when the draft is submitted, and until then computed from its rows. */
function feesOf(payments: Payments, { status, fees, currency }: DraftRow, rows: PayoutRow[]): Money {
  return status === 'editing' ? sumFees(payments, currency, rows) : fees
}

async function review(deps: PayoutDeps, tenant: Tenant, draft: DraftRow, rows: PayoutRow[]): Promise<ReviewedRow[]> {
  const isOpen = draft.status === 'editing' || draft.status === 'waiting'
  return isOpen ? reviewRows(deps, tenant, draft, rows) : rows.map((row) => ({ ...row, flags: [] }))
}

export type Schedule = ListedSchedule & { openRuns: OpenRun[] }

/** An upcoming run. `draft` is undefined until a draft was made for it. */
export type ForecastRun = {
  schedule: Uuid
  draft: Uuid | undefined
  title: string
  at: Date
  amount: Money
  currency: Currency
}

const schedulesListed = 300
/** How long people are told of a run that was not sent. */
const stoppedShownMs = 30 * dayMs

function schedulesOf({ ctx }: PayoutDeps) {
  const openRuns = (tenant: Tenant) => readOpenRuns(ctx, tenant)
  return {
    openRuns,
    stoppedRuns: (tenant: Tenant) =>
      listStoppedRuns(ctx.db, tenant, new Date(ctx.clock.now() - stoppedShownMs), schedulesListed),
    async schedules(tenant: Tenant, withEnded: boolean): Promise<Schedule[]> {
      const [found, runs] = await Promise.all([
        listSchedules(ctx.db, tenant, { withEnded, limit: schedulesListed }),
        openRuns(tenant),
      ])
      return found.map((one) => ({ ...one, openRuns: runs.filter(({ scheduleId }) => scheduleId === one.draftId) }))
    },
    actOnSchedule: (tenant: Tenant, person: Proposer, id: Uuid, request: ScheduleRequest) =>
      actOnSchedule(ctx, tenant, person, id, request),
    /** The payouts of the next days, the earliest first: runs that have a draft, and runs that have none yet. */
    async forecast(tenant: Tenant, days: number): Promise<ForecastRun[]> {
      const nowMs = ctx.clock.now()
      const until = new Date(nowMs + days * dayMs)
      const [schedules, runs] = await Promise.all([
        listSchedules(ctx.db, tenant, { withEnded: false, limit: schedulesListed }),
        openRuns(tenant),
      ])
      const drafted = runs
        .filter(({ status, runAt }) => status !== 'editing' && runAt < until)
        .map(({ id, scheduleId, title, runAt, total, fees, currency }) => ({
          schedule: scheduleId,
          draft: id,
          title,
          at: runAt,
          amount: add(total, fees),
          currency,
        }))
      const coming = schedules
        .filter(({ state }) => state === 'active')
        .flatMap(({ nextAt, draftId, title, total, fees, currency, ...terms }) =>
          (nextAt === null ? [] : runsBefore(terms, nextAt, until)).map((at) => ({
            schedule: draftId,
            draft: undefined,
            title,
            at,
            amount: add(total, fees),
            currency,
          })),
        )
      return [...drafted, ...coming].toSorted((left, right) => left.at.getTime() - right.at.getTime())
    },
    runSchedules: createScheduleWork(ctx),
  }
}

function recipientsOf(deps: PayoutDeps) {
  const { ctx, findEarlier } = deps
  return {
    async recipients(tenant: Tenant, { limit, paid, ...question }: RecipientQuestion): Promise<ListedRecipient[]> {
      // A recipient has no column for its last payment, so a filter by it reads all recipients.
      const found = await listRecipients(ctx, tenant, { ...question, limit: paid === null ? limit : recipientsMax })
      const earlier = await findEarlier(tenant, found)
      const since = new Date(ctx.clock.now() - paidLatelyMs)
      return found
        .map((recipient) => ({ ...recipient, lastPaidAt: earlier.get(payeeKey(recipient))?.[0]?.at ?? null }))
        .filter(({ lastPaidAt }) => paid === null || paid === paidWhen(lastPaidAt, since))
        .slice(0, limit)
    },
    recipientTags: (tenant: Tenant) => listTags(ctx, tenant),
    importRecipients: (
      tenant: Tenant,
      person: Proposer,
      cells: readonly RecipientCells[],
      currencies: readonly Currency[],
    ) => importRecipients(ctx, tenant, person, cells, currencies),
    verifyRecipients: createRecipientWork(deps),
    saveRecipient: (tenant: Tenant, person: Proposer, fields: RecipientFields) =>
      saveRecipient(deps, tenant, person, fields),
    changeRecipient: (tenant: Tenant, person: Proposer, id: Uuid, change: RecipientChange) =>
      changeRecipient(deps, tenant, person, id, change),
    removeRecipient: (tenant: Tenant, person: Proposer, which: { id: Uuid; shown: RecipientFields }) =>
      removeRecipient(ctx, tenant, person, which),
  }
}

const paidLatelyMs = 90 * dayMs

function paidWhen(at: Date | null, since: Date): 'never' | 'lately' | 'not-lately' {
  if (at === null) return 'never'
  return at >= since ? 'lately' : 'not-lately'
}
