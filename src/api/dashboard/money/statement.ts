// The endpoints for the statement of the available balance in a period, with the balance before and after it, and for the
// history of a payment. Also reads the statement with the other party of each entry, for exports.

import { z } from 'zod'
import { judge } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import {
  archivedError,
  currencyField,
  fromParameter,
  limitParameter,
  pageParameter,
  paginationOf,
  referenceParams,
  toParameter,
} from '#api/server/fields.ts'
import { entriesSummedMax, readStatement, type StatementEntry, walkStatement } from '#ledger/statement.ts'
import type { PaymentKind, Payment } from '#payments/payment.ts'
import { paymentData } from '#payments/wire.ts'
import { ApiError } from '#platform/errors.ts'
import { encodeBase32, formatId } from '#platform/ids.ts'
import { toWire, type Currency } from '#platform/money.ts'
import type { Insights, Story } from '#reporting/reporting.ts'
import { depositReference, type Deposit } from '#deposits/deposit.ts'
import { readDepositsOf } from '#deposits/list.ts'
import { findOperator } from '#directory/operators.ts'
import { readPaymentsOf } from '#payments/list.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { TimeRange } from '#platform/db/numbered-list.ts'

export function statementEndpoint(ctx: EndpointParts['ctx']): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/statement',
    permission: 'balance.see',
    query: z.object({
      page: pageParameter,
      limit: limitParameter,
      from: fromParameter,
      to: toParameter,
      currency: currencyField,
    }),
    handle: async ({ tenant, query: { page, limit, from, to, currency } }) => {
      const statement = await readStatement(ctx, tenant, currency, { page, limit, from, before: to })
      if (statement.kind === 'too-long') throw tooLong()
      if (statement.kind === 'archived') throw archivedError(statement)
      const { opening, closing, sumIn, sumOut, adds, entries, total } = statement
      const sums = { opening: toWire(opening), closing: toWire(closing), sumIn: toWire(sumIn), sumOut: toWire(sumOut) }
      return { data: { ...sums, adds, entries: entries.map(shownEntry) }, pagination: paginationOf(page, limit, total) }
    },
  })
}

function tooLong(): ApiError {
  const message = `from and to span more than ${entriesSummedMax} entries. Choose a shorter period, or export the statement`
  return new ApiError('VALIDATION_ERROR', message, { details: [{ field: 'from', message }] })
}

function shownEntry({ number, createdAt, type, reference, in: came, out, balanceAfter }: StatementEntry) {
  return {
    number: Number(number),
    at: createdAt.toISOString(),
    what: type,
    reference,
    in: toWire(came),
    out: toWire(out),
    balanceAfter: toWire(balanceAfter),
  }
}

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
      const { deliveries, ...data } = shownStory(story)
      // Webhook addresses often contain secrets, so only roles that may see webhooks see the destination of events.
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

function shownStory({ payment, says, look, timeline, deliveries, tries, ...moved }: Story): Record<string, unknown> {
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

/** The recipient of a payout, or the sender of a deposit. An unknown value is empty. */
type Counterparty = {
  name: string
  /** An account number, or a phone number. */
  account: string
  /** A bank, or an operator of mobile money. */
  institution: string
  /** The id that the bank or the operator gave the payout. */
  sessionId: string
}

export type StatementLine = StatementEntry & { counterparty: Counterparty | undefined }

/** Yields the lines of a period in batches, the latest first. */
export async function* walkStatementLines(
  ctx: Pick<Context, 'db'>,
  tenant: Tenant,
  currency: Currency,
  time: TimeRange,
): AsyncGenerator<StatementLine[]> {
  for await (const entries of walkStatement(ctx, tenant, currency, time)) {
    const [payments, deposits] = await Promise.all([
      readPaymentsOf(ctx, tenant, referencesOf(entries, paymentTypes)),
      readDepositsOf(ctx, tenant, referencesOf(entries, depositTypes)),
    ])
    const payees = new Map(payments.map((payment) => [payment.reference, payeeOf(payment)]))
    const senders = new Map(deposits.map((deposit) => [depositReference(deposit.id), senderOf(deposit)]))
    yield entries.map((entry) => ({
      ...entry,
      counterparty: (depositTypes.has(entry.type) ? senders : payees).get(entry.reference),
    }))
  }
}

const paymentTypes = new Set(['hold', 'release', 'reversal', 'fee_refund'])
const depositTypes = new Set(['deposit', 'deposit_fee'])

function referencesOf(entries: readonly StatementEntry[], types: ReadonlySet<string>): string[] {
  return [...new Set(entries.filter(({ type }) => types.has(type)).map(({ reference }) => reference))]
}

function payeeOf(payment: Payment): Counterparty {
  if (payment.kind === 'bank_transfer') {
    const { accountName, accountNumber, bankName, sessionId } = payment
    return { name: accountName, account: accountNumber, institution: bankName, sessionId: sessionId ?? '' }
  }
  const { operator, operatorReference } = payment
  return {
    name: (payment.kind === 'momo_transfer' ? payment.accountName : null) ?? '',
    account: accountOf(payment),
    institution: findOperator(operator)?.name ?? operator,
    sessionId: operatorReference ?? '',
  }
}

/** The phone number of a wallet, or the number of a till or paybill, followed by the account at the paybill. */
function accountOf(payment: Exclude<Payment, { kind: 'bank_transfer' }>): string {
  if (payment.kind === 'momo_collection') return payment.phoneNumber
  if (payment.phoneNumber !== null) return payment.phoneNumber
  return [payment.accountNumber, payment.accountReference].filter((text) => text !== null).join(' ')
}

function senderOf({ senderAccountName, senderAccountNumber, senderBankName }: Deposit): Counterparty {
  return { name: senderAccountName, account: senderAccountNumber, institution: senderBankName, sessionId: '' }
}
