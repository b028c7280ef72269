// `manilla exceptions list` and `close`: the review queue.

import { formatId } from '#platform/ids.ts'
import { amountMax, toWire } from '#platform/money.ts'
import { exceptionKinds, type Exception, type ExceptionKind } from '#review/review-item.ts'
import { closeException, listOpenExceptions } from '#review/service.ts'
import { closeByHand, readConfig } from './settings.ts'
import { withContext } from './database.ts'
import { formatTime, table, type Output } from './output.ts'

export async function listExceptionsCommand(output: Output, { kind }: { kind?: ExceptionKind }): Promise<void> {
  const kinds = kind === undefined ? exceptionKinds : [kind]
  const { exceptions, total } = await withContext(readConfig(), output.step, (ctx) => listOpenExceptions(ctx, kinds))
  output.result({ total, exceptions: exceptions.map(documentOf) }, textOf(exceptions, total))
}

export function closeExceptionCommand(output: Output, id: string, options: { note: string }): Promise<void> {
  const missing = `exception ${id}. See: npx manilla exceptions list`
  return closeByHand(output, id, options, { kind: 'exception', close: closeException, documentOf, missing })
}

function textOf(exceptions: Exception[], total: number): string {
  if (exceptions.length === 0) return 'Nothing to review.'
  const rows = exceptions.map((one) => [
    formatId('exception', one.id),
    formatTime(one.raisedAt),
    one.kind,
    one.subject,
    one.businessId === null ? '' : formatId('business', one.businessId),
    one.reference,
    one.amount?.toString() ?? '',
    one.fact,
  ])
  const head = ['id', 'raised', 'kind', 'about', 'business', 'reference', 'kobo', 'fact']
  const more = total > exceptions.length ? `\n${exceptions.length} of ${total}, oldest first.` : ''
  // Ids of providers may contain control characters of terminals.
  const printable = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '?')))
  return `${table(head, printable)}${more}\nWhat to do about each kind: docs/runbooks/incidents.md.`
}

function documentOf(exception: Exception): Record<string, unknown> {
  const { id, businessId, tenantId: _, amount, ...rest } = exception
  return {
    id: formatId('exception', id),
    ...rest,
    business: businessId === null ? null : formatId('business', businessId),
    // An amount of a provider may exceed the exact range of JSON integers; then it is a string.
    amount: amount === null || amount > amountMax ? (amount?.toString() ?? null) : toWire(amount),
  }
}
