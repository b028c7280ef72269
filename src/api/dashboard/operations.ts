// The endpoints for people who operate the installation: the overview of it, and the actions on review items, such as
// corrections. Both are about all businesses.

import { z } from 'zod'
import { accountNumber, currencyField, requireId, text } from '#api/server/fields.ts'
import { findTenant } from '#businesses/business.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import type { AdjustOutcome, ItemRefusal, Corrections } from '#corrections/corrections.ts'
import { type AdoptOutcome, parseNoticeId } from '#deposits/adopt.ts'
import { depositReference } from '#deposits/deposit.ts'
import { refundResolutions, type RefundResolved, resolveRefund } from '#deposits/refunds.ts'
import type { Refusal } from '#payments/settle.ts'
import { type Actor, type Context, environments, type Tenant } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, type IdKind, parseId, type Uuid } from '#platform/ids.ts'
import { amountMax, type Currency, formatMoney, type Money, toMoney, toWire } from '#platform/money.ts'
import { closeBreak, closeException, type Overview } from '#reporting/reporting.ts'
import type { EndpointParts } from './dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from './endpoint.ts'

export function operationsEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/operations',
      permission: 'operator',
      handle: async () => ({ data: shown(await rooms.insights.overview(await laneNumbers(ctx))) }),
    }),
    closeEndpoint('exception', 'exception', (by, id, note) => closeException({ ...ctx, by }, id, note)),
    closeEndpoint('break', 'railBreak', (by, id, note) => closeBreak({ ...ctx, by }, id, note)),
    ...correctionEndpoints(parts),
  ]
}

type ClosedItem = { kind: 'closed' | 'was-closed'; closed: { closedAt: Date | null } } | { kind: 'not-found' }

/** Closes a review item with the operator's note. A second close is refused, so that the first note stays. */
function closeEndpoint(
  noun: 'exception' | 'break',
  kind: IdKind,
  close: (by: Actor, id: Uuid, note: string) => Promise<ClosedItem>,
): DashboardEndpoint {
  const notFound = (): ApiError => new ApiError('NOT_FOUND', `There is no such ${noun}`)
  return dashboardEndpoint({
    method: 'POST',
    path: `/dashboard/api/operations/${noun}s/:id/close`,
    permission: 'operator',
    stepUp: 'always',
    params: z.object({ id: z.string() }),
    body: z.object({ note: text(500) }),
    handle: async ({ params, body, by }) => {
      const outcome = await close(by(), requireId(kind, params.id, notFound), body.note)
      if (outcome.kind === 'not-found') throw notFound()
      if (outcome.kind === 'was-closed') throw new ApiError('CONFLICT', 'This review item is already closed.')
      return { data: { id: params.id, closedAt: outcome.closed.closedAt?.toISOString() ?? null } }
    },
  })
}

function shown({
  backlog,
  ended,
  rails,
  exceptions,
  exceptionsTotal,
  breaks,
  noticesStuck,
  pauses,
}: Overview): Record<string, unknown> {
  return {
    backlog: backlog.map(({ queue, count, oldestSeconds }) => ({
      queue,
      count,
      oldestSeconds: Math.round(oldestSeconds),
    })),
    ended: ended.map(({ hour, ...counts }) => ({ hour: hour.toISOString(), ...counts })),
    rails: rails.map(({ wallets, noticedAt, ...rail }) => ({
      ...rail,
      noticedAt: noticedAt?.toISOString() ?? null,
      wallets:
        wallets?.map(({ currency, country, amount }) => ({
          currency,
          country: country ?? null,
          amount: toWire(amount),
        })) ?? null,
    })),
    exceptions: exceptions.map(exceptionShown),
    exceptionsTotal,
    breaks: breaks.map((one) => ({
      id: formatId('railBreak', one.id),
      kind: one.kind,
      environment: one.environment,
      rail: one.rail,
      subject: one.subject,
      reference: one.reference,
      businessId: null,
      businessName: null,
      amount: one.amount === null || one.amount < 0n ? null : shownAmount(one.amount as Money),
      currency: one.currency,
      openedAt: one.openedAt.toISOString(),
      says: one.fact,
    })),
    notices: { stuck: noticesStuck },
    pauses: pauses.map(({ environment, businessId, businessName, pausedAt }) => ({
      environment,
      businessName,
      businessId: businessId === undefined ? null : formatId('business', businessId),
      since: pausedAt.toISOString(),
    })),
  }
}

