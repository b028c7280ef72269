// Alerts of a business on the home page, such as a failing webhook, each in one sentence. Also the e-mails ("letters")
// about failed payouts, failing webhooks, low balances and mismatches, which are written without a request of a user.

import type { Context, Tenant } from '#platform/context.ts'
import { assert } from '#platform/assert.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { countOpenOf } from '#review/review-queue.ts'
import { readLate } from '#payments/list.ts'
import type { PaymentKind, PaymentStatus } from '#payments/payment.ts'
import { pausesOf } from '#payments/brakes.ts'
import { kindNames } from '#payments/wire.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Subscriptions } from '#webhooks/subscriptions.ts'
import { addresseesOf, queueLetters, readAudience, readBusinessOf, readOperators } from '#mail/queue.ts'
import type { ChosenKind, LetterBusiness, LetterFacts, PaymentSum } from '#mail/letter.ts'
import { inLane, statement, type Tx } from '#platform/db/db.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { formatMoney, type Currency, type Money } from '#platform/money.ts'
import { summarizeOpen } from '#reconciliation/mismatches.ts'

export type AlertQuestion = { business: Uuid; tenant: Tenant; seesWebhooks: boolean }

/** `asks`: a user must act. `failed`: something does not work. `about`: the list that the alert links to. */
export type Alert = { id: string; kind: AlertKind; severity: 'asks' | 'failed'; says: string; about: AlertAbout | null }

/** `before`: the payments with this status that were accepted before this time. */
export type AlertAbout = { kind: PaymentKind; status: PaymentStatus; before: Date } | 'webhooks'

type AlertKind =
  | 'webhook-failing'
  | 'webhook-disabled'
  | 'payments-late'
  | 'rail-missing'
  | 'exceptions-open'
  | 'payouts-paused'

type AlertDeps = { ctx: Context; rails: RailRegistry; subscriptions: Subscriptions }

/** The address of a webhook often contains a secret, so only readers with `seesWebhooks` get alerts about webhooks. */
export async function findAlerts(deps: AlertDeps, { business, tenant, seesWebhooks }: AlertQuestion): Promise<Alert[]> {
  const { ctx, rails, subscriptions } = deps
  const [webhooks, late, open, pauses] = await Promise.all([
    seesWebhooks ? subscriptions.list(tenant) : [],
    readLate(ctx, tenant),
    countOpenOf(ctx, tenant),
    pausesOf(ctx, business, tenant.environment),
  ])
  const alerts: Alert[] = []
  const add = (kind: AlertKind, severity: Alert['severity'], says: string, about: Alert['about'], one = ''): void =>
    void alerts.push({ id: one === '' ? kind : `${kind} ${one}`, kind, severity, says, about })
  if (pauses.length > 0)
    add('payouts-paused', 'asks', 'Payouts are paused: new ones are refused, and none is sent.', null)
  if (open > 0)
    add(
      'exceptions-open',
      'asks',
      `${numberOf(open, 'fact')} about your money ${open === 1 ? 'waits' : 'wait'} for a person.`,
      null,
    )
  for (const { count, ...about } of late) {
    const { kind, status } = about
    const says =
      status === 'OTP_REQUIRED'
        ? `${numberOf(count, kindNames[kind])} ${count === 1 ? 'waits' : 'wait'} for a code of the payer after ten minutes.`
        : `${numberOf(count, kindNames[kind])} ${count === 1 ? 'has' : 'have'} not ended after ten minutes.`
    add('payments-late', 'asks', says, about, status === 'OTP_REQUIRED' ? `${kind} ${status}` : kind)
  }
  for (const { id, url, status, disabledBecause, failingSince } of webhooks) {
    if (status === 'disabled' && disabledBecause !== null)
      add(
        'webhook-disabled',
        'failed',
        `Nothing is sent to ${url} any more: ${reasons[disabledBecause]}.`,
        'webhooks',
        id,
      )
    else if (failingSince !== null && status === 'active')
      add('webhook-failing', 'failed', `Webhook ${url} is failing. Its deliveries show the reason.`, 'webhooks', id)
  }
  const missing = missingRails(rails, tenant)
  if (missing !== undefined) add('rail-missing', 'failed', missing, null)
  return alerts
}

const reasons = { GONE: 'it answered 410 Gone', FAILING: 'it failed for too long' } as const

function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const ports = [
  ['payout', 'bank transfers'],
  ['momoPayout', 'mobile-money transfers'],
  ['momoCollection', 'collections'],
  ['virtualAccounts', 'virtual accounts'],
] as const

function missingRails(rails: RailRegistry, { environment }: Tenant): string | undefined {
  const missing = ports.flatMap(([port, name]) => {
    const answer = rails[port](environment)
    return answer.kind === 'missing' ? [{ name, why: answer.why }] : []
  })
  const [first] = missing
  return first === undefined
    ? undefined
    : `Not available here: ${missing.map(({ name }) => name).join(', ')}. The reason: ${first.why}.`
}

