// Tracks which processes use the server: each one holds a connection with an advisory lock. PostgreSQL frees the lock
// when the connection ends, also on kill -9. Also starts the server for the first process.

import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { type Cluster, writeSettings } from './cluster.ts'
import { errorCode, removeSocketFolder, serverAnswers } from './folders.ts'
import { type RolePasswords, roles } from './initialize.ts'
import {
  findPostmaster,
  type LaunchedServer,
  launchPostmaster,
  needsRecovery,
  logSince,
  orphansOf,
  pollUntil,
  type Postmaster,
  processRuns,
  removeStaleFiles,
  signalProcess,
  stopPostmaster,
  tellingLine,
} from './server-process.ts'

export type Use = 'serve' | 'command'

export type SessionLock = {
  client: Client
  postmasterPid: number
  socketFolder: string
  lost: Promise<void>
}

type SessionLockOptions = { use: Use; passwords: RolePasswords; socketFolder: string; signal?: AbortSignal }

/**
 * The first half of the lock number: "Mani" as four bytes. The second half is one of the two below: each process shares
 * `anyUse`, and the process that serves holds `serveUse` alone.
 */
const lockClass = 0x4d616e69
const anyUse = 1
const serveUse = 2

const connectLimitMs = 30_000
const connectRetryMs = 50
const connectTimeoutMs = 10_000
/**
 * The wait for the session of a killed process to end: on a busy machine, PostgreSQL notices late that the process is
 * gone.
 */
const deadSessionLimitMs = 3000

/** Call this inside `inTurn`. */
export async function takeSessionLock(cluster: Cluster, options: SessionLockOptions): Promise<SessionLock> {
  let startedHere = false
  const limit = performance.now() + connectLimitMs
  for (;;) {
    const running = await ensureRunning(cluster, options.socketFolder, options.signal)
    startedHere ||= running.startedHere
    try {
      const client = await connect(running.socketFolder, options)
      return await lockSession(cluster, client, running, options)
    } catch (error) {
      if (isTemporary(error) && performance.now() < limit) {
        await delay(connectRetryMs)
        continue
      }
      if (startedHere) await stopPostmaster(cluster)
      throw explainRefusal(cluster, error)
    }
  }
}

/**
 * Call this inside `inTurn`. The last process that releases its lock stops the server. A command whose connection broke
 * leaves the server running, because it may be recovering for a `manilla serve` that has not taken its lock again. The
 * next start takes over a server without users.
 */
export async function releaseSessionLock(
  cluster: Cluster,
  lock: SessionLock,
  use: Use,
  passwords: RolePasswords,
): Promise<void> {
  const counted = await countOthers(lock.client).catch(() => undefined)
  await lock.client.end()
  if (counted === undefined && use === 'command') return
  if ((counted ?? (await countAnew(cluster, passwords))) > 0) return
  await stopPostmaster(cluster, counted === undefined ? 'recovering' : 'running')
  await removeSocketFolder(cluster, lock.socketFolder)
}

async function lockSession(
  cluster: Cluster,
  client: Client,
  running: { pid: number; socketFolder: string },
  { use }: SessionLockOptions,
): Promise<SessionLock> {
  try {
    const lost = new Promise<void>((resolve) => client.once('end', () => resolve()))
    if (use === 'serve') await takeServeLock(cluster, client)
    await client.query('select pg_advisory_lock_shared($1, $2)', [lockClass, anyUse])
    return { client, postmasterPid: running.pid, socketFolder: running.socketFolder, lost }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function takeServeLock(cluster: Cluster, client: Client): Promise<void> {
  let holder: number | undefined
  const taken = await pollUntil(
    async () => {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
        lockClass,
        serveUse,
      ])
      if (rows[0]?.taken === true) return true
      holder = (await holders(client, serveUse))[0]
      return holder !== undefined && (await processRuns(holder)) ? false : undefined
    },
    { limitMs: deadSessionLimitMs },
  )
  if (taken === true) return
  const name = holder === undefined ? '' : ` (process ${holder})`
  throw new OperatorError(
    `Another Manilla server${name} already uses DATA_DIR ${cluster.dataDir}. Stop it, or set DATA_DIR to another folder.`,
  )
}

