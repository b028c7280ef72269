// The story of a payment.

import { encodeBase32, formatId } from '#base/ids.ts'
import { toWire } from '#base/money.ts'
import { ApiError } from '#base/error.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { judge } from '#http/dashboard/permissions.ts'
import { referenceParams } from '#http/fields.ts'
import type { Insights, Story } from '#insights/insights.ts'
import type { PaymentKind } from '#payments/payment.ts'
import { paymentData } from '#payments/wire.ts'

export function storyEndpoint(insights: Insights): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/payments/:reference/story',
    permission: 'payments.see',
    params: referenceParams,
    handle: async ({ role, tenant, params: { reference } }) => {
      const story = await insights.story(tenant, reference)
      if (story === undefined)
        throw new ApiError('NOT_FOUND', `There is no payment ${reference} on ${tenant.environment}`)
      const { deliveries, ...data } = shown(story)
      // An address of a webhook often holds a secret: only a role that may see webhooks is shown where events went.
      const seesWebhooks = judge('webhooks.see', role, tenant.environment) !== 'no'
      return { data: { ...data, deliveries: seesWebhooks ? deliveries : null } }
    },
  })
}

const kinds: Record<PaymentKind, string> = {
  bank_transfer: 'transfer',
  momo_transfer: 'momo-transfer',
  momo_collection: 'collection',
}

function shown({ payment, says, look, timeline, deliveries, tries, ...moved }: Story): Record<string, unknown> {
  return {
    payment: { kind: kinds[payment.kind], ...paymentData(payment) },
    says,
    look: look === null ? null : { ...look, nextAt: look.nextAt?.toISOString() ?? null },
    rail: payment.rail,
    timeline: timeline.map(({ at, ...moment }) => ({ at: at.toISOString(), ...moment })),
    movements: moved.movements.map(({ id, debit, credit, amount, type, createdAt }) => ({
      id: `mov_${encodeBase32(id)}`,
      at: createdAt.toISOString(),
      from: debit,
      to: credit,
      type,
      amount: toWire(amount),
    })),
    movementsArchivedUntil: moved.movementsArchivedUntil?.toISOString() ?? null,
    deliveries: deliveries.map((one) => ({
      eventId: formatId('event', one.id),
      eventType: one.event,
      subscriptionId: formatId('webhook', one.subscriptionId),
      subscriptionUrl: one.url,
      status: one.status,
      attempts: one.attempts,
      lastStatusCode: one.responseCode,
      nextAttemptAt: one.nextAttemptAt?.toISOString() ?? null,
    })),
    tries: tries.map(({ asked, answered, detail, firstAt, lastAt, times, milliseconds }) => ({
      at: firstAt.toISOString(),
      lastAt: lastAt.toISOString(),
      times,
      rail: payment.rail,
      asked,
      answered,
      detail,
      milliseconds,
    })),
  }
}