function exceptionShown(one: Overview['exceptions'][number]): Record<string, unknown> {
  return {
    id: formatId('exception', one.id),
    kind: one.kind,
    environment: one.environment,
    subject: one.subject,
    reference: one.reference,
    businessId: one.businessId === null ? null : formatId('business', one.businessId),
    businessName: one.businessName,
    amount: shownAmount(one.amount),
    currency: one.currency,
    openedAt: one.raisedAt.toISOString(),
    says: one.fact,
  }
}

/** An amount that a provider reported may exceed the exact range of JSON integers; it is then shown as null. */
function shownAmount(amount: Money | null): number | null {
  return amount === null || amount > amountMax ? null : toWire(amount)
}

// The corrections that an operator can make because of a review item. Each may move money, so each needs a recent check of
// the second factor.

const params = z.object({ id: z.string() })
const note = text(500)
const where = { business: text(100), environment: z.enum(environments), note }
const adjustment = {
  amount: z
    .int('must be whole minor units')
    .refine((value) => value !== 0, 'must not be 0')
    .transform(toMoney),
  currency: currencyField,
}
const common = { method: 'POST', permission: 'operator', stepUp: 'always' } as const

function correctionEndpoints({ ctx, rooms }: EndpointParts): DashboardEndpoint[] {
  const { corrections, deposits } = rooms
  return [
    dashboardEndpoint({
      ...common,
      path: '/dashboard/api/operations/items/:id/settle',
      params,
      body: z.object({
        ...where,
        reference: text(100),
        as: z.enum(['success', 'failed', 'returned']),
        toBank: z.boolean().default(false),
      }),
      handle: async ({ params: { id: because }, body: { business, environment, ...word }, by }) => {
        const tenant = await tenantOf(ctx, business, environment)
        const outcome = await corrections.settle(tenant, { ...word, because, by: by() })
        return { data: { reference: word.reference, status: settledAs(outcome, word.reference) } }
      },
    }),
    dashboardEndpoint({
      ...common,
      path: '/dashboard/api/operations/items/:id/adjust',
      params,
      body: z.object({ ...where, ...adjustment }),
      handle: async ({ params: { id: because }, body: { business, environment, ...wish }, by }) => {
        const tenant = await tenantOf(ctx, business, environment)
        const outcome = await corrections.adjust(tenant, { ...wish, because, by: by() })
        if (outcome.kind !== 'adjusted') throw adjustRefusal(outcome, wish.currency)
        return { data: { available: toWire(outcome.available) } }
      },
    }),
    dashboardEndpoint({
      ...common,
      path: '/dashboard/api/operations/deposits/adopt',
      body: z.object({ notice: text(500), account: accountNumber, note }),
      handle: async ({ body: { notice, account, note: why }, by }) => {
        const noticeId = parseNoticeId(notice)
        if (noticeId === undefined) throw conflict('This review item is not about money that an account could get.')
        const outcome = await deposits.adopt({ noticeId, accountNumber: account, note: why, by: by() })
        return { data: { reference: adoptedAs(outcome) } }
      },
    }),
    dashboardEndpoint({
      ...common,
      path: '/dashboard/api/operations/deposits/resolve-refund',
      body: z.object({ reference: text(100), as: z.enum(refundResolutions), note }),
      handle: async ({ body, by }) => {
        const outcome = await resolveRefund(ctx, await laneNumbers(ctx), { ...body, by: by() })
        return { data: { reference: body.reference, status: resolvedAs(outcome, body.reference) } }
      },
    }),
  ]
}

