// `manilla exceptions list` and `close`: the review queue.

import type { Context } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId, type IdKind, type Uuid } from '#platform/ids.ts'
import { amountMax, formatMoney, toMoney, toWire } from '#platform/money.ts'
import {
  exceptionKinds,
  type Exception,
  type ExceptionKind,
  closeException,
  listOpenExceptions,
} from '#review/review-queue.ts'
import { idOf, noteIn } from './arguments.ts'
import { withContext } from './database.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function listExceptionsCommand(output: Output, { kind }: { kind?: ExceptionKind }): Promise<void> {
  const kinds = kind === undefined ? exceptionKinds : [kind]
  const { exceptions, total } = await withContext(readConfig(), output.step, (ctx) => listOpenExceptions(ctx, kinds))
  const none = kind === undefined ? 'Nothing to review.' : `Nothing of the kind ${kind} to review.`
  output.result(
    { total, exceptions: exceptions.map(documentOf) },
    exceptions.length === 0 ? none : textOf(exceptions, total),
  )
}

export function closeExceptionCommand(output: Output, id: string, options: { note: string }): Promise<void> {
  const missing = `exception ${id}. See: npx manilla exceptions list`
  return closeByHand(output, id, options, { kind: 'exception', close: closeException, documentOf, missing })
}

function textOf(exceptions: Exception[], total: number): string {
  const rows = exceptions.map((one) => [
    formatId('exception', one.id),
    formatTime(one.raisedAt),
    one.kind,
    one.subject,
    one.businessId === null ? '' : formatId('business', one.businessId),
    one.reference,
    one.amount === null ? '' : formatMoney(one.amount, one.currency),
    one.fact,
  ])
  const head = ['id', 'raised', 'kind', 'about', 'business', 'reference', 'amount', 'fact']
  const more = total > exceptions.length ? `\n${exceptions.length} of ${total}, oldest first.` : ''
  return `${table(head, rows)}${more}\nWhat to do about each kind: docs/runbooks/incidents.md.`
}

function documentOf(exception: Exception): Record<string, unknown> {
  const { id, businessId, tenantId: _, amount, ...rest } = exception
  return {
    id: formatId('exception', id),
    ...rest,
    business: businessId === null ? null : formatId('business', businessId),
    amount: amount === null ? null : providerAmount(amount),
  }
}

/** An amount of a provider may exceed the exact range of JSON integers; then it is a string. */
export function providerAmount(amount: bigint): number | string {
  return amount > amountMax || amount < -amountMax ? amount.toString() : toWire(toMoney(amount))
}

type Closed = { closedAt: Date | null; note: string | null }

type Closing<T extends Closed> = {
  kind: IdKind
  close: (
    ctx: Context,
    id: Uuid,
    note: string,
  ) => Promise<{ kind: 'closed' | 'was-closed'; closed: T } | { kind: 'not-found' }>
  documentOf: (closed: T) => unknown
  missing: string
}

export async function closeByHand<T extends Closed>(
  output: Output,
  id: string,
  options: { note: string },
  { kind, close, documentOf: closedDocumentOf, missing }: Closing<T>,
): Promise<void> {
  const uuid = idOf(kind, id)
  const note = noteIn(options)
  const outcome = await withContext(readConfig(), output.step, (ctx) => close(ctx, uuid, note))
  if (outcome.kind === 'not-found') throw new OperatorError(`There is no ${missing}`)
  const { closed } = outcome
  const told =
    outcome.kind === 'closed'
      ? `Closed ${id}.`
      : `${id} was already closed at ${formatTime(closed.closedAt)}: ${closed.note ?? ''}`
  output.result(closedDocumentOf(closed), told)
}
