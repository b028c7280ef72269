// What a business should look at, before it looks at anything else. Each is a sentence; none is the usual.

import type { Context, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { countOpenOf } from '#review/service.ts'
import { readLate } from '#payments/list.ts'
import type { PaymentKind, PaymentStatus } from '#payments/payment.ts'
import { pausesOf } from '#payments/brakes.ts'
import { kindNames } from '#payments/wire.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Subscriptions } from '#webhooks/subscriptions.ts'

export type AlertQuestion = { business: Uuid; tenant: Tenant; seesWebhooks: boolean }

/** `asks`: a user must decide. `failed`: something does not work. `about`: the list that it links to, if there is one. */
export type Alert = { id: string; kind: AlertKind; severity: 'asks' | 'failed'; says: string; about: AlertAbout | null }

/** `before`: payments with this status that were accepted earlier. */
export type AlertAbout = { kind: PaymentKind; status: PaymentStatus; before: Date } | 'webhooks'

export type AlertKind =
  | 'webhook-failing'
  | 'webhook-disabled'
  | 'payments-late'
  | 'rail-missing'
  | 'exceptions-open'
  | 'payouts-paused'

export type AlertMeans = { ctx: Context; rails: RailRegistry; subscriptions: Subscriptions }

/** An address of a webhook often holds a secret: `seesWebhooks` says whether this reader may be shown it. */
export async function findAlerts(
  means: AlertMeans,
  { business, tenant, seesWebhooks }: AlertQuestion,
): Promise<Alert[]> {
  const { ctx, rails, subscriptions } = means
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
