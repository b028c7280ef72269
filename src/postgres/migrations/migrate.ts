// Applies migrations: plain SQL files, in order, once, forward only, while the previous version of the service runs
// (CONTRIBUTING.md says what a file may do). Each runs inside a transaction that locks the table of migrations, so that
// two processes that start together apply it once, and a failure leaves nothing half done. On a PostgreSQL with Citus,
// distribute.ts then distributes the tables.
//
// A session that waits for a strong lock blocks all later ones, payments too. So a migration waits only briefly, gives
// up, lets the others pass, and retries. A statement outside a transaction (`create index concurrently`) runs in a
// session of its own while that transaction is idle. It blocks no other session and may wait as long as needed.

import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '#platform/errors.ts'
import { requireOwnSessions } from '#platform/db/pooler.ts'
import { distributeTables, findLeftovers, hasCitus } from './distribute.ts'
import { ensureMigrationTable, ensureServiceRole } from './state.ts'
import {
  runConcurrent,
  isOutsideTransaction,
  parseConcurrent,
  readMigrations,
  stepsOf,
  type Migration,
} from './files.ts'
import { openSession, takeTurn, watchBlockers } from './session.ts'

export { roleRefused } from './state.ts'
export { serviceRole } from './state.ts'

type Patience = {
  /** Other sessions wait at most this long behind a migration. */
  lockTimeoutMs: number
  /** The pauses between attempts. They grow, because what blocks may take minutes, such as a backup. */
  pausesMs: readonly number[]
}

const patience: Patience = {
  lockTimeoutMs: 2_000,
  // Each is longer than a lock wait, so that sessions that queued are done before the next attempt. About three minutes
  // in total.
  pausesMs: [3_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000, 30_000],
}
const jitterShare = 0.2

/**
 * Aborting `stop` ends the work at once. Complete migrations stay applied, and the one under way is undone; an index
 * that was being built concurrently stays invalid until the next run rebuilds it.
 */
type Stopping = { stop?: AbortSignal | undefined }

type Run = Patience &
  Stopping & { ownerUrl: string; session: pg.Client; onStep: (message: string) => void; progress: string }

