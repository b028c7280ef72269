// Payout drafts that people propose and others approve, and the approval policy.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { Currency } from './schema.ts'
import type { ShownTerms } from './schedules.ts'

/**
 * In the mode `above`, a payout above the limit of its currency needs approval. `above` is the limit for naira, and
 * `aboveIn` has the limits for other currencies. In a currency without a limit, every payout needs approval.
 */
export type Policy = {
  mode: 'off' | 'above' | 'every'
  above: number | null
  aboveIn?: Partial<Record<Currency, number>>
  approvers: 1 | 2
}

export type PolicyNow = {
  policy: Policy
  /** A weaker policy that another owner must confirm. */
  proposal: { policy: Policy; by: string; isYours: boolean; at: string; expiresAt: string } | null
}

export function policyQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payout-policy'],
    queryFn: async ({ signal }) => (await ask<PolicyNow>(under(place, 'payout-policy'), { signal })).data,
  })
}

export async function setPolicy(place: Place, policy: Policy): Promise<PolicyNow> {
  return (await ask<PolicyNow>(under(place, 'payout-policy'), { method: 'PATCH', body: policy })).data
}

export async function confirmPolicy(place: Place, policy: Policy): Promise<void> {
  await ask(under(place, 'payout-policy/confirm'), { method: 'POST', body: policy })
}

/** Decides only what the button says: the server decides about the payout when it is sent. */
export function needsApproval({ mode, above, aboveIn }: Policy, amount: number, currency: Currency = 'NGN'): boolean {
  if (mode !== 'above') return mode === 'every'
  const most = currency === 'NGN' ? above : (aboveIn?.[currency] ?? null)
  return most === null || amount > most
}

export type DraftStatus = 'editing' | 'waiting' | 'expired' | 'approved' | 'done' | 'rejected'

export type Draft = {
  id: string
  title: string
  status: DraftStatus
  maker: string
  isYours: boolean
  rows: number
  currency: Currency
  total: number
  fees: number
  createdAt: string
  submittedAt: string | null
  expiresAt: string | null
  decidedAt: string | null
  completedAt: string | null
  approvalsNeeded: number | null
  approvals: { name: string; isYours: boolean; at: string }[]
  rejectedBy: string | null
  reason: string | null
  hash: string | null
  /** This draft's own id if it is a schedule; the id of the schedule if it is a run of one. */
  scheduleId: string | null
  runAt: string | null
  /** The first time that the balance did not cover this run; null if that never happened. */
  heldSince: string | null
}

/** An approved schedule, or an approved run before its time, is shown as `scheduled`, because it is not being sent. */
export function shownStatus({ id, status, scheduleId, runAt }: Draft, nowMs: number): string {
  if (status !== 'approved') return status
  return scheduleId === id || (runAt !== null && Date.parse(runAt) > nowMs) ? 'scheduled' : status
}

export type DraftDetail = Draft & {
  wrongRows: number
  namesDue: number
  largest: number
  flags: Partial<Record<FlagKind, number>>
  progress: { outcome: 'unsent' | 'accepted' | 'refused'; status: string | null; count: number; amount: number }[]
  /** Null: this person may not see the balance. */
  available: number | null
  /** `skipAt`: the run that a person skips next. */
  schedule: (ShownTerms & { skipAt: string | null }) | null
}

export const cellNames = ['name', 'bank', 'account', 'amount', 'narration', 'reference', 'currency'] as const
export type CellName = (typeof cellNames)[number]
export type Cells = Record<CellName, string>

export type DraftRow = {
  number: number
  cells: Cells
  kind: 'bank' | 'wallet'
  amount: number | null
  institution: string | null
  accountNumber: string | null
  accountName: string | null
  narration: string | null
  reference: string | null
  errors: { field: CellName; message: string; offers?: string[] }[]
  resolution: 'due' | 'resolved' | 'not-found' | 'unavailable' | 'none'
  resolvedName: string | null
  outcome: 'accepted' | 'refused' | null
  refusal: string | null
  flags: { kind: FlagKind; says: string; reference?: string }[]
  retriedIn: string | null
}

export type DraftView = 'waiting' | 'mine' | 'decided'

/** The list is read again this often, because other people submit and decide at the same time. */
const listedMs = 10_000

export function draftsQuery(place: Place, view: DraftView) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payout-drafts', 'list', view],
    queryFn: async ({ signal }) =>
      (await ask<{ drafts: Draft[] }>(under(place, 'payout-drafts'), { query: { view }, signal })).data.drafts,
    refetchInterval: listedMs,
  })
}

/**
 * The page reads a draft again this often while a worker changes it, because workers do not report their changes to the
 * page.
 */
const workedOnMs = 2_000

