// Exceptions as the doors see them: what is open, how much of it, and that a person has looked.

import { closeOnce, type CloseOutcome, type Closing } from '#audit/closing.ts'
import type { Context, Tenant } from '#base/context.ts'
import { formatId, type Uuid } from '#base/ids.ts'
import { exceptionKinds, type Exception, type ExceptionKind } from './exception.ts'
import { closeLocked, countOpen, countOpenOfTenant, findOpen, lockException } from './sql.ts'

export { isOpen } from './sql.ts'

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

export function closeException(ctx: Context, id: Uuid, note: string): Promise<CloseOutcome<Exception>> {
  return closeOnce(ctx, exceptionClosing(id), note)
}

export function exceptionClosing(id: Uuid): Closing<Exception> {
  return {
    lock: (tx) => lockException(tx, id),
    beganAt: ({ raisedAt }) => raisedAt,
    write: closeLocked,
    entryOf: ({ kind, subject, fact, tenantId }, note) => ({
      act: 'exception.closed',
      ...(tenantId === null ? {} : { tenantId }),
      subject: formatId('exception', id),
      details: { kind, about: subject, fact, note },
    }),
  }
}
