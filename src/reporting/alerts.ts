// What a business should look at, before it looks at anything else. Each is a sentence; none is the usual.

import type { Context, Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { countOpenOf } from '#review/service.ts'
import { readLate } from '#payments/list.ts'
import type { PaymentKind } from '#payments/payment.ts'
import { pausesOf } from '#payments/brakes.ts'
import { kindNames } from '#payments/wire.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Subscriptions } from '#webhooks/subscriptions.ts'

export type AlertQuestion = { business: Uuid; tenant: Tenant; seesWebhooks: boolean }

/** `asks`: a user must decide. `failed`: something does not work. `about`: the list that it links to, if there is one. */
export type Alert = { id: string; kind: AlertKind; severity: 'asks' | 'failed'; says: string; about: AlertAbout | null }

export type AlertAbout = PaymentKind | 'webhooks'

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
  for (const { kind, count } of late)
    add(
      'payments-late',
      'asks',
      `${numberOf(count, kindNames[kind])} ${count === 1 ? 'has' : 'have'} not ended after ten minutes.`,
      kind,
      kind,
    )
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
