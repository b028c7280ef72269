// Opens the embedded PostgreSQL in DATA_DIR. Several Manilla processes share it: one that serves, and any number of
// commands. The first process starts PostgreSQL, and the last one stops it. After a crash, the next process takes over
// a server that still runs, or starts one that recovers.
//
// One process at a time starts or stops the PostgreSQL of a DATA_DIR while the others wait (`inTurn`), so that none
// finds a server half started or half stopped, or mistakes the files of another process for leftovers. The kernel holds
// the lock and frees it when the process ends, also on kill -9. On Linux the lock is an abstract socket name, on macOS
// a file opened with an exclusive lock.

import { constants, open, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { type Cluster, prepareCluster } from './cluster.ts'
import { errorCode, explainFolderError, makeSocketFolder } from './folders.ts'
import { type RolePasswords, ensureInitialized, readPasswords, urlOf } from './initialize.ts'
import { pollUntil, limitLog } from './server-process.ts'
import { takeSessionLock, type SessionLock, releaseSessionLock, type Use } from './session-lock.ts'

type Unlock = () => Promise<void>

/** Longer than a start and a stop together. A recovery can take longer than this. */
const turnLimitMs = 2 * minuteMs
/** After this wait, the operator is told that another process starts or stops the database. */
const patienceMs = 1000
/** A flag of open(2) on macOS and BSD that Node does not name. */
const exclusiveLockFlag = 0x20

async function inTurn<T>(cluster: Cluster, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const unlock = await waitForTurn(cluster, signal)
  try {
    return await work()
  } finally {
    await unlock()
  }
}

async function waitForTurn(cluster: Cluster, signal: AbortSignal | undefined): Promise<Unlock> {
  const take = await turnOf(cluster)
  const unlock = await pollUntil(take, { limitMs: patienceMs, signal })
  if (unlock !== undefined) return unlock
  cluster.onStep('waiting for another Manilla process that starts or stops the database')
  const late = await pollUntil(take, { limitMs: turnLimitMs, signal })
  if (late !== undefined) return late
  throw new OperatorError(
    `Another Manilla process has been starting or stopping the database in DATA_DIR ${cluster.dataDir} for ` +
      `${turnLimitMs / 1000} seconds: stop that process, or try again when it is done.`,
  )
}

async function turnOf(cluster: Cluster): Promise<() => Promise<Unlock | undefined>> {
  if (process.platform !== 'linux') return () => lockFile(join(cluster.home, 'turn.lock'))
  // The folder may have several paths, but only one device and inode.
  const { dev, ino } = await stat(cluster.home, { bigint: true })
  return () => lockName(`\0manilla-postgres-${dev}-${ino}`)
}

async function lockName(name: string): Promise<Unlock | undefined> {
  return await new Promise((answer, reject) => {
    const server = createServer((stranger) => stranger.destroy())
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? answer(undefined) : reject(error)))
    server.listen(name, () => {
      answer(() => new Promise((closed) => server.close(() => closed())))
    })
  })
}

async function lockFile(path: string): Promise<Unlock | undefined> {
  const { O_CREAT, O_RDWR, O_NONBLOCK } = constants
  try {
    const file = await open(path, O_CREAT | O_RDWR | O_NONBLOCK | exclusiveLockFlag, 0o600)
    return () => file.close()
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined
    throw error
  }
}

// Restarts the server of a running Manilla. When the server dies, the connection of the session lock closes within
// moments, also if the server is not our child process. One loop restarts the server, so that two restarts never
// overlap.

type Supervisor = {
  /** Ends the watch, even during a restart. Resolves with the last session lock. */
  stop(): Promise<SessionLock>
}

type SuperviseOptions = { passwords: RolePasswords; onIncident: (message: string) => void }

const retryFirstMs = 250
const retryMaxMs = 10_000
const logCheckEveryMs = minuteMs

function supervise(cluster: Cluster, first: SessionLock, options: SuperviseOptions): Supervisor {
  const stopping = new AbortController()
  const logCheck = setInterval(() => void limitLog(cluster.log).catch(() => undefined), logCheckEveryMs).unref()
  const last = watch(cluster, first, options, stopping.signal)
  return {
    async stop() {
      clearInterval(logCheck)
      stopping.abort()
      return await last
    },
  }
}

async function watch(
  cluster: Cluster,
  first: SessionLock,
  options: SuperviseOptions,
  signal: AbortSignal,
): Promise<SessionLock> {
  const stopped = once(signal, 'abort')
  let lock = first
  while (!signal.aborted) {
    await Promise.race([lock.lost, stopped])
    if (!signal.aborted) lock = await restart(cluster, lock, options, signal)
  }
  return lock
}

async function restart(
  cluster: Cluster,
  lost: SessionLock,
  options: SuperviseOptions,
  signal: AbortSignal,
): Promise<SessionLock> {
  const { passwords, onIncident } = options
  const { socketFolder, postmasterPid } = lost
  const since = performance.now()
  for (let waitMs = retryFirstMs; !signal.aborted; waitMs = Math.min(2 * waitMs, retryMaxMs)) {
    try {
      // Uses the same socket as before, because callers have URLs with its path.
      const take = () => takeSessionLock(cluster, { use: 'serve', passwords, socketFolder, signal })
      const lock = await inTurn(cluster, take, signal)
      const what = lock.postmasterPid === postmasterPid ? 'dropped its connections' : `(process ${postmasterPid}) died`
      onIncident(`PostgreSQL ${what}; it runs again after ${Math.round(performance.now() - since)} ms`)
      return lock
    } catch (error) {
      if (signal.aborted) break
      const reason = error instanceof Error ? error.message : String(error)
      onIncident(`PostgreSQL died and cannot be started again, next attempt in ${waitMs} ms: ${reason}`)
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return lost
}

export type EmbeddedPostgres = {
  ownerUrl: string
  serviceUrl: string
  /** Stops PostgreSQL if no other process uses it. Idempotent. */
  release: () => Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  use: Use
  /** A commit must survive a power cut. Tests set it to false. */
  durable?: boolean
  onStep?: (message: string) => void
  /**
   * Called when the server runs again after it died or dropped its connections, and after each failed attempt. Only
   * with `serve`.
   */
  onIncident?: (message: string) => void
}

export async function openEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await openShared(options)
  } catch (error) {
    throw explainFolderError(resolve(options.dataDir), error)
  }
}

async function openShared(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, use, durable = true, onStep = () => undefined, onIncident = () => undefined } = options
  const cluster = await prepareCluster({ dataDir, durable, onStep })
  const { passwords, lock } = await inTurn(cluster, () => enter(cluster, use))
  const supervisor = use === 'serve' ? supervise(cluster, lock, { passwords, onIncident }) : undefined

  const leave = async () => {
    const last = (await supervisor?.stop()) ?? lock
    try {
      await inTurn(cluster, () => releaseSessionLock(cluster, last, use, passwords))
    } finally {
      await last.client.end()
    }
  }
  let left: Promise<void> | undefined
  return {
    ownerUrl: urlOf('owner', passwords, lock.socketFolder),
    serviceUrl: urlOf('service', passwords, lock.socketFolder),
    release: () => (left ??= leave()),
  }
}

async function enter(cluster: Cluster, use: Use): Promise<{ passwords: RolePasswords; lock: SessionLock }> {
  await ensureInitialized(cluster)
  const passwords = await readPasswords(cluster)
  const socketFolder = await makeSocketFolder(cluster)
  return { passwords, lock: await takeSessionLock(cluster, { use, passwords, socketFolder }) }
}
