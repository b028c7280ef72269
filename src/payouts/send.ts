// The work on drafts: asks banks who holds the accounts of the rows, and turns the rows of an approved draft into
// payments. A row keeps its reference, and the payments module accepts a reference once, so another worker can continue
// after a worker that died or lost its lease.

import { findOperator } from '#directory/operators.ts'
import type { Resolver } from '#directory/resolve.ts'
import { addresseesOf, queueLetters, readAudience, readBusinessOf } from '#mail/queue.ts'
import { type AcceptOutcome, differingField } from '#payments/accept.ts'
import type { Payment } from '#payments/payment.ts'
import type { ItemFailure, Payments } from '#payments/service.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { minuteMs, secondMs } from '#platform/durations.ts'
import { briefMessage } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { add, formatMoney, type Currency, type Money } from '#platform/money.ts'
import { paymentKindOf } from './cells.ts'
import { contentHashOf } from './draft-rows.ts'
import {
  claimDraft,
  finishDraft,
  beginHeldRun,
  holdRun,
  listRows,
  lockDraft,
  noteOutcomes,
  noteResolved,
  renewLease,
  stopDraft,
  type ClaimedDraft,
  type PayoutRow,
  type ResolvedRow,
  type SentRow,
} from './queries.ts'
import { askName } from './recipients.ts'
import { lateMs } from './schedules.ts'

export type SendDeps = {
  ctx: Context
  payments: Payments
  resolver: Resolver
  available: (tenant: Tenant, currency: Currency) => Promise<Money>
}

/** How long a draft waits for another process after the process that worked on it died. */
const leaseMs = 15 * secondMs
const renewEveryMs = leaseMs / 5
const rowsPerSubmission = 200
/** How long a draft waits if payouts are paused, have no rail, or could not be accepted because the service is busy. */
const waitMs = 5 * secondMs
const resolvedPerTurn = 50
/** Few, because providers limit look-ups, and people who fill in forms need look-ups too. */
const resolvedAtOnce = 5

/** Does one piece of due work on a lane; resolves with 1 if there was one. */
export function createPayoutWork(deps: SendDeps): (lane: number) => Promise<number> {
  const { ctx } = deps
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const leaseEnd = new Date(nowMs + leaseMs)
    const draft = await claimDraft(inLane(ctx.db, lane), new Date(nowMs), leaseEnd)
    if (draft === undefined) return 0
    const tenant: Tenant = { lane, id: draft.tenantId, environment: draft.environment }
    await withLease(ctx, draft, { lane, leaseEnd }, async () => {
      const rows = await listRows(ctx.db, tenant, draft.id)
      await (draft.status === 'approved' ? send(deps, tenant, draft, rows) : resolve(deps, tenant, draft, rows))
    })
    return 1
  }
}

/**
 * Renews the lease while the work goes on. After the lease was lost, the work goes on without it: two workers may then
 * send the same rows, but each row is accepted only once.
 */
async function withLease(
  { clock, db, log }: Context,
  draft: ClaimedDraft,
  { lane, leaseEnd }: { lane: number; leaseEnd: Date },
  work: () => Promise<void>,
): Promise<void> {
  let end = leaseEnd
  let renewing = Promise.resolve()
  const renew = async (): Promise<void> => {
    const next = new Date(clock.now() + leaseMs)
    if (await renewLease(inLane(db, lane), draft, end, next)) end = next
  }
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch((error: unknown) => {
      log.warn({ draft: draft.id, error: briefMessage(error) }, 'could not renew the lease of a draft')
    })
  }, renewEveryMs)
  try {
    await work()
  } finally {
    clearInterval(timer)
    await renewing
  }
}

async function resolve(
  { ctx, resolver }: SendDeps,
  tenant: Tenant,
  draft: ClaimedDraft,
  rows: PayoutRow[],
): Promise<void> {
  const due = rows.filter(({ resolution }) => resolution === 'due').slice(0, resolvedPerTurn)
  const found: ResolvedRow[] = []
  const waiting = [...due]
  const askNext = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift())
      found.push({ ...row, ...(await nameRow(resolver, tenant, row)) })
  }
  await Promise.all(Array.from({ length: resolvedAtOnce }, askNext))
  await ctx.db.transaction(async (tx) => {
    // Locks the draft before its rows, as everywhere, because its maker may be changing these rows.
    await lockDraft(tx, tenant, draft.id)
    noteResolved(tx, draft, found, new Date(ctx.clock.now()))
  }, tenant.lane)
}

