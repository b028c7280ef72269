// `manilla deposits show` and `refunds`: a deposit, and where the money is that could not be accepted.

import { OperatorError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { toKobo, toWire } from '#base/money.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { depositReference } from '#deposits/deposit.ts'
import { listAllRefunds, listOpenRefunds, readWithRefund, type ListedRefund } from '#deposits/list-refunds.ts'
import { resolveRefund, type RefundResolution, type RefundResolved } from '#deposits/resolve-refund.ts'
import { depositData } from '#deposits/wire.ts'
import { tenantOf } from './choose-tenant.ts'
import { withContext } from './database.ts'
import { idOf } from './id-of.ts'
import { noteIn } from './note.ts'
import { formatTime, table, type Output } from './output.ts'
import type { ShowDepositOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function listRefundsCommand(output: Output, { all = false }: { all?: boolean }): Promise<void> {
  const list = all ? listAllRefunds : listOpenRefunds
  const refunds = await withContext(readConfig(), output.step, async (ctx) => list(ctx, await laneNumbers(ctx)))
  const rows = refunds.map((one) => [
    depositReference(one.depositId),
    formatId('business', one.businessId),
    one.environment,
    one.amount.toString(),
    `${one.provider}:${one.providerId}`,
    one.returnReason,
    one.status,
    formatTime(one.dueAt),
    one.why ?? '',
  ])
  const head = ['deposit', 'business', 'environment', 'kobo', 'money', 'because', 'status', 'next', 'why']
  // Providers may put anything into their ids, also what a terminal would obey.
  const printable = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '?')))
  const text = refunds.length === 0 ? 'No money is on its way back.' : table(head, printable)
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
  if (outcome.kind === 'not-open') return `No refund of ${reference} is open. See: npx manilla deposits refunds --all`
  if (outcome.kind === 'under-way')
    return `The provider may still send the money of ${reference} back, and is asked about it. Nothing was done: wait for its answer, or for a review item about it.`
  return outcome.status === 'REFUNDED'
    ? `The refund of ${reference} is REFUNDED now. Its review items are closed.`
    : `The refund of ${reference} is ${outcome.status} now. Its provider is asked first whether it has sent the money back.`
}

export async function showDepositCommand(
  output: Output,
  reference: string,
  options: ShowDepositOptions,
): Promise<void> {
  const businessId = idOf('business', options.business)
  const found = await withContext(readConfig(), output.step, async (ctx) =>
    readWithRefund(ctx, await tenantOf(ctx, businessId, options.environment), reference),
  )
  if (found === undefined)
    throw new OperatorError(
      `There is no deposit ${reference} of this business in this environment. Look at --business and --environment.`,
    )
  const { deposit, refund } = found
  const returned = refund === undefined ? null : documentOf(refund)
  const { amount, status, provider, providerId, returnReason } = deposit
  const rows = [
    ['status', status],
    ['kobo', amount.toString()],
    ['money', `${provider}:${providerId}`],
    ['account', deposit.accountNumber],
    ['paid', formatTime(deposit.paidAt)],
    ['returned because', returnReason ?? ''],
    ['refund', refund === undefined ? '' : `${refund.status} ${refund.why ?? ''}`.trim()],
  ].map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '?')))
  output.result(
    { ...depositData(deposit), provider, providerId, returnReason, refund: returned },
    table(['deposit', reference], rows),
  )
}

function documentOf({ depositId, businessId, amount, ...rest }: ListedRefund): Record<string, unknown> {
  return {
    deposit: depositReference(depositId),
    business: formatId('business', businessId),
    amount: toWire(toKobo(amount)),
    ...rest,
  }
}