// E-mails about events that no request reports: payouts that failed, failing webhooks, a low balance, and mismatches. A
// loop of each lane reads the rows that show these events, so payments and deliveries do no work for e-mails. Each
// e-mail has a key, so that it is sent once, however often and by how many processes the rows are read.

/** Writes the e-mails about the businesses of a lane. Resolves with 0, so that the loop pauses before its next turn. */
export type WriteAlertLetters = (lane: number) => Promise<number>

const firstLane = 1

/** `rowsPerPage`: rows of one read. It must exceed the sums of one tenant, which has two for each currency. */
export function createAlertLetters(ctx: Context, { rowsPerPage = 1_000 } = {}): WriteAlertLetters {
  const nextHours = new Map<number, number>()
  return async (lane) => {
    if (ctx.sendsMail !== true) return 0
    const nowMs = ctx.clock.now()
    const reader = { ctx, lane, rowsPerPage }
    const untilMs = Math.floor((nowMs - settledMs) / hourMs) * hourMs
    for (let atMs = nextHours.get(lane) ?? untilMs - hoursAtStart * hourMs; atMs < untilMs; atMs += hourMs) {
      await reportPayouts(reader, atMs)
      nextHours.set(lane, atMs + hourMs)
    }
    await reportWebhooks(reader, nowMs)
    await reportBalances(reader, nowMs)
    if (lane === firstLane) await reportMismatches(ctx, nowMs)
    return 0
  }
}

/**
 * By this time after the end of an hour or quarter hour, its payments are counted and its mismatches are committed.
 * Both get their time before their transaction commits.
 */
const settledMs = 2 * minuteMs
/** A process that starts reads the past hours too, because it may be the first after an outage. */
const hoursAtStart = 12

type LaneReader = { ctx: Context; lane: number; rowsPerPage: number }

/**
 * Reads all rows, a page at a time, so that each gets its e-mail. `read` returns the rows after `last`, or the first
 * rows if it is undefined.
 */
async function* pagesOf<Row>(
  rowsPerPage: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last: Row | undefined
  for (;;) {
    const rows = await read(last)
    yield rows
    last = rows.at(-1)
    if (rows.length < rowsPerPage) return
  }
}

const failedOfHour = statement(
  'letters.failed_payouts',
  `select s.tenant_id as "tenantId", s.currency, s.outcome, sum(s.count)::bigint as count, sum(s.amount)::bigint as amount
     from hourly_stat s join tenant t on t.lane = $1 and t.id = s.tenant_id
    where s.lane = $1 and s.hour = $2 and s.hour is not null and s.tenant_id > $3
      and s.outcome in ('failed', 'returned') and s.kind in ('bank_transfer', 'momo_transfer')
      and t.environment = 'production'
    group by s.tenant_id, s.currency, s.outcome order by s.tenant_id, s.currency, s.outcome limit $4`,
)

type FailedSum = {
  tenantId: Uuid
  currency: Currency
  outcome: 'failed' | 'returned'
  count: bigint
  amount: Money
}

async function reportPayouts({ ctx, lane, rowsPerPage }: LaneReader, atMs: number): Promise<void> {
  const hour = new Date(atMs)
  // The last tenant of a full page may have more sums, so the next page begins with it.
  const wholeTenants = (rows: FailedSum[]): FailedSum[] =>
    rows.length < rowsPerPage ? rows : rows.filter(({ tenantId }) => tenantId !== rows.at(-1)?.tenantId)
  let after = firstUuid
  let isLastPage = false
  while (!isLastPage) {
    const rows = await inLane(ctx.db, lane).query<FailedSum>(failedOfHour, [lane, hour, after, rowsPerPage])
    isLastPage = rows.length < rowsPerPage
    const whole = wholeTenants(rows)
    assert(isLastPage || whole.length > 0, 'a page has more rows than one tenant')
    for (const [tenantId, sums] of Map.groupBy(whole, (row) => row.tenantId)) {
      const sumsOf = (outcome: FailedSum['outcome']): PaymentSum[] =>
        sums
          .filter((one) => one.outcome === outcome)
          .map(({ count, amount, currency }) => ({ count: Number(count), amount: formatMoney(amount, currency) }))
      const report = { failed: sumsOf('failed'), returned: sumsOf('returned'), fromMs: atMs }
      await write(ctx, { lane, id: tenantId }, 'payouts-failed', `${tenantId}:${hour.toISOString()}`, (business) => ({
        business,
        ...report,
      }))
      after = tenantId
    }
  }
}

// Uses the index webhook_subscription_failing. A webhook that fails for five days is disabled, so the webhooks that
// began to fail within twelve days include all that were disabled within the last week.
const failingWebhooks = statement(
  'letters.failing_webhooks',
  `select w.tenant_id as "tenantId", w.id, w.url, w.status, w.failing_since as "failingSince", w.updated_at as "updatedAt"
     from webhook_subscription w join tenant t on t.lane = $1 and t.id = w.tenant_id
    where w.lane = $1 and w.failing_since > $2 and w.failing_since <= $3 and (w.failing_since, w.id) < ($3, $4)
      and t.environment = 'production'
      and (w.status = 'active' or (w.status = 'disabled' and w.disabled_because is not null))
    order by w.failing_since desc, w.id desc limit $5`,
)

