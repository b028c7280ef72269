// The endpoints for payout drafts. One person, the maker, proposes the payouts of a draft; the approvers that the
// policy requires, if any, approve it. Then the draft is sent once or, if it is a schedule, copied to a new draft for
// each run.

import { z } from 'zod'
import { judge } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type AnyInput, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { currencyName, requireId, text, validationError } from '#api/server/fields.ts'
import { currencyOff } from '#api/v1/payments.ts'
import { readCurrencies } from '#businesses/currencies.ts'
import { listOperators } from '#directory/operators.ts'
import { cellNames, currencyOfRows, type CellError, type Cells } from '#payouts/cells.ts'
import { cellsOf, flagKinds, type ReviewedRow } from '#payouts/draft-rows.ts'
import { isExpired, rowsMax, type Approver, type Proposer, type DraftRefusal } from '#payouts/drafts.ts'
import type { DraftDetail, DraftWithApprovals, Payouts, ScheduleTerms } from '#payouts/service.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, parseId, type Uuid } from '#platform/ids.ts'
import { amountMax, toWire, zero, type Currency } from '#platform/money.ts'
import { roles, type SignedIn, type UserRole } from '#users/service.ts'
import { shownTerms } from './schedule-terms.ts'

const path = '/dashboard/api/b/:business/:environment/payout-drafts'
const idParams = z.object({ id: z.string() })
const rowParams = z.object({ id: z.string(), number: z.coerce.number().int().min(1).max(rowsMax).catch(0) })

const cell = z.string('must be a string').max(300, 'must have at most 300 characters')
const cells = z.object(Object.fromEntries(cellNames.map((name) => [name, cell.optional()]))) as z.ZodType<
  Partial<Cells>
>

/** Enough for ten thousand rows with long names. */
const bodyBytesMax = 4 * 1024 * 1024
const pageMax = 500
const listMax = 50

export type DraftPlace = { business: Uuid; tenant: Tenant; role: UserRole; person: SignedIn } & Pick<AnyInput, 'by'>

export function personOf({ business, person: { person }, by }: DraftPlace): Proposer {
  const { id: personId, name, email } = person
  return { manager: { businessId: business, personId, by: by() }, personId, name, email }
}

function approverOf(place: DraftPlace): Approver {
  const { environment } = place.tenant
  return { ...personOf(place), roles: roles.filter((role) => judge('payouts.approve', role, environment) !== 'no') }
}

export function draftEndpoints(parts: Pick<EndpointParts, 'ctx' | 'rooms'>): DashboardEndpoint[] {
  const { payouts } = parts.rooms
  return [
    ...readEndpoints(parts),
    ...editEndpoints(parts, payouts),
    ...wholeDraftEndpoints(parts, payouts),
    ...decisionEndpoints(parts, payouts),
  ]
}

function readEndpoints({ ctx, rooms: { payouts, ledger } }: Pick<EndpointParts, 'ctx' | 'rooms'>) {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'payments.see',
      query: z.object({
        view: z.enum(['waiting', 'mine', 'decided'], 'must be waiting, mine or decided').default('waiting'),
        before: z.string().optional(),
      }),
      handle: async ({ tenant, person, query }) => {
        const before = query.before === undefined ? null : (parseId('payoutDraft', query.before) ?? null)
        const makerId = query.view === 'mine' ? person.person.id : null
        const found = await payouts.list(tenant, { statuses: views[query.view], makerId, before, limit: listMax })
        return { data: { drafts: found.map((draft) => shownDraft(draft, person, ctx.clock.now())) } }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: `${path}/:id`,
      permission: 'payments.see',
      params: idParams,
      handle: async ({ tenant, person, role, params }) => {
        const detail = await detailOf(payouts, tenant, params.id)
        const seesBalance = judge('balance.see', role, tenant.environment) === 'yes'
        const balances = seesBalance ? await ledger.balances(tenant) : []
        const available = balances.find(({ currency }) => currency === detail.draft.currency)?.available
        return {
          data: {
            ...shownDraft(detail.draft, person, ctx.clock.now()),
            ...shownReview(detail, ctx.clock.now()),
            available: available === undefined ? null : toWire(available),
          },
        }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: `${path}/:id/rows`,
      permission: 'payments.see',
      params: idParams,
      query: z.object({
        only: z.enum(shownParts, `must be one of ${shownParts.join(', ')}`).optional(),
        offset: z.coerce.number('must be a number').int().min(0).max(rowsMax).default(0),
        limit: z.coerce.number('must be a number').int().min(1).max(pageMax).default(100),
      }),
      handle: async ({ tenant, params, query: { only, offset, limit } }) => {
        const rows = await rowsOf(payouts, tenant, params.id)
        const wanted = rows.filter((row) => only === undefined || isIn(row, only))
        return { data: { total: wanted.length, rows: wanted.slice(offset, offset + limit).map(shownRow) } }
      },
    }),
  ]
}