async function countOthers(client: Client): Promise<number> {
  let count = 0
  await pollUntil(
    async () => {
      const pids = await holders(client, anyUse)
      count = pids.length
      const running = await Promise.all(pids.map(processRuns))
      return running.every(Boolean) ? true : undefined
    },
    { limitMs: deadSessionLimitMs },
  )
  return count
}

/**
 * Counts the other processes over a new connection, because ours broke. If the server accepts no connection, none uses
 * it.
 */
async function countAnew(cluster: Cluster, passwords: RolePasswords): Promise<number> {
  const running = await findPostmaster(cluster)
  if (running?.state !== 'ready') return 0
  const client = await connect(running.socketFolder, { use: 'command', passwords }).catch(() => undefined)
  if (client === undefined) return 0
  try {
    return await countOthers(client)
  } finally {
    await client.end()
  }
}

/** The pids of the Manilla processes that hold the lock on other connections. */
async function holders(client: Client, lock: number): Promise<number[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted and l.pid <> pg_backend_pid()`,
    [lockClass, lock],
  )
  return rows.map(({ name }) => Number.parseInt(name.split(' ').at(-1) ?? '', 10))
}

/** Connects as the administrator, for whom PostgreSQL reserves connections when the service uses all others. */
async function connect(socketFolder: string, options: { use: Use; passwords: RolePasswords }): Promise<Client> {
  const client = new Client({
    host: socketFolder,
    port: 5432,
    user: roles.admin,
    password: options.passwords.admin,
    // The operator could not copy or replace the service's own database while we are connected to it.
    database: 'postgres',
    application_name: `manilla ${options.use} ${process.pid}`,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  // A broken connection also emits `end`. Without this listener, its error would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** A server that starts, stops or recovers refuses connections only for a moment. */
function isTemporary(error: unknown): boolean {
  if (error instanceof OperatorError) return false
  const code = errorCode(error)
  return code === undefined || !/^(28|3D|EACCES)/.test(code)
}

function explainRefusal(cluster: Cluster, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OperatorError || error.name === 'AbortError') return error
  if (errorCode(error)?.startsWith('28') !== true) return error
  return new OperatorError(
    `The database in DATA_DIR ${cluster.dataDir} does not accept the passwords in ${cluster.passwords}: restore that ` +
      'file from a backup, or set DATA_DIR to another folder.',
    { cause: error },
  )
}

// Makes the server of a cluster accept connections (`ensureRunning`): uses a server that runs, waits for one that
// starts or stops, and otherwise starts it, also after a crash. Call it inside `inTurn`.

const startLimitMs = 30_000
/** Recovery replays the changes since the last checkpoint, which takes minutes on a slow disk. */
const recoveryLimitMs = 10 * minuteMs
const pollEveryMs = 20
const retryEveryMs = 100
const killsMax = 3
const orphanPatienceMs = 5000
const unseenPatienceMs = 3000
const killLimitMs = 5000

type RunningServer = Postmaster & { startedHere: boolean }

type StartAttempt = { startedAt: number; launched: LaunchedServer | undefined; recovering: boolean; kills: number }

async function ensureRunning(cluster: Cluster, socketFolder: string, signal?: AbortSignal): Promise<RunningServer> {
  const attempt: StartAttempt = { startedAt: performance.now(), launched: undefined, recovering: false, kills: 0 }
  for (;;) {
    if (signal?.aborted === true && attempt.launched !== undefined) await stopLaunched(cluster, attempt.launched)
    signal?.throwIfAborted()
    const found = await findPostmaster(cluster)
    if (found?.state === 'ready') {
      const startedHere = attempt.launched !== undefined
      if (!startedHere) await adopt(cluster, found)
      return { ...found, startedHere }
    }
    // The process that started this server was killed, so the server may be recovering.
    if (found?.state === 'starting' && attempt.launched === undefined) noteRecovery(cluster, attempt)
    if (found === undefined) await startOrRetry(cluster, socketFolder, attempt)
    await checkLimit(cluster, attempt)
    await delay(pollEveryMs)
  }
}

/** A server that another process started may run with the settings of an older Manilla, or without durability. */
async function adopt(cluster: Cluster, found: Postmaster): Promise<void> {
  if (cluster.durable && (await writeSettings(cluster))) signalProcess(found.pid, 'SIGHUP')
}

async function startOrRetry(cluster: Cluster, socketFolder: string, attempt: StartAttempt): Promise<void> {
  const { launched } = attempt
  if (launched !== undefined && !hasEnded(launched)) return
  if (launched !== undefined) await judgeFailure(cluster, launched, attempt)
  if (await serverAnswers(socketFolder)) return await waitForUnseen(cluster, attempt)
  if (await needsRecovery(cluster)) noteRecovery(cluster, attempt)
  await removeStaleFiles(cluster, socketFolder)
  await writeSettings(cluster)
  attempt.launched = await launchPostmaster(cluster, socketFolder)
}

function noteRecovery(cluster: Cluster, attempt: StartAttempt): void {
  if (!attempt.recovering) cluster.onStep('recovering the database after it was not stopped properly')
  attempt.recovering = true
}

/** Throws unless a retry may succeed: the server was killed, or leftovers of a killed one block it. */
async function judgeFailure(cluster: Cluster, launched: LaunchedServer, attempt: StartAttempt): Promise<void> {
  const { signalCode } = launched.child
  if (signalCode !== null) attempt.kills += 1
  if (signalCode !== null && attempt.kills < killsMax) return
  const output = await logSince(cluster.log, launched.logFrom)
  const spentMs = performance.now() - attempt.startedAt
  const blocked = /shared memory block .* is still in use|lock file .* already exists/.test(output)
  if (!blocked || spentMs > startLimitMs) {
    const killed = signalCode === null ? undefined : `it was killed by ${signalCode} ${killsMax} times`
    throw new OperatorError(
      `PostgreSQL of DATA_DIR ${cluster.dataDir} does not start: ` +
        `${launched.failure() ?? killed ?? tellingLine(output)} (its log is ${cluster.log})`,
    )
  }
  // Orphans notice that their server is gone, unless they run a long query. SIGQUIT makes them exit without touching
  // shared memory, which is no longer valid.
  const signal = spentMs > orphanPatienceMs ? 'SIGKILL' : 'SIGQUIT'
  for (const pid of await orphansOf(cluster.data)) signalProcess(pid, signal)
  await delay(retryEveryMs)
}

/**
 * Throws if the process of a server that answers stays invisible here. A second server beside it would destroy the
 * data.
 */
async function waitForUnseen(cluster: Cluster, attempt: StartAttempt): Promise<void> {
  if (performance.now() - attempt.startedAt < unseenPatienceMs) return
  throw new OperatorError(
    `A PostgreSQL that this process cannot see, perhaps in another container, already uses DATA_DIR ` +
      `${cluster.dataDir}: stop it, or set DATA_DIR to another folder.`,
  )
}

async function checkLimit(cluster: Cluster, attempt: StartAttempt): Promise<void> {
  const limitMs = attempt.recovering ? recoveryLimitMs : startLimitMs
  if (performance.now() - attempt.startedAt < limitMs) return
  const output = await logSince(cluster.log, attempt.launched?.logFrom ?? 0)
  if (attempt.launched !== undefined) await stopLaunched(cluster, attempt.launched)
  throw new OperatorError(
    `PostgreSQL of DATA_DIR ${cluster.dataDir} did not start within ${limitMs / 1000} seconds: ` +
      `${tellingLine(output)} (its log is ${cluster.log})`,
  )
}

/** Kills the process too: `stopPostmaster` does not find a server that has not written its pid yet. */
async function stopLaunched(cluster: Cluster, launched: LaunchedServer): Promise<void> {
  await stopPostmaster(cluster, 'recovering')
  launched.child.kill('SIGKILL')
  await pollUntil(async () => (hasEnded(launched) ? true : undefined), { limitMs: killLimitMs })
}

function hasEnded({ child, failure }: LaunchedServer): boolean {
  return child.exitCode !== null || child.signalCode !== null || failure() !== undefined
}
