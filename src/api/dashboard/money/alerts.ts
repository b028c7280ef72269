// The endpoints for the alerts of a business, its low-balance thresholds, its payout limits, and the pause of its payouts.

import { z } from 'zod'
import { judge } from '#api/dashboard/permissions.ts'
import { hrefOf } from '#api/dashboard/assets.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { amount, currencyName, text, validationError } from '#api/server/fields.ts'
import { currencyOff } from '#api/v1/payments.ts'
import { readCurrencies } from '#businesses/currencies.ts'
import { readLowBalances, setLowBalance } from '#businesses/settings.ts'
import { readAudience } from '#mail/queue.ts'
import { pausePayouts, pausesOf, resumePayouts } from '#payments/brakes.ts'
import { showLimits } from '#payments/limits.ts'
import type { PaymentKind } from '#payments/payment.ts'
import { isExpired } from '#payouts/drafts.ts'
import type { Environment, Tenant, Context } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { add, formatMoney, toWire, zero, type Currency, type Money } from '#platform/money.ts'
import type { AlertAbout } from '#reporting/reporting.ts'
import type { UserRole } from '#users/service.ts'

type Parts = Pick<EndpointParts, 'ctx' | 'rooms'>

const path = '/dashboard/api/b/:business/:environment/low-balance'

export function lowBalanceEndpoints(parts: Parts): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'balance.see',
      query: z.object({ currency: currencyName.default('NGN') }),
      handle: async ({ business, tenant, query: { currency } }) => ({
        data: await thresholdData(parts, business, tenant, currency),
      }),
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path,
      permission: 'alerts.change',
      body: z.object({ amount: amount.nullable(), currency: currencyName.default('NGN') }),
      handle: async ({ business, tenant, body, by }) => {
        const outcome = await setLowBalance({ ...parts.ctx, by: by() }, tenant, body)
        if (outcome === 'currency-off') throw currencyOff(body.currency)
        return { data: await thresholdData(parts, business, tenant, body.currency) }
      },
    }),
  ]
}

type Reader = { role: UserRole; personId: Uuid }

async function payoutAlerts(parts: Parts, tenant: Tenant, place: AlertPlace, reader: Reader): Promise<Alerted[]> {
  const [waiting, schedules] = await Promise.all([
    approvalsAlert(parts, tenant, place, reader),
    scheduleAlerts(parts, tenant, place, reader),
  ])
  return waiting === undefined ? schedules : [waiting, ...schedules]
}

/** The most drafts that the alert counts; the page that it links to shows further ones. */
const draftsCountedMax = 50

/** Alerts a user to drafts that wait for their approval, except their own and those that they have already approved. */
async function approvalsAlert(
  { ctx, rooms: { payouts } }: Parts,
  tenant: Tenant,
  place: AlertPlace,
  { role, personId }: Reader,
): Promise<Alerted | undefined> {
  if (judge('payouts.approve', role, tenant.environment) === 'no') return undefined
  const question = { statuses: ['waiting'], makerId: null, before: null, limit: draftsCountedMax } as const
  const waiting = (await payouts.list(tenant, question)).filter(
    (draft) =>
      draft.makerId !== personId &&
      !isExpired(draft, ctx.clock.now()) &&
      !draft.approvals.some((approval) => approval.personId === personId),
  )
  if (waiting.length === 0) return undefined
  const says =
    waiting.length === 1 ? 'A payout waits for your approval.' : `${waiting.length} payouts wait for your approval.`
  return { id: 'approvals', kind: 'approvals', severity: 'asks', says, href: hrefOf({ ...place, path: 'approvals' }) }
}