/** Which rows the caller wants: those with errors, with any flag, refused ones, or those with one kind of flag. */
const shownParts = ['errors', 'flags', 'refused', ...flagKinds] as const

function isIn({ errors, flags, outcome }: ReviewedRow, part: (typeof shownParts)[number]): boolean {
  if (part === 'errors') return errors !== null
  if (part === 'refused') return outcome === 'refused'
  return flags.some(({ kind }) => part === 'flags' || kind === part)
}

const views = {
  waiting: ['waiting'],
  mine: ['editing', 'waiting', 'approved', 'done', 'rejected'],
  decided: ['approved', 'done', 'rejected'],
} as const

type ShowDraft = (place: Pick<DraftPlace, 'tenant' | 'person'>, id: Uuid) => Promise<{ data: Record<string, unknown> }>

export function createShown({ ctx }: Pick<EndpointParts, 'ctx'>, payouts: Payouts): ShowDraft {
  return async ({ tenant, person }, id) => {
    const draft = await payouts.draft(tenant, id)
    // Another request has discarded the draft since this one changed it.
    if (draft === undefined) throw noDraft()
    return { data: shownDraft(draft, person, ctx.clock.now()) }
  }
}

const newDraft = z.object({
  key: z.string('must be a string').regex(/^[A-Za-z0-9-]{8,64}$/, 'must be 8 to 64 letters, digits or -'),
  title: text(100).trim().min(1, 'must not be empty'),
  /** Default: the currency of the first row that names one, else NGN. */
  currency: currencyName.optional(),
  rows: z
    .array(cells, 'must be an array')
    .min(1, 'must not be empty')
    .max(rowsMax, `must have at most ${rowsMax} items`),
  /** True: submits the draft at once. If it cannot be submitted, it is discarded. */
  submit: z.boolean('must be true or false').default(false),
  confirmedDuplicates: z.int('must be a number').min(0).default(0),
})

