// Exceptions as the doors see them: what is open, how much of it, and that a person has looked.

import { record } from '#audit/record.ts'
import type { Context, Tenant } from '#base/context.ts'
import { formatId, type Uuid } from '#base/ids.ts'
import { exceptionKinds, type Exception, type ExceptionKind } from './exception.ts'
import { closeLocked, countOpen, countOpenOfTenant, findOpen, lockException } from './sql.ts'

/** A page for a person; what stands behind it shows when some are closed. */
const listedMax = 200

/** Oldest first, and how many there are in all. */
export async function listOpenExceptions(
  { db }: Context,
  kinds: readonly ExceptionKind[] = exceptionKinds,
): Promise<{ exceptions: Exception[]; total: number }> {
  const [exceptions, counts] = await Promise.all([findOpen(db, kinds, listedMax), countOpen(db)])
  const total = counts.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0n)
  return { exceptions, total: Number(total) }
}

/** How many are open about one tenant's money. */
export function countOpenOf({ db }: Pick<Context, 'db'>, tenant: Tenant): Promise<number> {
  return countOpenOfTenant(db, tenant)
}

export type CloseOutcome = { kind: 'closed' | 'was-closed'; closed: Exception } | { kind: 'not-found' }

export function closeException({ db, clock, by }: Context, id: Uuid, note: string): Promise<CloseOutcome> {
  return db.transaction(async (tx): Promise<CloseOutcome> => {
    const exception = await lockException(tx, id)
    if (exception === undefined) return { kind: 'not-found' }
    if (exception.closedAt !== null) return { kind: 'was-closed', closed: exception }
    const closedAt = new Date(Math.max(clock.now(), exception.raisedAt.getTime()))
    closeLocked(tx, exception, closedAt, note)
    const { kind, subject, fact, tenantId } = exception
    const about = { subject: formatId('exception', id), details: { kind, about: subject, fact, note } }
    const whose = tenantId === null ? {} : { tenantId }
    record(tx, closedAt.getTime(), { by, act: 'exception.closed', ...whose, ...about })
    return { kind: 'closed', closed: { ...exception, closedAt, note } }
  })
}
