// `manilla deposits show` and `refunds`: a deposit, and where the money is that could not be accepted.

import { OperatorError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { toKobo, toWire } from '#base/money.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { depositReference } from '#deposits/deposit.ts'
import { listOpenRefunds, readWithRefund, type ListedRefund } from '#deposits/list-refunds.ts'
import { depositData } from '#deposits/wire.ts'
import { tenantOf } from './choose-tenant.ts'
import { withContext } from './database.ts'
import { idOf } from './id-of.ts'
import { formatTime, table, type Output } from './output.ts'
import type { ShowDepositOptions } from './program-money.ts'
import { readConfig } from './settings.ts'

export async function listRefundsCommand(output: Output): Promise<void> {
  const refunds = await withContext(readConfig(), output.step, async (ctx) =>
    listOpenRefunds(ctx, await laneNumbers(ctx)),
  )
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
