import { constants, open, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { type Cluster, prepareCluster } from './cluster.ts'
import { errorCode, explainFolderError, makeSocketFolder } from './folders.ts'
import { type Passwords, ensureInitialised, readPasswords, urlOf } from './initialise.ts'
import { poll, limitLog } from './server-process.ts'
import { takeSeat, type Seat, leaveSeat, type Use } from './session-lock.ts'

// One process at a time opens, starts or stops the PostgreSQL of a DATA_DIR. Every other process waits, so none meets a
// server half started or half stopped, and two starters never mistake each other's files for left-overs.
//
// The lock is the kernel's and ends with its process, also on kill -9, so there is nothing stale to judge: on Linux a
// socket name outside of the file system, on macOS a file opened with an exclusive lock.

type Unlock = () => Promise<void>

/** Longer than any start, recovery excepted, and any stop takes together. */
const turnLimitMs = 2 * minuteMs
const patienceMs = 1000
/** A flag of open(2) on macOS and BSD; Node passes it through but has no name for it. */
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
  const unlock = await poll(take, { limitMs: patienceMs, signal })
  if (unlock !== undefined) return unlock
  cluster.onStep('waiting for another Manilla process that starts or stops the database')
  const late = await poll(take, { limitMs: turnLimitMs, signal })
  if (late !== undefined) return late
  throw new OperatorError(
    `Another Manilla process has been starting or stopping the database in DATA_DIR ${cluster.dataDir} for ` +
      `${turnLimitMs / 1000} seconds: stop that process, or try again when it is done.`,
  )
}

async function turnOf(cluster: Cluster): Promise<() => Promise<Unlock | undefined>> {
  if (process.platform !== 'linux') return () => lockFile(join(cluster.home, 'turn.lock'))
  // The folder is named by its number, because it may be known under several paths.
  const { dev, ino } = await stat(cluster.home, { bigint: true })
  return () => lockName(`\0manilla-postgres-${dev}-${ino}`)
}

async function lockName(name: string): Promise<Unlock | undefined> {
  return await new Promise((settle, reject) => {
    const server = createServer((stranger) => stranger.destroy())
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? settle(undefined) : reject(error)))
    server.listen(name, () => {
      settle(() => new Promise((closed) => server.close(() => closed())))
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

// Keeps the server of a running Manilla alive. The connection of its seat is the alarm: it ends within moments of the
// server's death, also when the server is not our child. One loop, so there are never two restarts at once.

type Supervisor = {
  /** Ends the watch, also in the middle of a restart; resolves to the seat that is left then. */
  stop(): Promise<Seat>
}

type SuperviseOptions = { passwords: Passwords; onIncident: (message: string) => void }

const retryFirstMs = 250
const retryMaxMs = 10_000
const logLookEveryMs = minuteMs

function supervise(cluster: Cluster, first: Seat, options: SuperviseOptions): Supervisor {
  const stopping = new AbortController()
  const logLook = setInterval(() => void limitLog(cluster.log).catch(() => undefined), logLookEveryMs).unref()
  const last = watch(cluster, first, options, stopping.signal)
  return {
    async stop() {
      clearInterval(logLook)
      stopping.abort()
      return await last
    },
  }
}

async function watch(cluster: Cluster, first: Seat, options: SuperviseOptions, signal: AbortSignal): Promise<Seat> {
  const stopped = once(signal, 'abort')
  let seat = first
  while (!signal.aborted) {
    await Promise.race([seat.lost, stopped])
    if (!signal.aborted) seat = await restart(cluster, seat, options, signal)
  }
  return seat
}

async function restart(cluster: Cluster, lost: Seat, options: SuperviseOptions, signal: AbortSignal): Promise<Seat> {
  const { passwords, onIncident } = options
  const { socketFolder, postmasterPid } = lost
  const since = performance.now()
  for (let waitMs = retryFirstMs; !signal.aborted; waitMs = Math.min(2 * waitMs, retryMaxMs)) {
    try {
      // The same socket as before: the addresses that we gave out stay true.
      const take = () => takeSeat(cluster, { use: 'serve', passwords, socketFolder, signal })
      const seat = await inTurn(cluster, take, signal)
      const what = seat.postmasterPid === postmasterPid ? 'dropped its connections' : `(process ${postmasterPid}) died`
      onIncident(`PostgreSQL ${what}; it runs again after ${Math.round(performance.now() - since)} ms`)
      return seat
    } catch (error) {
      if (signal.aborted) break
      const reason = error instanceof Error ? error.message : String(error)
      onIncident(`PostgreSQL died and cannot be started again, next attempt in ${waitMs} ms: ${reason}`)
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return lost
}

// The embedded PostgreSQL: a real one, with the binaries of an npm package, in DATA_DIR. It is a process of its own
// that several of ours may use: one that serves, and any number of commands beside it. The first one starts it, the
// last one stops it, and the next process takes over or repairs what a crash left behind.

export type EmbeddedPostgres = {
  /** The role that owns the database and migrates it, in the form that package `pg` takes. */
  ownerUrl: string
  /** The role that the service works as: it owns nothing and creates nothing. */
  serviceUrl: string
  /** Leaves; stops PostgreSQL when no other process uses it. Idempotent. */
  release: () => Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  /** One `serve` at a time; any number of commands beside it. */
  use: Use
  /** Whether a commit survives a power cut. Tests do without. */
  durable?: boolean
  /** Told of each step that takes long, for the person who waits. */
  onStep?: (message: string) => void
  /** Told when the server died, and whether it runs again. Only with `serve`. */
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
  const { passwords, seat } = await inTurn(cluster, () => enter(cluster, use))
  const supervisor = use === 'serve' ? supervise(cluster, seat, { passwords, onIncident }) : undefined

  const leave = async () => {
    const last = (await supervisor?.stop()) ?? seat
    try {
      await inTurn(cluster, () => leaveSeat(cluster, last, use, passwords))
    } finally {
      await last.client.end()
    }
  }
  let left: Promise<void> | undefined
  return {
    ownerUrl: urlOf('owner', passwords, seat.socketFolder),
    serviceUrl: urlOf('service', passwords, seat.socketFolder),
    release: () => (left ??= leave()),
  }
}

async function enter(cluster: Cluster, use: Use): Promise<{ passwords: Passwords; seat: Seat }> {
  await ensureInitialised(cluster)
  const passwords = await readPasswords(cluster)
  const socketFolder = await makeSocketFolder(cluster)
  return { passwords, seat: await takeSeat(cluster, { use, passwords, socketFolder }) }
}