export function draftQuery(place: Place, id: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payout-drafts', id],
    queryFn: async ({ signal }) => (await ask<DraftDetail>(pathOf(place, id), { signal })).data,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (isWorkedOn(data) || isMoving(data)) ? workedOnMs : false,
  })
}

function isWorkedOn({ status, schedule, namesDue }: DraftDetail): boolean {
  // Workers ask banks for the names of payees only until the draft is sent.
  return status === 'approved' ? schedule === null : status !== 'done' && namesDue > 0
}

export function isMoving({ progress }: DraftDetail): boolean {
  return progress.some(({ status }) => status === 'queued')
}

export type FlagKind =
  | 'duplicate-payment'
  | 'duplicate-in-draft'
  | 'duplicate-in-other-draft'
  | 'name-differs'
  | 'name-unknown'
  | 'name-changed'
  | 'recipient-changed'
  | 'amount-higher'
  | 'first-payout'
export type RowFilter = 'errors' | 'flags' | 'refused' | FlagKind
export const rowsPerPage = 100

export function draftRowsQuery(place: Place, draft: DraftDetail, only: RowFilter | undefined, page: number) {
  // The rows change when the draft's counts do, so the counts are a part of the query key.
  const { id, wrongRows, namesDue, rows, status, progress, hash } = draft
  const version = [status, wrongRows, namesDue, rows, hash, progress.map(({ count }) => count).join('-')]
  const query = { only, offset: (page - 1) * rowsPerPage, limit: rowsPerPage }
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payout-drafts', id, 'rows', query, version],
    queryFn: async ({ signal }) =>
      (await ask<{ total: number; rows: DraftRow[] }>(`${pathOf(place, id)}/rows`, { query, signal })).data,
    placeholderData: keepPreviousData,
  })
}

const rowsPerAnswerMax = 500

export async function listWrongRows(place: Place, { id, wrongRows }: DraftDetail): Promise<DraftRow[]> {
  const rows: DraftRow[] = []
  for (let offset = 0; offset < wrongRows; offset += rowsPerAnswerMax) {
    const query = { only: 'errors', offset, limit: rowsPerAnswerMax }
    rows.push(...(await ask<{ rows: DraftRow[] }>(`${pathOf(place, id)}/rows`, { query })).data.rows)
  }
  return rows
}

export type NewDraft = {
  title: string
  /** If it is absent, the currency is that of the first row that names one, or naira. */
  currency?: Currency
  rows: Partial<Cells>[]
  submit?: boolean
  confirmedDuplicates?: number
}

/** `key`: a repeated call with the same key and content makes no second draft. */
export async function createDraft(place: Place, key: string, draft: NewDraft): Promise<Draft> {
  return (await ask<Draft>(under(place, 'payout-drafts'), { method: 'POST', body: { key, ...draft } })).data
}

/** True if an earlier call with the same key made a draft with other content. */
export function isKeyUsed(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 'CONFLICT' && error.details.some(({ field }) => field === 'key')
}

export async function editRow(place: Place, id: string, row: number, body: Partial<Cells>): Promise<void> {
  await ask(`${pathOf(place, id)}/rows/${row}`, { method: 'PATCH', body })
}

export async function removeRow(place: Place, id: string, row: number): Promise<void> {
  await ask(`${pathOf(place, id)}/rows/${row}`, { method: 'DELETE' })
}

export async function submitDraft(place: Place, id: string, confirmedDuplicates = 0): Promise<Draft> {
  return (await ask<Draft>(`${pathOf(place, id)}/submit`, { method: 'POST', body: { confirmedDuplicates } })).data
}

export async function approveDraft(place: Place, id: string, hash: string): Promise<Draft> {
  return (await ask<Draft>(`${pathOf(place, id)}/approve`, { method: 'POST', body: { hash } })).data
}

export async function rejectDraft(place: Place, id: string, reason: string): Promise<void> {
  await ask(`${pathOf(place, id)}/reject`, { method: 'POST', body: { reason } })
}

export async function withdrawDraft(place: Place, id: string): Promise<void> {
  await ask(`${pathOf(place, id)}/withdraw`, { method: 'POST' })
}

export async function discardDraft(place: Place, id: string): Promise<void> {
  await ask(pathOf(place, id), { method: 'DELETE' })
}

export async function retryDraft(place: Place, id: string): Promise<Draft> {
  return (await ask<Draft>(`${pathOf(place, id)}/retry`, { method: 'POST' })).data
}

/** The number of rows that may pay an account twice. Undefined: the call failed for another reason. */
export function duplicatesOf(error: unknown): number | undefined {
  if (!(error instanceof ApiFailure) || error.code !== 'SECOND_PAYOUT') return undefined
  const count = error.details.find(({ field }) => field === 'confirmedDuplicates')?.message
  return count === undefined ? undefined : Number(count)
}

function pathOf(place: Place, id: string): string {
  return under(place, `payout-drafts/${encodeURIComponent(id)}`)
}
