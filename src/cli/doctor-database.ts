// The checks of `manilla doctor` on PostgreSQL: pooler, version, migrations, durability, connections, clock and role.
// If DATABASE_URL is set, also encryption, standbys, Citus workers and rights.

import pg from 'pg'
import { present } from '#platform/assert.ts'
import { systemClock } from '#platform/clock.ts'
import { databaseTimeMs } from '#platform/db/database-clock.ts'
import { judgeConnections, readConnections, type Queryable, type Statement } from '#platform/db/db.ts'
import { laneTable } from '#platform/db/distributed.ts'
import { findPooler, poolerSentence, type Pooler } from '#platform/db/pooler.ts'
import { serversOf, openSession } from '#platform/db/sessions.ts'
import { OperatorError } from '#platform/errors.ts'
import { roleRefused, serviceRole } from '#postgres/migrations/migrate.ts'
import { missingMigrations } from '#postgres/migrations/state.ts'
import type { OpenDatabase } from './database.ts'
import { finding, type Finding } from './output.ts'

const clockSkewMsMax = 2_000
const postgresVersionMin = 15

export async function examineServer(database: OpenDatabase, production: boolean): Promise<Finding[]> {
  if (database.embedded) return examineSession(database, production)
  const pooler = poolerFinding(await findPooler(database.serviceUrl))
  // If a pooler shares sessions, another client gets this session next, so the other checks must not run in it.
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
        : finding(
            'migrations',
            'failed',
            `${missing.length} missing, from ${missing[0] ?? ''} on. Run: npx manilla migrate`,
          ),
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
        : finding('clock', 'warning', `${skewMs} ms apart from the database: synchronize both with a time server`),
      ...(database.embedded ? [] : await examineOwnDatabase(client, database.serviceUrl, production)),
    ]
  } finally {
    await client.end()
  }
}

/** Names the server that takes the writes now, if DATABASE_URL names several. */
function primaryAmong({ host, port }: pg.Client, { serviceUrl }: OpenDatabase): string {
  return serversOf(serviceUrl).length === 1 ? '' : `; ${host}:${port} takes the writes`
}