async function scheduleAlerts(
  { ctx, rooms: { payouts } }: Parts,
  tenant: Tenant,
  place: AlertPlace,
  { role }: Reader,
): Promise<Alerted[]> {
  if (judge('payouts.propose', role, tenant.environment) === 'no') return []
  const now = new Date(ctx.clock.now())
  const [schedules, runs, stopped] = await Promise.all([
    payouts.schedules(tenant, false),
    payouts.openRuns(tenant),
    payouts.stoppedRuns(tenant),
  ])
  const say = (id: Uuid, says: string): Alerted => {
    const draft = formatId('payoutDraft', id)
    const href = hrefOf({ ...place, path: `approvals/${draft}` })
    return { id: `schedule ${draft}`, kind: 'schedule', severity: 'asks', says, href }
  }
  return [
    ...schedules.flatMap(({ draftId, title, state }) =>
      state === 'late' || state === 'unreadable'
        ? [say(draftId, `The schedule “${title}” ${scheduleWords[state]}`)]
        : [],
    ),
    ...runs.flatMap(({ id, title, status, runAt, heldSince, currency, total, fees }) => {
      if (status === 'approved' && heldSince !== null) {
        const needed = formatMoney(add(total, fees), currency)
        return [say(id, `“${title}” waits because the balance does not cover ${needed}. It is sent when it does.`)]
      }
      const isOverdue = status !== 'approved' && runAt <= now
      return isOverdue ? [say(id, `“${title}” was due and is not approved, so it was not sent.`)] : []
    }),
    ...stopped.map(({ id, title, reason }) =>
      say(id, `“${title}” was stopped. ${reason} Edit it again to send it or to discard it.`),
    ),
  ]
}

const scheduleWords = {
  late: 'did not run within a day of its time. Send the late run or skip it.',
  unreadable: 'is stopped because its rows cannot be paid as they were approved. Edit them.',
}

type Alerted = {
  id: string
  kind: 'balance-low' | 'approvals' | 'schedule'
  severity: 'asks'
  says: string
  href: string
}
type AlertPlace = { business: Uuid; environment: Environment }

/**
 * Returns an alert for each currency whose balance is low. The alerts state the balance, so this is only for users who
 * may see it.
 */
async function lowBalanceAlerts(parts: Parts, tenant: Tenant, place: AlertPlace): Promise<Alerted[]> {
  const now = await lowBalancesNow(parts, tenant)
  return now.flatMap(({ currency, threshold, available, isLow }) => {
    if (!isLow || threshold === null) return []
    const says = `The available balance, ${formatMoney(available, currency)}, is below ${formatMoney(threshold, currency)}.`
    const [id, search] = currency === 'NGN' ? ['balance-low', {}] : [`balance-low ${currency}`, { currency }]
    return [{ id, kind: 'balance-low', severity: 'asks', says, href: hrefOf({ ...place, path: 'balance', search }) }]
  })
}

type LowBalanceNow = { currency: Currency; threshold: Money | null; available: Money; isLow: boolean }

/** The balance and threshold of every currency that is on. A currency that was switched off has no balance. */
async function lowBalancesNow({ ctx, rooms: { ledger } }: Parts, tenant: Tenant): Promise<LowBalanceNow[]> {
  const [thresholds, balances, known] = await Promise.all([
    readLowBalances(ctx, tenant),
    ledger.balances(tenant),
    readCurrencies(ctx, tenant),
  ])
  return known.flatMap(({ currency, on }) => {
    if (!on) return []
    const threshold = thresholds.get(currency) ?? null
    const available = balances.find((one) => one.currency === currency)?.available ?? zero
    return [{ currency, threshold, available, isLow: threshold !== null && available < threshold }]
  })
}

/** `mails`: the names of the users who get an e-mail when the balance is low; null on staging or without a mail server. */
async function thresholdData(
  parts: Parts,
  business: Uuid,
  tenant: Tenant,
  currency: Currency,
): Promise<Record<string, unknown>> {
  const [now, mails] = await Promise.all([
    lowBalancesNow(parts, tenant),
    tenant.environment === 'production' ? lowBalanceReaders(parts.ctx, business) : null,
  ])
  const off = { threshold: null, available: zero, isLow: false }
  const { threshold, available, isLow } = now.find((one) => one.currency === currency) ?? off
  const names = mails?.map(({ name }) => name) ?? null
  return { amount: threshold === null ? null : toWire(threshold), available: toWire(available), isLow, mails: names }
}

/** The users who get e-mails about a low balance; null if no mail server is set. */
export async function lowBalanceReaders(ctx: Context, business: Uuid): Promise<{ name: string }[] | null> {
  return ctx.sendsMail === true ? readAudience(ctx.db, business, 'low-balance') : null
}

