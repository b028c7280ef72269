// One process at a time opens, starts or stops the PostgreSQL of a DATA_DIR. Every other process waits, so none meets a
// server half started or half stopped, and two starters never mistake each other's files for left-overs.
//
// The lock is the kernel's and ends with its process, also on kill -9, so there is nothing stale to judge: on Linux a
// socket name outside of the file system, on macOS a file opened with an exclusive lock.
import { constants, open, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { minuteMs } from '#base/durations.ts'
import { OperatorError } from '#base/error.ts'
import type { Cluster } from './cluster.ts'
import { errorCode } from './folder.ts'
import { poll } from './poll.ts'

type Unlock = () => Promise<void>

/** Longer than any start, recovery excepted, and any stop takes together. */
const turnLimitMs = 2 * minuteMs
const patienceMs = 1000
/** A flag of open(2) on macOS and BSD; Node passes it through but has no name for it. */
const exclusiveLockFlag = 0x20

export async function inTurn<T>(cluster: Cluster, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
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
  return await new Promise((resolve, reject) => {
    const server = createServer((stranger) => stranger.destroy())
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(name, () => {
      resolve(() => new Promise((closed) => server.close(() => closed())))
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
