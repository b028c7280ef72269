// The meaning of PostgreSQL errors: which of them mean that the database is unavailable for now, and which that a
// transaction may run again.

import pg from 'pg'
import { Unavailable } from '#platform/errors.ts'

// SQLSTATEs after which the same statement may succeed later: lost connections (08), too few resources (53), a server
// that stops, starts or cancels a statement (57), a disk error (58), a lock timeout (55P03), a transaction that was
// idle or open for too long (25P03, 25P04), a read-only standby (25006).
const unavailableStates = /^(08|53|57|58|55P03|25P03|25P04|25006)/

/**
 * Citus reports a COMMIT whose worker node died meanwhile as an internal error, although the COMMIT may have succeeded.
 * Only the message, which Citus does not translate, distinguishes it from other internal errors.
 */
function isLostAtWorker({ code, message }: pg.DatabaseError): boolean {
  return code === 'XX000' && message.startsWith('could not commit transaction')
}

export function toFault(error: unknown): Error {
  if (error instanceof Unavailable || isRefusal(error)) return error
  return new Unavailable('The database cannot be reached right now.', { cause: error })
}

/** PostgreSQL refused the statement itself. The transaction is rolled back, and the connection is fine. */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false
  const ended = error.severity === 'FATAL' || error.severity === 'PANIC'
  return !ended && !unavailableStates.test(error.code ?? '') && !isLostAtWorker(error)
}

/** A deadlock or a serialization failure. Nothing was committed, and a retry may succeed at once. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

export function isTooLong(error: unknown): boolean {
  return error instanceof Unavailable && error.cause instanceof pg.DatabaseError && error.cause.code === '57014'
}

/** The coordinator of Citus could not reach a worker. The session is at the coordinator, which answered, so it works. */
export function isAboutWorker(error: unknown): boolean {
  if (!(error instanceof Unavailable) || !(error.cause instanceof pg.DatabaseError)) return false
  return error.cause.severity === 'ERROR' && error.cause.code?.startsWith('08') === true
}

export function isConsequence(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02'
}