async function tenantOf(ctx: Context, business: string, environment: Tenant['environment']): Promise<Tenant> {
  const id = parseId('business', business)
  const tenant = id === undefined ? undefined : await findTenant(ctx, id, environment)
  if (tenant === undefined) throw fault('business', 'There is no such business. Its id begins with biz_.')
  return tenant
}

const mayStillAct = 'The rail may still act on this payment. Nothing was changed. Try again in two minutes.'
const refusals: Partial<Record<Refusal, string>> = {
  'never-left': 'This payment was never sent, so it cannot have succeeded. Settle it as failed.',
  unclear:
    'An earlier submission of this payment was never answered, so its provider may still pay it out. Nothing was changed. Ask the provider, and settle the payment a day after it was accepted.',
}

function settledAs(outcome: Awaited<ReturnType<Corrections['settle']>>, reference: string): string {
  switch (outcome.kind) {
    case 'settled':
    case 'unchanged':
      return outcome.payment.status
    case 'impossible':
      throw conflict(`${reference} is ${outcome.payment.status} and cannot be changed to this. Nothing was changed.`)
    case 'refused':
      throw conflict(refusals[outcome.refusal] ?? mayStillAct)
    case 'not-found':
      throw fault('reference', 'This business has no such payment in this environment.')
    case 'no-room':
      throw conflict('This money would raise the balance above the largest amount. Nothing was changed.')
    case 'no-item':
    case 'other-environment':
    case 'other-business':
      throw itemRefusal(outcome)
  }
}

function adjustRefusal(outcome: Exclude<AdjustOutcome, { kind: 'adjusted' }>, currency: Currency): ApiError {
  switch (outcome.kind) {
    case 'was-closed':
      return conflict('This review item is already closed. Nothing was changed.')
    case 'too-little': {
      const available = formatMoney(outcome.available, currency)
      return fault('amount', `Only ${available} is available. Take at most that amount.`)
    }
    case 'too-much':
      return fault('amount', 'This amount would raise the balance above the largest amount.')
    case 'no-currency':
      return fault('currency', `The business has no balance in ${currency}.`)
    case 'no-item':
    case 'other-environment':
    case 'other-business':
      return itemRefusal(outcome)
  }
}

function itemRefusal({ kind }: ItemRefusal): ApiError {
  switch (kind) {
    case 'no-item':
      return new ApiError('NOT_FOUND', 'There is no such review item.')
    case 'other-environment':
      return fault('environment', 'This review item is about the other environment.')
    case 'other-business':
      return fault('business', 'This review item is about another business.')
  }
}

function adoptedAs(outcome: AdoptOutcome): string {
  switch (outcome.kind) {
    case 'adopted':
    case 'unchanged':
      return depositReference(outcome.deposit.id)
    case 'no-notice':
      throw conflict('This money no longer needs an account.')
    case 'not-paid':
      throw conflict('The provider has not said that this money is there, or has taken it back. Ask the provider.')
    case 'unknown-account':
      throw fault('account', 'No business owns this account in this environment.')
    case 'taken':
      throw conflict('This money has become a deposit of another account.')
    case 'would-be-returned':
      throw fault('account', `This account cannot take the money (${outcome.reason}). Choose another account.`)
    case 'no-room':
      throw conflict(
        'This money would raise the balance of that business above the largest amount. Let it pay out first.',
      )
  }
}

function resolvedAs(outcome: RefundResolved, reference: string): string {
  switch (outcome.kind) {
    case 'resolved':
      return outcome.status
    case 'not-open':
      throw conflict(`${reference} has no open refund: it has ended, or there was none. Nothing was changed.`)
    case 'under-way':
      throw conflict(
        `The provider may still send the money of ${reference} back. Nothing was changed. Ask the provider, or wait for its answer.`,
      )
  }
}

function fault(field: string, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message, { details: [{ field, message }] })
}

function conflict(sentence: string): ApiError {
  return new ApiError('CONFLICT', sentence)
}