const tabs: Record<PaymentKind, Record<string, string>> = {
  bank_transfer: {},
  momo_transfer: { tab: 'momo-transfers' },
  momo_collection: { tab: 'collections' },
}

/** The page that shows exactly what the alert counts. */
function pageOf(about: AlertAbout): { path: string; search?: Record<string, string> } {
  if (about === 'webhooks') return { path: 'webhooks' }
  const { kind, status, before } = about
  // `before` is excluded and `createdUntil` is included, so one millisecond is taken off.
  return {
    path: 'payments',
    search: { ...tabs[kind], status, createdUntil: new Date(before.getTime() - 1).toISOString() },
  }
}

async function limitsNow(ctx: Context, tenant: Tenant, currency: Currency) {
  const { perPayment, perDay, left } = await showLimits(ctx, tenant, currency)
  return { perPayment: shownAmount(perPayment), perDay: shownAmount(perDay), leftToday: shownAmount(left) }
}

export function watchEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  const { insights } = rooms
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/alerts',
      permission: 'payments.see',
      handle: async ({ business, role, tenant, person }) => {
        const place = { business, environment: tenant.environment }
        const seesBalance = judge('balance.see', role, tenant.environment) === 'yes'
        const seesWebhooks = judge('webhooks.see', role, tenant.environment) !== 'no'
        const [alerts, low, ofPayouts] = await Promise.all([
          insights.alerts({ business, tenant, seesWebhooks }),
          seesBalance ? lowBalanceAlerts(parts, tenant, place) : [],
          payoutAlerts(parts, tenant, place, { role, personId: person.person.id }),
        ])
        const linked = alerts.map(({ about, ...alert }) => ({
          ...alert,
          href: about === null ? null : hrefOf({ ...place, ...pageOf(about) }),
        }))
        return { data: { alerts: [...ofPayouts, ...low, ...linked] } }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/limits',
      // Needs `balance.see`, because what is left of the daily limit shows how much was paid out today.
      permission: 'balance.see',
      query: z.object({ currency: currencyName.default('NGN') }),
      handle: async ({ tenant, query: { currency } }) => ({ data: await limitsNow(ctx, tenant, currency) }),
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/:environment/pause',
      permission: 'payments.see',
      handle: async ({ business, tenant }) => ({ data: await pauseNow(ctx, business, tenant) }),
    }),
    dashboardEndpoint({
      method: 'POST',
      path: '/dashboard/api/b/:business/:environment/pause',
      permission: 'payouts.pause',
      body: z.object({
        isPaused: z.boolean('must be true or false'),
        reason: text(500).trim().min(1, 'must not be empty').optional(),
      }),
      handle: async ({ business, tenant, body: { isPaused, reason }, by }) => {
        if (reason === undefined && tenant.environment === 'production')
          throw validationError([{ field: 'reason', message: 'reason is required', code: 'required' }])
        const whose = { businessId: business, environment: tenant.environment, reason }
        const theirs = { ...ctx, by: by() }
        if (isPaused) await pausePayouts(theirs, whose)
        else if ((await resumePayouts(theirs, [tenant.lane], whose)).isRefused) throw pausedByOperator()
        return { data: await pauseNow(ctx, business, tenant) }
      },
    }),
  ]
}

function pausedByOperator(): ApiError {
  return new ApiError(
    'FORBIDDEN',
    'The operator of this service paused these payouts, and only the operator can resume them. Contact the operator.',
  )
}

/** `isByOperator`: all pauses in force are the operator's, which no business can end. */
async function pauseNow(ctx: Context, business: Uuid, { environment }: Tenant): Promise<Record<string, unknown>> {
  const pauses = await pausesOf(ctx, business, environment)
  const own = pauses.find(({ businessId, isByOperator }) => businessId !== undefined && !isByOperator)
  const [first = null] = pauses.map(({ pausedAt }) => pausedAt.toISOString()).toSorted()
  // Only the reason of the business itself is shown; that of the operator concerns the installation.
  const reason = own?.reason ?? null
  return { isPaused: pauses.length > 0, isByOperator: pauses.length > 0 && own === undefined, since: first, reason }
}

function shownAmount(kobo: Money | null): number | null {
  return kobo === null ? null : toWire(kobo)
}
