// Looks at everything that a start depends on, and says what to do about what is wrong.

import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { requirePorts } from '#app.ts'
import { systemClock } from '#base/clock.ts'
import { databaseTimeMs } from '#base/database-clock.ts'
import { connectionsPerProcessMax } from '#base/connections.ts'
import type { Statement } from '#base/db.ts'
import { OperatorError } from '#base/error.ts'
import type { Config } from '#config.ts'
import { missingMigrations } from '#migrations/state.ts'
import { openDatabase, type OpenDatabase } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

type Finding = { check: string; state: 'ok' | 'warning' | 'failed'; message: string }

const clockSkewMsMax = 2_000
const postgresVersionMin = 15

export async function doctorCommand(output: Output): Promise<void> {
  const findings: Finding[] = []
  const config = look(findings, 'settings', () => readConfig(), 'all settings can be read')
  findings.push(
    finding('node', process.versions.node.startsWith('24.') ? 'ok' : 'warning', `Node ${process.versions.node}`),
  )
  if (config !== undefined) {
    findings.push(await checkPorts(config), await checkCredentials(config))
    findings.push(...(await checkDatabase(config, output.step)))
  }
  const failed = findings.filter((one) => one.state === 'failed').length
  const text = findings.map((one) => `${one.state.padEnd(8)} ${one.check.padEnd(12)} ${one.message}`).join('\n')
  output.result({ ok: failed === 0, findings }, `${text}\n${failed === 0 ? 'Ready to serve.' : `${failed} to fix.`}`)
  if (failed > 0) process.exitCode = 1
}

function look<T>(findings: Finding[], check: string, work: () => T, message: string): T | undefined {
  try {
    const value = work()
    findings.push(finding(check, 'ok', message))
    return value
  } catch (error) {
    findings.push(finding(check, 'failed', messageOf(error)))
    return undefined
  }
}

async function checkPorts(config: Config): Promise<Finding> {
  try {
    await requirePorts(config, ['api', 'worker'])
    return finding('port', 'ok', `${config.host}:${config.port} is free`)
  } catch (error) {
    return finding('port', 'warning', `${messageOf(error)} If a Manilla server runs here now, nothing is wrong.`)
  }
}

async function checkCredentials(config: Config): Promise<Finding> {
  const file = path.join(config.dataDir, 'credentials.json')
  try {
    const { mode } = await stat(file)
    if ((mode & 0o077) !== 0)
      return finding('credentials', 'failed', `${file} can be read by others. Run: chmod 600 ${file}`)
    await access(file, constants.R_OK)
    return finding('credentials', 'ok', file)
  } catch {
    return finding('credentials', 'ok', 'none yet; the first start on the embedded database writes them')
  }
}

async function checkDatabase(config: Config, onStep: (message: string) => void): Promise<Finding[]> {
  let database: OpenDatabase | undefined
  try {
    database = await openDatabase(config, { use: 'command', onStep })
    return await examine(database)
  } catch (error) {
    return [finding('database', 'failed', messageOf(error))]
  } finally {
    await database?.release()
  }
}

async function examine(database: OpenDatabase): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: database.serviceUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const answer = await client.query(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
              ${databaseTimeMs} as now_ms, rolsuper as superuser,
              current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable,
              current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections
         from pg_roles where rolname = current_user`,
    )
    const [row] = answer.rows as {
      version: string
      major: number
      now_ms: number
      superuser: boolean
      durable: boolean
      connections: number
    }[]
    if (row === undefined) throw new OperatorError('The database does not know its own user.')
    const where = database.embedded ? 'embedded' : 'DATABASE_URL'
    const skewMs = Math.round(Math.abs(row.now_ms - systemClock.now()))
    const missing = await missingMigrations({
      query: async <R extends object>(what: Statement) => (await client.query<R>(what.text)).rows,
    })
    return [
      row.major >= postgresVersionMin
        ? finding('database', 'ok', `PostgreSQL ${row.version}, ${where}`)
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
      connectionsFinding(row.connections),
      row.superuser
        ? finding('role', 'warning', 'DATABASE_URL logs in as a superuser; let the service have a login of its own')
        : finding('role', 'ok', 'the service logs in without special rights'),
      skewMs <= clockSkewMsMax
        ? finding('clock', 'ok', `${skewMs} ms apart from the database`)
        : finding('clock', 'warning', `${skewMs} ms apart from the database: let both machines follow a time server`),
    ]
  } finally {
    await client.end()
  }
}

function connectionsFinding(connections: number): Finding {
  const processes = Math.floor(connections / connectionsPerProcessMax)
  const each = `a process holds at most ${connectionsPerProcessMax} of the ${connections} connections of this PostgreSQL`
  return processes === 0
    ? finding('connections', 'failed', `${each}. Raise max_connections`)
    : finding('connections', 'ok', `${each}, so ${processes} ${processes === 1 ? 'process fits' : 'processes fit'}`)
}

function finding(check: string, state: Finding['state'], message: string): Finding {
  return { check, state, message }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