type FailingWebhook = {
  tenantId: Uuid
  id: Uuid
  url: string
  status: 'active' | 'disabled'
  failingSince: Date
  updatedAt: Date
}

/** Shorter failures are not reported, because a receiver may be restarting. */
const failingForMs = 15 * minuteMs
const failingSinceMs = 12 * dayMs
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as Uuid

async function reportWebhooks({ ctx, lane, rowsPerPage }: LaneReader, nowMs: number): Promise<void> {
  const newest = { failingSince: new Date(nowMs - failingForMs), id: lastUuid }
  const pages = pagesOf<FailingWebhook>(rowsPerPage, (last) => {
    const { failingSince, id } = last ?? newest
    const values = [lane, new Date(nowMs - failingSinceMs), failingSince, id, rowsPerPage]
    return inLane(ctx.db, lane).query<FailingWebhook>(failingWebhooks, values)
  })
  for await (const rows of pages)
    for (const { tenantId, id, url, status, failingSince, updatedAt } of rows) {
      const state = status === 'active' ? ('failing' as const) : ('disabled' as const)
      const sinceMs = (status === 'active' ? failingSince : updatedAt).getTime()
      const key = `${id}:${state}:${failingSince.getTime()}`
      // The path and the query of an address often hold a secret.
      const host = new URL(url).host
      const tenant = { lane, id: tenantId }
      await write(ctx, tenant, 'webhook-failing', key, (business) => ({ business, host, state, sinceMs }))
    }
}

const lowBalances = statement(
  'letters.low_balances',
  `select a.tenant_id as "tenantId", a.currency, a.amount as threshold, b.available
     from (select tenant_id, 'NGN' as currency, amount from low_balance_alert where lane = $1
           union all
           select tenant_id, currency, amount from low_balance_alert_in_currency where lane = $1) as a
     join tenant t on t.lane = $1 and t.id = a.tenant_id
     cross join lateral (
       select credits - debits as available from ledger_account
        where lane = $1 and tenant_id = a.tenant_id and currency = a.currency and name = 'available' and switched_on
        limit 1) as b
    where t.environment = 'production' and b.available < a.amount and (a.tenant_id, a.currency) > ($2, $3)
    order by a.tenant_id, a.currency limit $4`,
)

type LowBalance = { tenantId: Uuid; currency: Currency; threshold: Money; available: Money }

async function reportBalances({ ctx, lane, rowsPerPage }: LaneReader, nowMs: number): Promise<void> {
  const day = new Date(nowMs).toISOString().slice(0, 10)
  const pages = pagesOf<LowBalance>(rowsPerPage, (last) => {
    const values = [lane, last?.tenantId ?? firstUuid, last?.currency ?? '', rowsPerPage]
    return inLane(ctx.db, lane).query<LowBalance>(lowBalances, values)
  })
  for await (const rows of pages)
    for (const { tenantId, currency, threshold, available } of rows) {
      // One e-mail a day (UTC) for each currency, as long as the balance is below the threshold.
      const key = currency === 'NGN' ? `${tenantId}:${day}` : `${tenantId}:${day}:${currency}`
      await write(ctx, { lane, id: tenantId }, 'low-balance', key, (business) => ({
        business,
        currency,
        available: formatMoney(available, currency),
        threshold: formatMoney(threshold, currency),
      }))
    }
}

type FactsOf<Kind extends ChosenKind> = (business: LetterBusiness) => LetterFacts[Kind]

async function write<Kind extends ChosenKind>(
  ctx: Context,
  tenant: { lane: number; id: Uuid },
  kind: Kind,
  key: string,
  factsOf: FactsOf<Kind>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const business = await readBusinessOf(tx, tenant)
    if (business === undefined) return
    const to = addresseesOf(await readAudience(tx, business.id, kind))
    await queueLetters(ctx, tx, { kind, facts: factsOf(business), to, businessId: business.id, key })
  })
}

/** One e-mail reports all mismatches that opened within this time; it is written soon after the end of the time. */
const mismatchesEveryMs = 15 * minuteMs
const mismatchesMax = 1_000

async function reportMismatches(ctx: Context, nowMs: number): Promise<void> {
  const until = new Date(Math.floor((nowMs - settledMs) / mismatchesEveryMs) * mismatchesEveryMs)
  const open = await summarizeOpen(ctx.db, until, mismatchesMax)
  if (open === undefined) return
  const facts = { count: open.count, sinceMs: open.oldest.getTime() }
  const key = String(Math.floor(open.newest.getTime() / mismatchesEveryMs))
  await ctx.db.transaction((tx: Tx) => mailOperators(ctx, tx, key, facts))
}

async function mailOperators(ctx: Context, tx: Tx, key: string, facts: LetterFacts['mismatches']): Promise<void> {
  const to = addresseesOf(await readOperators(tx, 'mismatches'))
  await queueLetters(ctx, tx, { kind: 'mismatches', facts, to, key })
}
