// `manilla deposits`: shows a deposit, lists and resolves refunds, and assigns unclaimed money to an account.

import { laneNumbers } from '#businesses/lanes.ts'
import { createAdopting, parseNoticeId, type Adoption, type AdoptOutcome } from '#deposits/adopt.ts'
import { depositData, depositReference } from '#deposits/deposit.ts'
import {
  listAllRefunds,
  listOpenRefunds,
  readWithRefund,
  type ListedRefund,
  resolveRefund,
  type RefundResolution,
  type RefundResolved,
} from '#deposits/refunds.ts'
import type { Context } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { formatMoney, toMoney, toWire } from '#platform/money.ts'
import { businessIdOf, tenantOf, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
import { formatTime, table, UsageError, type Output } from './output.ts'
import type { ShowDepositOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function listRefundsCommand(output: Output, { all = false }: { all?: boolean }): Promise<void> {
  const list = all ? listAllRefunds : listOpenRefunds
  const refunds = await withContext(readConfig(), output.step, async (ctx) => list(ctx, await laneNumbers(ctx)))
  const rows = refunds.map((one) => [
    depositReference(one.depositId),
    formatId('business', one.businessId),
    one.environment,
    formatMoney(toMoney(one.amount), one.currency),
    `${one.provider}:${one.providerId}`,
    one.returnReason,
    one.status,
    formatTime(one.dueAt),
    one.why ?? '',
  ])
  const head = ['deposit', 'business', 'environment', 'amount', 'money', 'because', 'status', 'next', 'why']
  const none = all ? 'There are no refunds.' : 'There are no open refunds.'
  const text = refunds.length === 0 ? none : table(head, rows)
  output.result({ refunds: refunds.map(documentOf) }, text)
}

export async function resolveRefundCommand(
  output: Output,
  reference: string,
  options: { as: RefundResolution['as']; note: string },
): Promise<void> {
  const note = noteIn(options)
  const outcome = await withContext(readConfig(), output.step, async (ctx) =>
    resolveRefund(ctx, await laneNumbers(ctx), { reference, as: options.as, note, by: ctx.by }),
  )
  const told = tellOf(outcome, reference)
  if (outcome.kind !== 'resolved') throw new OperatorError(told)
  output.result({ deposit: reference, status: outcome.status }, told)
}

function tellOf(outcome: RefundResolved, reference: string): string {
  if (outcome.kind === 'not-open')
    return `There is no open refund of ${reference}. See: npx manilla deposits refunds --all`
  if (outcome.kind === 'under-way')
    return `The provider may still return the money of ${reference}; its status is being queried. Nothing was changed. Wait for the result or for a review item.`
  return outcome.status === 'REFUNDED'
    ? `The refund of ${reference} is now REFUNDED. Its review items are closed.`
    : `The refund of ${reference} is now ${outcome.status}. The provider is first asked whether it has already returned the money.`
}

export async function showDepositCommand(
  output: Output,
  reference: string,
  options: ShowDepositOptions,
): Promise<void> {
  const businessId = businessIdOf(options)
  const found = await withContext(readConfig(), output.step, async (ctx) =>
    readWithRefund(ctx, await tenantOf(ctx, businessId, options.environment), reference),
  )
  if (found === undefined)
    throw new OperatorError(
      `There is no deposit ${reference} of this business in this environment. Check --business and --environment.`,
    )
  const { deposit, refund } = found
  const returned = refund === undefined ? null : documentOf(refund)
  const { amount, currency, status, provider, providerId, returnReason } = deposit
  const rows = [
    ['status', status],
    ['amount', formatMoney(amount, currency)],
    ['money', `${provider}:${providerId}`],
    ['account', deposit.accountNumber],
    ['paid', formatTime(deposit.paidAt)],
    ['returned because', returnReason ?? ''],
    ['refund', refund === undefined ? '' : `${refund.status} ${refund.why ?? ''}`.trim()],
  ]
  output.result(
    { ...depositData(deposit), provider, providerId, returnReason, refund: returned },
    table(['deposit', reference], rows),
  )
}

function documentOf({ depositId, businessId, amount, ...rest }: ListedRefund): Record<string, unknown> {
  return {
    deposit: depositReference(depositId),
    business: formatId('business', businessId),
    amount: toWire(toMoney(amount)),
    ...rest,
  }
}

export async function adoptNoticeCommand(
  output: Output,
  id: string,
  options: { account: string; note: string },
): Promise<void> {
  const noticeId = parseNoticeId(id)
  if (noticeId === undefined)
    throw new UsageError(`${id} is not a notice id. Use ENVIRONMENT:PROVIDER:ID. See: npx manilla exceptions list`)
  const [note, accountNumber] = [noteIn(options), options.account]
  const outcome = await withContext(readConfig(), output.step, (ctx) =>
    adopt(ctx, { noticeId, accountNumber, note, by: ctx.by }),
  )
  const told = tellAdoption(outcome, id, accountNumber)
  if (outcome.kind !== 'adopted' && outcome.kind !== 'unchanged') throw new OperatorError(told)
  output.result(depositData(outcome.deposit), told)
}

async function adopt(ctx: Context, wish: Adoption): Promise<AdoptOutcome> {
  const lanes = createLanes(ctx)
  try {
    return await createAdopting(ctx, lanes.of)(wish)
  } finally {
    await lanes.drain()
  }
}

function tellAdoption(outcome: AdoptOutcome, id: string, accountNumber: string): string {
  switch (outcome.kind) {
    case 'adopted':
      return `${id} is now the deposit ${depositReference(outcome.deposit.id)} of ${accountNumber}. Its business is notified as usual.`
    case 'unchanged':
      return `${id} is already the deposit ${depositReference(outcome.deposit.id)}. Nothing was credited, and it has no open review item.`
    case 'no-notice':
      return `There is no unclaimed notice ${id}. See: npx manilla exceptions list`
    case 'not-paid':
      return `The provider reported ${outcome.said.join(' and ')} for this money, so it may not have arrived. Nothing was changed. Ask the provider to confirm or to return the money.`
    case 'unknown-account':
      return `There is no account ${accountNumber} in that environment. Nothing was changed. Check the number.`
    case 'taken':
      return 'This money is already a deposit of another account. Nothing was credited.'
    case 'would-be-returned':
      return `The account ${accountNumber} does not accept this money (${outcome.reason}). Nothing was changed. Name another account, or let the provider return the money and close the exception.`
    case 'no-room':
      return `The balance of that business would exceed its maximum. Nothing was changed. Run this command again after the business has paid out.`
  }
}