/** The service works as its own role, so a login that may not switch to it cannot serve, even with other rights. */
async function roleFinding(client: pg.Client, superuser: boolean): Promise<Finding> {
  try {
    await client.query(`set role ${serviceRole}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    return finding('role', 'failed', roleRefused)
  }
  return superuser
    ? finding('role', 'warning', 'DATABASE_URL logs in as a superuser; create a login for the service')
    : finding('role', 'ok', `the service logs in without special rights and works as ${serviceRole}`)
}

// The doctor's findings about standbys. If the machine is lost, a payment that was accepted is lost too unless another
// machine has it on disk. So an asynchronous standby fails the check if this process serves production.

type Replication = {
  /** synchronous_standby_names: the standbys that a commit waits for. */
  names: string
  /** synchronous_commit: how far a standby must be before a commit returns. */
  commit: string
  standbys: number
  /** How many of them are synchronous now; null if this login may not see their state. */
  synchronous: number | null
}

// Leaves out running base backups, which are not standbys. A login that is no member of pg_read_all_stats sees null as
// the state of other logins' sessions.
const readReplication = `select current_setting('synchronous_standby_names') as names,
         current_setting('synchronous_commit') as commit,
         count(*)::int as standbys,
         case when count(*) = count(sync_state) then count(*) filter (where sync_state in ('sync', 'quorum'))::int end
           as synchronous
    from pg_stat_replication where state is distinct from 'backup'`

export async function replicationFinding(client: pg.Client, production: boolean): Promise<Finding> {
  const { rows } = await client.query<Replication>(readReplication)
  const { state, message } = judgeReplication(present(rows[0], 'PostgreSQL tells its standbys'))
  return finding('replication', state === 'failed' && !production ? 'warning' : state, message)
}

const page = 'See docs/runbooks/scale.md'

function judgeReplication({ names, commit, standbys, synchronous }: Replication): Omit<Finding, 'check'> {
  if (names === '' && standbys === 0) {
    const alone = 'one machine: an outage stops all payments, and a lost disk loses all payments since the last backup'
    return { state: 'warning', message: `${alone}. ${page}` }
  }
  if (names === '') {
    const lost = `${standbys} asynchronous standbys: losing the primary loses accepted payments`
    const remedy = "Set synchronous_standby_names = 'ANY 1 (*)', or synchronous_mode: true where Patroni runs"
    return { state: 'failed', message: `${lost}. ${remedy}. ${page}` }
  }
  if (commit !== 'on' && commit !== 'remote_apply') {
    const lost = `synchronous_commit = ${commit} accepts payments before a standby has stored them`
    return { state: 'failed', message: `${lost}. Set synchronous_commit = on` }
  }
  if (standbys === 0 || synchronous === 0) {
    const waits = `no standby of synchronous_standby_names = '${names}' is connected: every payment waits for one`
    return { state: 'failed', message: `${waits}. Start a standby. ${page}` }
  }
  return { state: 'ok', message: 'every payment is on the disk of a second machine before it is accepted' }
}

// The doctor's findings about the workers of Citus. The workers store the lanes, and therefore the payments; the
// findings about the server of DATABASE_URL are about the coordinator only.

/**
 * A worker's answer. `result`: JSON, or the reason why there is none. `refusal`: the error if the login lacks the
 * permission for the locks that Citus takes when an API key changes; otherwise null (also if the lock timed out).
 */
export type WorkerAnswer = {
  nodename: string
  nodeport: number
  success: boolean
  result: string
  refusal: string | null
}

type Worker = Replication & { durable: boolean }

const askWorker = `select row_to_json(worker)::text from (
  select replication.*, current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable
    from (${readReplication}) as replication) as worker`

// Citus locks the shards of `tenant` when an API key changes. The service may not read the setting that allows this
// lock (citus.skip_advisory_lock_permission_checks). So the doctor tries the lock, and waits at most a second for a
// transaction that holds it.
const lockTenants = `select lock_shard_resources(5, shards) from (
  select set_config('lock_timeout', '1s', true), array_agg(shardid) as shards
    from pg_dist_shard where logicalrelid = 'tenant'::regclass) as tenants`

const askWorkers = `select worker.*, case when locks.result like '%permission denied%' then locks.result end as refusal
  from run_command_on_workers($1) as worker join run_command_on_workers($2) as locks using (nodename, nodeport)`

export async function workersFinding(client: pg.Client, production: boolean): Promise<Finding[]> {
  const { rows } = await client.query<{ spread: boolean }>(`select to_regclass('${laneTable}') is not null as spread`)
  if (rows[0]?.spread !== true) return []
  const asked = await client.query<WorkerAnswer>(askWorkers, [askWorker, lockTenants])
  return [judgeWorkers(asked.rows, production)]
}

/** Combines the workers into one finding. It reports only the workers in the worst state, and groups equal messages. */
export function judgeWorkers(answers: WorkerAnswer[], production: boolean): Finding {
  const judged = answers.map((answer) => ({ at: `${answer.nodename}:${answer.nodeport}`, ...judgeWorker(answer) }))
  const worst = (['failed', 'warning'] as const).find((state) => judged.some((one) => one.state === state))
  if (worst === undefined) {
    const message = `${judged.length} workers: every payment is on the disk of a second machine before it is accepted`
    return finding('workers', 'ok', message)
  }
  const telling = judged.filter(({ state }) => state === worst)
  const told = [...Map.groupBy(telling, ({ message }) => message)].map(
    ([message, those]) => `${those.map(({ at }) => at).join(', ')}: ${message}`,
  )
  return finding('workers', worst === 'failed' && !production ? 'warning' : worst, told.join('; '))
}

function judgeWorker({ success, result, refusal }: WorkerAnswer): Pick<Finding, 'state' | 'message'> {
  if (!success) return { state: 'failed', message: `does not respond, so its lanes answer 503 (${result})` }
  const { durable, ...replication } = JSON.parse(result) as Worker
  if (!durable) {
    const lost = 'fsync or synchronous_commit is off: a crash would lose the payments of its lanes'
    return { state: 'failed', message: `${lost}. Switch both on` }
  }
  if (refusal === null) return judgeReplication(replication)
  const remedy = `Set citus.skip_advisory_lock_permission_checks = on. ${page}`
  return { state: 'failed', message: `no API key can be revoked or rotated (${refusal}). ${remedy}` }
}

// The doctor's findings about the connection to an operator's own PostgreSQL, and about rights of the service that it
// does not need.

/** `client` is connected as the service. `production`: the database holds real money. */
export async function examineOwnDatabase(client: pg.Client, url: string, production: boolean): Promise<Finding[]> {
  const { rows } = await client.query<{ encrypted: boolean }>(
    'select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted',
  )
  return [
    connectionFinding(url, rows[0]?.encrypted === true),
    await replicationFinding(client, production),
    ...(await workersFinding(client, production)),
    await rightsFinding(client),
  ]
}

export function connectionFinding(url: string, encrypted: boolean): Finding {
  const { hosts, mode } = readAddress(url)
  const remedy = `Add ?sslmode=verify-full to DATABASE_URL; see docs/runbooks/production.md`
  const host = hosts.join(', ')
  if (hosts.every(isThisMachine)) return finding('connection', 'ok', 'does not leave this machine')
  if (!encrypted) {
    return finding(
      'connection',
      'warning',
      `unencrypted to ${host}: others on the network could read and change payments. ${remedy}`,
    )
  }
  return mode === 'verify-full'
    ? finding(
        'connection',
        'ok',
        `encrypted, and ${host} ${hosts.length === 1 ? 'proves who it is' : 'prove who they are'}`,
      )
    : finding(
        'connection',
        'warning',
        `encrypted, but ${host} need not prove who ${hosts.length === 1 ? 'it is' : 'they are'}. ${remedy}`,
      )
}

/** Reads the hosts by hand, because `new URL` refuses the addresses of sockets, which have no host before the path. */
function readAddress(url: string): { hosts: string[]; mode: string | null } {
  const parameters = new URLSearchParams(url.split('?')[1])
  const hosts = serversOf(url).map((server) => {
    const [, named = ''] = /^[a-z]+:\/\/(?:[^@/?]*@)?(\[[^\]]*\]|[^:/?]*)/i.exec(server) ?? []
    return parameters.get('host') ?? named.replaceAll(/[[\]]/g, '')
  })
  return { hosts, mode: parameters.get('sslmode') }
}

function isThisMachine(host: string): boolean {
  return host === '' || host === 'localhost' || host === '::1' || host.startsWith('/') || /^127(\.\d+){3}$/.test(host)
}

/** Looks for rights that a new PostgreSQL gives to all roles. Only an administrator can revoke them. */
async function rightsFinding(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ may: string }>(
    `select may from (values
       (has_function_privilege('lo_create(oid)', 'execute'), 'make large objects'),
       (has_database_privilege(current_database(), 'temporary'), 'make temporary tables'),
       ((select has_database_privilege(oid, 'connect') from pg_database where datname = 'postgres'),
        'connect to the database postgres')) as found (held, may)
      where held`,
  )
  if (rows.length === 0) return finding('rights', 'ok', 'the service has no rights beyond its work')
  const held = rows.map(({ may }) => may).join(', ')
  return finding(
    'rights',
    'warning',
    `the service may ${held}. Revoke these rights as docs/runbooks/production.md shows`,
  )
}
