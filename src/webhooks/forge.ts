// A delivery with a wrong signature, sent to see it refused: a receiver that takes it would take anybody's. It is in no log of
// deliveries, for it is none.

import { record } from '#audit/record.ts'
import type { Actor, Context, Tenant } from '#base/context.ts'
import { formatId, newUuid } from '#base/ids.ts'
import { testEvent } from '#events/catalogue.ts'
import type { DeliveryInHand } from '#events/handover.ts'
import { keepForgery } from './sql-subscriptions.ts'
import type { Subscription } from './subscription.ts'

/** What the receiver answered: null, nothing. */
export type Answered = { responseCode: number | null }

export type ForgeryOptions = {
  ctx: Context
  /** One attempt, signed with a secret that nobody has. It records nothing. */
  sendForged: (delivery: DeliveryInHand) => Promise<Answered>
}

/** `taken`: answered as if it were right. `unclear`: not there, busy, or broken, which says nothing of signatures. */
export type Forgery = {
  subscription: Subscription
  verdict: 'refused' | 'taken' | 'unclear'
  responseCode: number | null
}

export async function forge(
  { ctx, sendForged }: ForgeryOptions,
  tenant: Tenant,
  subscription: Subscription,
  by: Actor,
): Promise<Forgery> {
  const { responseCode } = await sendForged(forgedFor(tenant, subscription, ctx.clock.now()))
  const verdict = verdictOf(responseCode)
  await ctx.db.transaction((tx) => {
    const nowMs = ctx.clock.now()
    if (verdict !== 'unclear') keepForgery(tx, subscription, tenant, verdict === 'refused' ? new Date(nowMs) : null)
    const subject = formatId('webhook', subscription.id)
    const details = { verdict, responseCode }
    record(tx, nowMs, { by, act: 'webhook.forgery-sent', tenantId: tenant.id, subject, details })
    return Promise.resolve()
  })
  return { subscription, verdict, responseCode }
}

/** It is not there, comes too late, is gone, or is asked too often. */
const saysNothing = new Set([404, 408, 410, 429])

function verdictOf(code: number | null): Forgery['verdict'] {
  if (code !== null && code >= 200 && code < 300) return 'taken'
  return code !== null && code >= 400 && code < 500 && !saysNothing.has(code) ? 'refused' : 'unclear'
}

function forgedFor({ lane, environment }: Tenant, subscription: Subscription, atMs: number): DeliveryInHand {
  const { id: subscriptionId, tenantId, url, oldSecret, oldSecretUntil } = subscription
  const [id, at] = [newUuid(atMs), new Date(atMs)]
  const said = { webhookId: formatId('webhook', subscriptionId), message: 'This signature is wrong. Refuse it.' }
  return {
    lane,
    tenantId,
    environment,
    id,
    receiver: { subscriptionId, url, secret: Buffer.alloc(0), oldSecret, oldSecretUntil, failing: false },
    event: testEvent,
    reference: formatId('event', id),
    createdAt: at,
    data: JSON.stringify(said),
    trace: null,
    attempts: 0,
    manual: true,
    leaseEnd: at,
  }
}