async function nameRow(
  resolver: Resolver,
  tenant: Tenant,
  row: PayoutRow,
): Promise<Pick<ResolvedRow, 'resolution' | 'resolvedName'>> {
  const answer = await askName(resolver, tenant, {
    kind: row.kind,
    institution: present(row.institution, 'a row to resolve has a bank'),
    accountNumber: present(row.accountNumber, 'a row to resolve has an account'),
  })
  const resolvedName = answer.kind === 'resolved' ? answer.accountName.slice(0, 100) : null
  return { resolution: answer.kind, resolvedName }
}

async function send(deps: SendDeps, tenant: Tenant, draft: ClaimedDraft, rows: PayoutRow[]): Promise<void> {
  const { ctx } = deps
  if (!contentHashOf(tenant, draft, rows).equals(draft.contentHash ?? Buffer.alloc(0))) {
    ctx.log.error({ tenant: tenant.id, draft: draft.id }, 'the rows of an approved draft are not what was approved')
    const reason = 'The rows differ from the approved ones. No further rows of this draft are sent.'
    await stopAndMail(ctx, tenant, draft, reason)
    return
  }
  const { runAt } = draft
  if (runAt !== null && !(await hasBegun(deps, tenant, rows)) && !(await mayBegin(deps, tenant, { ...draft, runAt })))
    return
  const unsent = rows.filter(({ outcome }) => outcome === null)
  for (let from = 0; from < unsent.length; from += rowsPerSubmission) {
    const decided = await submit(deps, tenant, draft, unsent.slice(from, from + rowsPerSubmission))
    const sent = decided.filter((row) => row !== undefined)
    const isHeldUp = sent.length < decided.length
    const waitsUntil = isHeldUp ? new Date(ctx.clock.now() + waitMs) : null
    await ctx.db.transaction((tx) => Promise.resolve(noteOutcomes(tx, draft, sent, waitsUntil)), tenant.lane)
    if (isHeldUp) return
  }
  const now = new Date(ctx.clock.now())
  await ctx.db.transaction((tx) => Promise.resolve(finishDraft(tx, draft, now)), tenant.lane)
}

/** Also true if a worker died after the first payments were accepted and before it recorded them. */
async function hasBegun({ payments }: SendDeps, tenant: Tenant, rows: PayoutRow[]): Promise<boolean> {
  if (rows.some(({ outcome }) => outcome !== null)) return true
  const first = rows.slice(0, rowsPerSubmission)
  const found = await Promise.all(
    first.map(({ kind, reference }) =>
      payments.read(tenant, paymentKindOf(kind), present(reference, 'a row has a reference')),
    ),
  )
  return first.some((row, index) => isPaymentOf(row, found[index]))
}

/** Returns false if another payment has taken the reference of the row; `submit` then refuses the row. */
function isPaymentOf(row: PayoutRow, payment: Payment | undefined): boolean {
  if (payment === undefined) return false
  const payee = row.kind === 'bank' ? bankPayeeOf(row) : { ...walletPayeeOf(row), accountReference: null }
  return differingField(payment, { amount: row.amount, ...payee }) === undefined
}

/** The wait before the service tries again a run that the balance did not cover. */
const coverWaitMs = minuteMs

/**
 * Returns false if the run is not sent now: it waits for the balance, a person took it back while it waited, or it is
 * more than a day late. A late run is rejected, and its maker decides.
 */
async function mayBegin(
  { ctx, available }: SendDeps,
  tenant: Tenant,
  draft: ClaimedDraft & { runAt: Date },
): Promise<boolean> {
  const needed = add(draft.total, draft.fees)
  const isCovered = (await available(tenant, draft.currency)) >= needed
  const nowMs = ctx.clock.now()
  // If the run was made or approved after its time, the day begins at that moment.
  const isLate = nowMs - Math.max(draft.runAt.getTime(), draft.decidedAt?.getTime() ?? 0) > lateMs
  if (isCovered && !isLate)
    return draft.heldSince === null || ctx.db.transaction((tx) => beginHeldRun(tx, draft), tenant.lane)
  const why =
    isCovered || draft.heldSince === null
      ? 'The run was more than a day late.'
      : `The balance did not cover ${formatMoney(needed, draft.currency)} for a day.`
  if (isLate) await stopAndMail(ctx, tenant, draft, `${why} Nothing was sent.`)
  else {
    const nextTry = new Date(nowMs + coverWaitMs)
    await ctx.db.transaction((tx) => Promise.resolve(holdRun(tx, draft, new Date(nowMs), nextTry)), tenant.lane)
  }
  return false
}