export async function migrate(
  ownerUrl: string,
  onStep: (message: string) => void = () => undefined,
  migrations?: Migration[],
  changes: Partial<Patience> & Stopping = {},
): Promise<string[]> {
  await requireOwnSessions(ownerUrl, 'MIGRATION_DATABASE_URL')
  const session = await openSession(ownerUrl, changes.stop).catch((error: unknown) => {
    throw new OperatorError(`Cannot reach the database to migrate it: ${messageOf(error)}`, { cause: error })
  })
  try {
    await ensureServiceRole(session)
    await ensureMigrationTable(session)
    const wanted = migrations ?? (await readMigrations())
    const known = await appliedBefore(session, onStep)
    if (migrations === undefined) refuseOlderThanBaseline([...known], wanted)
    const applied: string[] = []
    const missing = wanted.filter(({ name, checksum }) => !known.has(`${name} ${checksum}`))
    for (const [index, migration] of missing.entries()) {
      const run = { ...patience, ...changes, ownerUrl, session, onStep, progress: `${index + 1} of ${missing.length}` }
      if (await apply(run, migration)) applied.push(migration.name)
    }
    await distribute(session, onStep)
    const ahead = (await appliedNow(session)).filter(({ name }) => !wanted.some((one) => one.name === name))
    if (ahead.length > 0) {
      onStep(`leaving alone what a later version has applied: ${ahead.map(({ name }) => name).join(', ')}`)
    }
    return applied
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The database cannot be migrated: ${messageOf(error)}`, { cause: error })
  } finally {
    await session.end()
  }
}

/**
 * Refuses a database from before the first release. Its migration files were replaced by the baseline, and there is no
 * upgrade.
 */
function refuseOlderThanBaseline(applied: string[], wanted: Migration[]): void {
  const baseline = wanted[0]?.name ?? ''
  if (applied.length === 0 || applied.some((one) => one.startsWith(`${baseline} `))) return
  throw new OperatorError(
    'This database was made before version 0.1.0 and cannot be upgraded. Use an empty database: remove the folder of DATA_DIR ' +
      '(.manilla), or name another one in DATABASE_URL.',
  )
}

/** Reads the applied migrations under one lock, so that a start without new migrations is quick. */
async function appliedBefore(session: pg.Client, onStep: (message: string) => void): Promise<Set<string>> {
  await takeTurn(session, (who) => onStep(waitingFor(who)))
  const rows = await appliedNow(session)
  await session.query('commit')
  return new Set(rows.map(({ name, checksum }) => `${name} ${checksum}`))
}

async function distribute(session: pg.Client, onStep: (message: string) => void): Promise<void> {
  if (!(await hasCitus(session))) return
  await takeTurn(session, (who) => onStep(waitingFor(who)))
  try {
    await distributeTables(session, onStep)
    await session.query('commit')
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    throw error
  }
  for (const { what, statements } of await findLeftovers(session)) await onFreeTables(session, what, statements, onStep)
}

/** Runs statements that lock tables exclusively, unless a process uses the tables. The next migration repeats them. */
async function onFreeTables(
  session: pg.Client,
  what: string,
  statements: string[],
  onStep: (message: string) => void,
): Promise<void> {
  onStep(what)
  try {
    await session.query('begin')
    await session.query(`set local lock_timeout = ${patience.lockTimeoutMs}`)
    for (const sql of statements) await session.query(sql)
    await session.query('commit')
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    if (!hadToGiveWay(error)) throw error
    onStep(`${what} gave way to a process that uses the tables. Stop every process, and migrate again`)
  }
}

async function apply(run: Run, migration: Migration): Promise<boolean> {
  let inTheWay = 'a session that ended before it could be named'
  let told = false
  const onStart = (): void => {
    if (!told) run.onStep(`migrating ${migration.name} (${run.progress})`)
    told = true
  }
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(run, migration, onStart, (who) => (inTheWay = who))
    if (outcome !== 'gave way') return outcome === 'applied'
    const pauseMs = run.pausesMs[attempt]
    if (pauseMs === undefined) throw new OperatorError(surrender(migration, inTheWay, attempt + 1))
    const spreadMs = Math.round(pauseMs * (1 - jitterShare + (randomInt(1_001) / 1_000) * 2 * jitterShare))
    run.onStep(`${migration.name} gave way to ${inTheWay}; trying again in ${(spreadMs / 1_000).toFixed(1)} s`)
    await delay(spreadMs, undefined, { signal: run.stop })
  }
}

async function attemptOnce(
  run: Run,
  migration: Migration,
  onStart: () => void,
  onBlocked: (who: string) => void,
): Promise<'applied' | 'known' | 'gave way'> {
  const { session } = run
  try {
    await takeTurn(session, (who) => run.onStep(waitingFor(who)))
    if (await isApplied(session, migration)) {
      await session.query('commit')
      return 'known'
    }
    onStart()
    await (isOutsideTransaction(migration) ? runOutside(run, migration) : runInside(run, migration, onBlocked))
    return 'applied'
  } catch (error) {
    await session.query('rollback').catch(() => undefined)
    if (hadToGiveWay(error)) return 'gave way'
    throw error instanceof OperatorError ? error : new OperatorError(failure(migration, error), { cause: error })
  }
}

async function runInside(run: Run, migration: Migration, onBlocked: (who: string) => void): Promise<void> {
  const { ownerUrl, session, lockTimeoutMs } = run
  await session.query(`set local lock_timeout = ${lockTimeoutMs}`)
  // Watches the commit too, so that locks are released before the watcher closes its session.
  await watchBlockers(ownerUrl, session, onBlocked, async () => {
    // One by one, because Citus sends the text of the whole query to its workers, which accept only one statement.
    for (const step of stepsOf(migration.text)) await session.query(step)
    await recordAndCommit(session, migration)
  })
}

/**
 * Runs the statement in a session of its own. Until it ends, the transaction of `run.session` must be idle and without
 * a snapshot, because a concurrent index build waits until older snapshots are gone. It would wait forever.
 */
async function runOutside(run: Run, migration: Migration): Promise<void> {
  const { ownerUrl, onStep, stop } = run
  const change = parseConcurrent(migration)
  if (change === undefined) {
    throw new OperatorError(
      `Migration ${migration.name} may run outside of a transaction only as one statement: ` +
        `create [unique] index concurrently NAME on TABLE …, or drop index concurrently if exists NAME.`,
    )
  }
  const session = await openSession(ownerUrl, stop)
  try {
    const onBlocked = (who: string): void => onStep(`${migration.name} waits for ${who}; no other session waits for it`)
    await watchBlockers(ownerUrl, session, onBlocked, () => runConcurrent(session, change, onBlocked))
  } finally {
    await session.end()
  }
  await recordAndCommit(run.session, migration)
}

async function recordAndCommit(session: pg.Client, { name, checksum }: Migration): Promise<void> {
  const values = [name, checksum, new Date()]
  await session.query('insert into migration (name, checksum, applied_at) values ($1, $2, $3)', values)
  await session.query('commit')
}

async function isApplied(session: pg.Client, { name, checksum }: Migration): Promise<boolean> {
  const applied = await appliedNow(session)
  const before = applied.find((row) => row.name === name)
  if (before?.checksum === checksum) return true
  if (before !== undefined) {
    throw new OperatorError(`Migration ${name} was changed after it was applied. Restore the released file.`)
  }
  const later = applied.find((row) => row.name > name)
  if (later === undefined) return false
  throw new OperatorError(
    `Migration ${name} comes before ${later.name}, which is applied already. Give it a later number.`,
  )
}

/**
 * The query has no parameters, because one with parameters leaves its snapshot open, and a concurrent build would wait
 * for that.
 */
async function appliedNow(session: pg.Client): Promise<{ name: string; checksum: string }[]> {
  const found = await session.query<{ name: string; checksum: string }>(
    'select name, checksum from migration order by name',
  )
  return found.rows
}

/** A lock timeout (55P03) or the loser of a deadlock (40P01). */
function hadToGiveWay(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '40P01')
}

function waitingFor(who: string): string {
  return `waiting until another process has migrated: ${who}`
}

function surrender({ name }: Migration, by: string, attempts: number): string {
  return (
    `Migration ${name} gave way ${attempts} times and was undone; the database is as before it. In its way: ${by}. ` +
    `Wait until that is over, or end it with select pg_terminate_backend(PID), and migrate again.`
  )
}

function failure({ name }: Migration, error: unknown): string {
  // Severity ERROR means that the server undid the migration. After another error, the COMMIT may have succeeded.
  if (error instanceof pg.DatabaseError && error.severity === 'ERROR') {
    return `Migration ${name} failed and was undone: ${error.message}`
  }
  return `Migration ${name} was cut off: ${messageOf(error)}. Migrate again: finished steps are kept, and the rest starts over.`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
