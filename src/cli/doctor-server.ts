// The doctor's look at the PostgreSQL: its version, what it promises, what the login of the service may do there.

import pg from 'pg'
import { systemClock } from '#base/clock.ts'
import { judgeConnections, readConnections } from '#base/connections.ts'
import { databaseTimeMs } from '#base/database-clock.ts'
import type { Queryable, Statement } from '#base/db.ts'
import { OperatorError } from '#base/error.ts'
import { findPooler, poolerSentence, type Pooler } from '#base/pooler.ts'
import { serversOf } from '#base/primary.ts'
import { openSession } from '#base/sessions.ts'
import { roleRefused, serviceRole } from '#migrations/migrate.ts'
import { missingMigrations } from '#migrations/state.ts'
import type { OpenDatabase } from './database.ts'
import { examineOwnDatabase } from './doctor-database.ts'
import { finding, type Finding } from './finding.ts'

const clockSkewMsMax = 2_000
const postgresVersionMin = 15

export async function examineServer(database: OpenDatabase, production: boolean): Promise<Finding[]> {
  if (database.embedded) return examineSession(database, production)
  const pooler = poolerFinding(await findPooler(database.serviceUrl))
  // In a session that somebody else gets next, nothing may be tried.
  return pooler.state === 'failed' ? [pooler] : [pooler, ...(await examineSession(database, production))]
}

function poolerFinding(pooler: Pooler): Finding {
  const works = pooler.kind === 'none' || pooler.kind === 'own'
  return finding('pooler', works ? 'ok' : 'failed', poolerSentence(pooler))
}

async function examineSession(database: OpenDatabase, production: boolean): Promise<Finding[]> {
  const client = await openSession(database.serviceUrl)
  try {
    const answer = await client.query(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
              ${databaseTimeMs} as now_ms, rolsuper as superuser,
              current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable
         from pg_roles where rolname = current_user`,
    )
    const [row] = answer.rows as {
      version: string
      major: number
      now_ms: number
      superuser: boolean
      durable: boolean
    }[]
    if (row === undefined) throw new OperatorError('The database does not know its own user.')
    const where = database.embedded ? 'embedded' : 'DATABASE_URL'
    const skewMs = Math.round(Math.abs(row.now_ms - systemClock.now()))
    const db: Queryable = { query: async <R extends object>({ text }: Statement) => (await client.query<R>(text)).rows }
    const missing = await missingMigrations(db)
    const connections = judgeConnections(await readConnections(db))
    return [
      row.major >= postgresVersionMin
        ? finding('database', 'ok', `PostgreSQL ${row.version}, ${where}${primaryAmong(client, database)}`)
        : finding(
            'database',
            'failed',
            `PostgreSQL ${row.version} is too old: ${postgresVersionMin} or newer is needed`,
          ),
      missing.length === 0
        ? finding('migrations', 'ok', 'up to date')
        : finding('migrations', 'failed', `${missing.join(', ')} missing. Run: npx manilla migrate`),
      row.durable
        ? finding('durability', 'ok', 'a committed payment survives a crash')
        : finding(
            'durability',
            'failed',
            'fsync or synchronous_commit is off: a crash would lose payments. Switch both on',
          ),
      finding('connections', connections.state, connections.message),
      await roleFinding(client, row.superuser),
      skewMs <= clockSkewMsMax
        ? finding('clock', 'ok', `${skewMs} ms apart from the database`)
        : finding('clock', 'warning', `${skewMs} ms apart from the database: let both machines follow a time server`),
      ...(database.embedded ? [] : await examineOwnDatabase(client, database.serviceUrl, production)),
    ]
  } finally {
    await client.end()
  }
}

/** Which one of the servers that DATABASE_URL names takes the writes now. */
function primaryAmong({ host, port }: pg.Client, { serviceUrl }: OpenDatabase): string {
  return serversOf(serviceUrl).length === 1 ? '' : `; ${host}:${port} takes the writes`
}

/** A session that may not step down to the role of the service cannot serve, whatever else it may do. */
async function roleFinding(client: pg.Client, superuser: boolean): Promise<Finding> {
  try {
    await client.query(`set role ${serviceRole}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    return finding('role', 'failed', roleRefused)
  }
  return superuser
    ? finding('role', 'warning', 'DATABASE_URL logs in as a superuser; let the service have a login of its own')
    : finding('role', 'ok', `the service logs in without special rights and works as ${serviceRole}`)
}