/** Rejects the draft. In production its business gets an e-mail, because no person was there to see it. */
function stopAndMail(ctx: Context, tenant: Tenant, draft: ClaimedDraft, reason: string): Promise<void> {
  const { id, title, total, currency, decidedAt } = draft
  return ctx.db.transaction(async (tx) => {
    if (!(await stopDraft(tx, draft, reason)) || ctx.sendsMail !== true || tenant.environment !== 'production') return
    const business = await readBusinessOf(tx, tenant)
    if (business === undefined) return
    const sum = formatMoney(total, currency)
    await queueLetters(ctx, tx, {
      kind: 'payout-stopped',
      facts: { business, draft: formatId('payoutDraft', id), title, total: sum, reason },
      to: addresseesOf(await readAudience(tx, business.id, 'payouts-failed')),
      businessId: business.id,
      key: `${id}:${decidedAt?.getTime()}`,
    })
  }, tenant.lane)
}

/** Submits the rows as payments. Undefined: the row can be neither accepted nor refused now, and is tried again. */
async function submit(
  { payments }: SendDeps,
  tenant: Tenant,
  { currency }: ClaimedDraft,
  rows: PayoutRow[],
): Promise<(SentRow | undefined)[]> {
  const banks = rows.filter(({ kind }) => kind === 'bank')
  const transfers = await payments.initiateMany(
    tenant,
    banks.map((row) => ({
      ...commonOf(row, currency),
      ...bankPayeeOf(row),
      accountName: present(row.accountName, 'a row has a name'),
    })),
  )
  const decided = banks.map((row, index) =>
    sentRow(row, currency, present(transfers[index], 'each transfer has an outcome')),
  )
  for (const row of rows.filter(({ kind }) => kind === 'wallet')) {
    const asked = { ...commonOf(row, currency), ...walletPayeeOf(row), accountName: row.accountName }
    decided.push(sentRow(row, currency, await payments.sendMomo(tenant, asked)))
  }
  return decided
}

function bankPayeeOf(row: PayoutRow) {
  return {
    bankSlug: present(row.institution, 'a row has a bank'),
    accountNumber: present(row.accountNumber, 'a row has an account'),
  }
}

function walletPayeeOf(row: PayoutRow) {
  const number = present(row.accountNumber, 'a row has a number')
  const operator = present(row.institution, 'a row has an operator')
  return findOperator(operator)?.recipient === 'till'
    ? { operator, phoneNumber: null, accountNumber: number }
    : { operator, phoneNumber: number, accountNumber: null }
}

function commonOf(row: PayoutRow, currency: Currency) {
  return {
    reference: present(row.reference, 'a row has a reference'),
    amount: present(row.amount, 'a row has an amount'),
    currency,
    narration: row.narration,
    metadata: null,
  }
}

/** The reasons of refusals do not state the balance, because some roles see the rows but may not see the balance. */
function sentRow({ number }: PayoutRow, currency: Currency, outcome: AcceptOutcome | ItemFailure): SentRow | undefined {
  const say = (amount: Money): string => formatMoney(amount, currency)
  switch (outcome.kind) {
    case 'accepted':
    case 'replayed':
      return { number, outcome: 'accepted', refusal: null }
    case 'paused':
    case 'missing-rail':
    case 'failed':
      return undefined
    case 'insufficient-balance':
      return refused(number, `The balance did not cover ${say(outcome.required)}.`)
    case 'over-limit':
      return refused(number, `The payout limit of ${say(outcome.limit)} ${limitWords[outcome.per]} was exceeded.`)
    case 'unknown-bank':
      return refused(number, 'This bank is not served any more.')
    case 'unknown-operator':
    case 'other-currency':
      return refused(number, 'This operator is not served any more.')
    case 'currency-off':
      return refused(number, `${currency} is switched off in the settings of this business.`)
    case 'amount-step':
    case 'amount-range':
      return refused(number, 'The operator does not carry this amount.')
    case 'differs':
    case 'other-kind':
    case 'twin':
      return refused(number, `Another payment has the reference ${outcome.first.reference}.`)
    case 'too-much':
      return refused(number, 'The amount is too large for the books.')
  }
}

const limitWords = { payment: 'for one payout', day: 'for a day' }

function refused(number: number, refusal: string): SentRow {
  return { number, outcome: 'refused', refusal }
}
