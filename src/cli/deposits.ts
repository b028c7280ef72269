// `manilla deposits show` and `refunds`: a deposit, and where the money is that could not be accepted.

import { laneNumbers } from '#businesses/lanes.ts'
import { createAdopting, parseNoticeId, type Adoption, type AdoptOutcome } from '#deposits/adopt.ts'
import { depositReference } from '#deposits/deposit.ts'
import {
  listAllRefunds,
  listOpenRefunds,
  readWithRefund,
  type ListedRefund,
  resolveRefund,
  type RefundResolution,
  type RefundResolved,
} from '#deposits/refunds.ts'
import { depositData } from '#deposits/wire.ts'
import type { Context } from '#platform/context.ts'
import { createLanes } from '#platform/db/lane.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { toKobo, toWire } from '#platform/money.ts'
import { tenantOf, idOf, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
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

// `manilla deposits adopt`: says whose money it is that came for nobody.

export async function adoptNoticeCommand(
  output: Output,
  id: string,
  options: { account: string; note: string },
): Promise<void> {
  const noticeId = parseNoticeId(id)
  if (noticeId === undefined)
    throw new OperatorError(`${id} is not a notice: it is ENVIRONMENT:PROVIDER:ID. See: npx manilla exceptions list`)
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
      return `${id} is the deposit ${depositReference(outcome.deposit.id)} of ${accountNumber} now. Its business is told as usual.`
    case 'unchanged':
      return `${id} is the deposit ${depositReference(outcome.deposit.id)} already; nothing was credited, and nothing of it waits for a person.`
    case 'no-notice':
      return `No notice ${id} waits for an account. See: npx manilla exceptions list`
    case 'not-paid':
      return `Its provider has said ${outcome.said.join(' and ')} of this money, so it may not be there. Nothing was done: ask the provider to say it again, or to return the money.`
    case 'unknown-account':
      return `Nobody owns the account ${accountNumber} in that environment. Nothing was done: look at the number.`
    case 'taken':
      return 'This money has become a deposit of another account, so nothing was credited.'
    case 'would-be-returned':
      return `The account ${accountNumber} does not take this money (${outcome.reason}). Nothing was done: name another account, or have the provider return it and close the exception.`
    case 'no-room':
      return `The books of that business have no room for this money. Nothing was done: when it has paid out, run this again.`
  }
}