function editEndpoints(parts: Pick<EndpointParts, 'ctx'>, payouts: Payouts): DashboardEndpoint[] {
  const shown = createShown(parts, payouts)
  return [
    dashboardEndpoint({
      method: 'POST',
      path,
      permission: 'payouts.propose',
      bodyBytesMax,
      body: newDraft,
      handle: async (place) => {
        const { tenant, body } = place
        const currency = body.currency ?? currencyOfRows(body.rows)
        await requirePayable(parts.ctx, tenant, currency)
        const made = await payouts.create(tenant, personOf(place), { ...body, currency })
        if (made.kind === 'too-many')
          throw new ApiError('CONFLICT', `There are already ${made.max} open drafts. Submit or discard one first.`)
        if (made.kind === 'key-used') throw keyUsed()
        const { id, status } = made.draft
        if (body.submit && status === 'editing')
          await submitted(payouts, place, id, body.confirmedDuplicates).catch(async (error: unknown) => {
            await payouts.discard(tenant, personOf(place), id)
            throw error
          })
        return shown(place, id)
      },
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path: `${path}/:id/rows/:number`,
      permission: 'payouts.propose',
      params: rowParams,
      body: cells,
      handle: async (place) => {
        const { number, id } = place.params
        await onDraft(id, (draft) => payouts.edit(place.tenant, personOf(place), draft, { number, change: place.body }))
        const rows = await rowsOf(payouts, place.tenant, id)
        const row = rows.find((one) => one.number === number)
        // Another request has removed the row since this one changed it.
        if (row === undefined) throw noDraft()
        return { data: shownRow(row) }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${path}/:id/rows/:number`,
      permission: 'payouts.propose',
      params: rowParams,
      handle: async (place) => {
        const { number, id } = place.params
        await onDraft(id, (draft) => payouts.edit(place.tenant, personOf(place), draft, { number, change: undefined }))
        return { data: {} }
      },
    }),
  ]
}

function keyUsed(): ApiError {
  const sentence =
    'An earlier attempt already made a draft with other content. Check your drafts first: another attempt makes a second draft.'
  const details = [{ field: 'key', message: 'belongs to a draft with other content' }]
  return new ApiError('CONFLICT', sentence, { details })
}

async function requirePayable(ctx: Context, tenant: Tenant, currency: Currency): Promise<void> {
  if (currency === 'NGN') return
  const used = await readCurrencies(ctx, tenant)
  if (!used.some((one) => one.currency === currency && one.on)) throw currencyOff(currency)
  if (listOperators({ currency }).length > 0) return
  throw validationError([{ field: 'currency', message: `no mobile-money operator is paid in ${currency}` }])
}

function wholeDraftEndpoints(parts: Pick<EndpointParts, 'ctx'>, payouts: Payouts): DashboardEndpoint[] {
  const shown = createShown(parts, payouts)
  return [
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/:id/submit`,
      permission: 'payouts.propose',
      params: idParams,
      body: z.object({ confirmedDuplicates: z.int('must be a number').min(0).default(0) }),
      handle: async (place) => {
        const id = idOf(place.params.id)
        await submitted(payouts, place, id, place.body.confirmedDuplicates)
        return shown(place, id)
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/:id/withdraw`,
      permission: 'payouts.propose',
      params: idParams,
      handle: async (place) => {
        await onDraft(place.params.id, (id) => payouts.withdraw(place.tenant, personOf(place), id))
        return shown(place, idOf(place.params.id))
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${path}/:id`,
      permission: 'payouts.propose',
      params: idParams,
      handle: async (place) => {
        await onDraft(place.params.id, (id) => payouts.discard(place.tenant, personOf(place), id))
        return { data: {} }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/:id/retry`,
      permission: 'payouts.propose',
      params: idParams,
      handle: async (place) => {
        const made = await onDraft(place.params.id, (id) => payouts.retryFailed(place.tenant, personOf(place), id))
        if (made.kind === 'nothing') throw new ApiError('CONFLICT', 'There are no failed rows to send again.')
        return shown(place, made.draft.id)
      },
    }),
  ]
}

function decisionEndpoints(parts: Pick<EndpointParts, 'ctx'>, payouts: Payouts): DashboardEndpoint[] {
  const shown = createShown(parts, payouts)
  return [
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/:id/approve`,
      permission: 'payouts.approve',
      params: idParams,
      body: z.object({ hash: z.string('must be a string').regex(/^[0-9a-f]{64}$/, 'must be the hash of the draft') }),
      handle: async (place) => {
        const hash = Buffer.from(place.body.hash, 'hex')
        requireDecided(
          await onDraft(place.params.id, (id) => payouts.approve(place.tenant, approverOf(place), id, hash)),
        )
        return shown(place, idOf(place.params.id))
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/:id/reject`,
      permission: 'payouts.approve',
      params: idParams,
      body: z.object({ reason: text(500).trim().min(1, 'must not be empty') }),
      handle: async (place) => {
        const { reason } = place.body
        requireDecided(
          await onDraft(place.params.id, (id) => payouts.reject(place.tenant, approverOf(place), id, reason)),
        )
        return shown(place, idOf(place.params.id))
      },
    }),
  ]
}

function noDraft(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such draft.')
}

export function idOf(unchecked: string): Uuid {
  return requireId('payoutDraft', unchecked, noDraft)
}

async function detailOf(payouts: Payouts, tenant: Tenant, id: string): Promise<DraftDetail> {
  const detail = await payouts.detail(tenant, idOf(id))
  if (detail === undefined) throw noDraft()
  return detail
}

async function rowsOf(payouts: Payouts, tenant: Tenant, id: string): Promise<ReviewedRow[]> {
  const rows = await payouts.rows(tenant, idOf(id))
  if (rows === undefined) throw noDraft()
  return rows
}

async function onDraft<Outcome extends { kind: string }>(
  id: string,
  act: (id: Uuid) => Promise<Outcome>,
): Promise<Exclude<Outcome, DraftRefusal>> {
  const outcome = await act(idOf(id))
  if (isRefused(outcome)) throw refusal(outcome)
  return outcome as Exclude<Outcome, DraftRefusal>
}

function isRefused(outcome: { kind: string }): outcome is DraftRefusal {
  return ['not-found', 'not-yours', 'wrong-state'].includes(outcome.kind)
}

const stateWords = {
  editing: 'is still being edited',
  waiting: 'waits for approval',
  approved: 'is approved and being sent',
  done: 'was sent',
  rejected: 'was rejected',
}

function refusal(outcome: DraftRefusal): ApiError {
  switch (outcome.kind) {
    case 'not-found':
      return noDraft()
    case 'not-yours':
      return new ApiError('FORBIDDEN', 'Only the person who made this draft may change it.')
    case 'wrong-state':
      return new ApiError('CONFLICT', `The draft ${stateWords[outcome.draft.status]}. Reload the page.`)
  }
}

/** Submits a draft for approval. Throws if it is refused. `terms`: set if the draft becomes a schedule. */
export async function submitted(
  payouts: Payouts,
  place: DraftPlace,
  id: Uuid,
  confirmed: number,
  terms?: ScheduleTerms,
): Promise<void> {
  const outcome = await onDraft(formatId('payoutDraft', id), () =>
    payouts.submit(place.tenant, personOf(place), id, confirmed, terms),
  )
  switch (outcome.kind) {
    case 'submitted':
      return
    case 'empty':
      throw validationError([{ field: 'rows', message: 'must not be empty' }])
    case 'is-run':
      throw new ApiError('CONFLICT', 'This draft is a run of a schedule. Submit it, or change the schedule.')
    case 'too-many-schedules':
      throw new ApiError('CONFLICT', `There are already ${outcome.max} schedules. End one first.`)
    case 'too-large':
      throw validationError([{ field: 'rows', message: 'the sum of all amounts and fees is too large' }])
    case 'unconfirmed': {
      const { duplicates } = outcome
      const sentence =
        duplicates === 0
          ? 'No row repeats an earlier payout any more. Submit the draft again.'
          : `${duplicates} ${duplicates === 1 ? 'row' : 'rows'} may pay an account twice. Confirm that you want this.`
      const details = [{ field: 'confirmedDuplicates', message: String(duplicates) }]
      throw new ApiError('SECOND_PAYOUT', sentence, { details })
    }
    case 'wrong-rows':
      throw validationError(
        outcome.first.flatMap(({ number, errors }) =>
          errors.map(({ field, message }) => ({ field: `rows.${number}.${field}`, message })),
        ),
      )
  }
}

type DraftDecision = Exclude<Awaited<ReturnType<Payouts['approve']>>, DraftRefusal>

function requireDecided({ kind }: DraftDecision): void {
  switch (kind) {
    case 'approved':
    case 'rejected':
      return
    case 'not-allowed':
      throw new ApiError('FORBIDDEN', 'Your role may not approve payouts.')
    case 'own-draft':
      throw new ApiError('FORBIDDEN', 'You made this draft, so another person must decide on it.')
    case 'expired':
      throw new ApiError('CONFLICT', 'This draft has expired. Its maker can submit it again.')
    case 'changed':
      throw new ApiError('CONFLICT', 'The draft changed since you opened it. Reload the page and check it again.')
  }
}

function shownDraft(draft: DraftWithApprovals, { person }: SignedIn, nowMs: number): Record<string, unknown> {
  const isYours = draft.makerId === person.id
  return {
    id: formatId('payoutDraft', draft.id),
    title: draft.title,
    status: isExpired(draft, nowMs) ? 'expired' : draft.status,
    maker: draft.makerName,
    isYours,
    rows: draft.rows,
    currency: draft.currency,
    // A sum above the largest amount is shown as the largest amount. A draft with such a sum cannot be submitted.
    total: toWire(draft.total > amountMax ? amountMax : draft.total),
    fees: toWire(draft.fees),
    createdAt: draft.createdAt.toISOString(),
    submittedAt: draft.submittedAt?.toISOString() ?? null,
    expiresAt: draft.expiresAt?.toISOString() ?? null,
    decidedAt: draft.decidedAt?.toISOString() ?? null,
    completedAt: draft.completedAt?.toISOString() ?? null,
    approvalsNeeded: draft.approvalsNeeded,
    approvals: draft.approvals.map(({ personId, personName, createdAt }) => ({
      name: personName,
      isYours: personId === person.id,
      at: createdAt.toISOString(),
    })),
    rejectedBy: draft.rejectedBy,
    reason: draft.reason,
    hash: draft.contentHash?.toString('hex') ?? null,
    scheduleId: draft.scheduleId === null ? null : formatId('payoutDraft', draft.scheduleId),
    runAt: draft.runAt?.toISOString() ?? null,
    heldSince: draft.heldSince?.toISOString() ?? null,
  }
}

function shownReview({ schedule, draft, rows, progress }: DraftDetail, nowMs: number): Record<string, unknown> {
  const flagCounts = new Map<string, number>()
  for (const { flags } of rows) for (const { kind } of flags) flagCounts.set(kind, (flagCounts.get(kind) ?? 0) + 1)
  const largest = rows.reduce((most, { amount }) => (amount !== null && amount > most ? amount : most), zero)
  return {
    wrongRows: rows.filter(({ errors }) => errors !== null).length,
    namesDue: rows.filter(({ resolution }) => resolution === 'due').length,
    largest: toWire(largest),
    schedule:
      schedule === undefined
        ? null
        : { ...shownTerms(schedule, draft, nowMs), skipAt: schedule.skipAt?.toISOString() ?? null },
    flags: Object.fromEntries(flagCounts),
    progress: progress.map((part) => ({ ...part, amount: toWire(part.amount) })),
  }
}

function shownRow(row: ReviewedRow): Record<string, unknown> {
  const { number, kind, amount, institution, accountNumber, accountName, narration, reference } = row
  const { resolution, resolvedName, outcome, refusal: reason, flags, retriedIn } = row
  return {
    number,
    cells: cellsOf(row),
    kind,
    amount: amount === null ? null : toWire(amount),
    institution,
    accountNumber,
    accountName,
    narration,
    reference,
    errors: row.errors === null ? [] : (JSON.parse(row.errors) as CellError[]),
    resolution,
    resolvedName,
    outcome,
    refusal: reason,
    flags,
    retriedIn: retriedIn === null ? null : formatId('payoutDraft', retriedIn),
  }
}
