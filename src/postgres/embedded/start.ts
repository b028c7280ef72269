// Starts the server of a cluster until it accepts connections: uses a running one, waits for one that starts or
// stops, or starts it, also after a crash. Call it inside `inTurn`.

import { setTimeout as delay } from 'node:timers/promises'
import { minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import type { Cluster } from './cluster.ts'
import {
  findPostmaster,
  launchPostmaster,
  leftInDisorder,
  pollUntil,
  removeStaleFiles,
  stopPostmaster,
  type LaunchedServer,
  type Postmaster,
  orphansOf,
  signalProcess,
  logSince,
  tellingLine,
} from './server-process.ts'
import { writeSettings } from './settings.ts'
import { serverAnswers } from './folders.ts'

const startLimitMs = 30_000
/** Recovery replays the changes since the last checkpoint, which takes minutes on a slow disk. */
const recoveryLimitMs = 10 * minuteMs
const lookEveryMs = 20
const retryEveryMs = 100
const killsMax = 3
const orphanPatienceMs = 5000
const unseenPatienceMs = 3000
const killLimitMs = 5000

export type RunningServer = Postmaster & { startedHere: boolean }

type StartAttempt = { startedAt: number; launched: LaunchedServer | undefined; recovering: boolean; kills: number }

export async function ensureRunning(
  cluster: Cluster,
  socketFolder: string,
  signal?: AbortSignal,
): Promise<RunningServer> {
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
    // Another process started this server and was killed since, so the server may be recovering.
    if (found?.state === 'starting' && attempt.launched === undefined) noteRecovery(cluster, attempt)
    if (found === undefined) await startOrRetry(cluster, socketFolder, attempt)
    await checkLimit(cluster, attempt)
    await delay(lookEveryMs)
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
  if (await leftInDisorder(cluster)) noteRecovery(cluster, attempt)
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

/** A second server beside one in another container that shares the folder would destroy the data. */
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

/** Kills the process too, because a server that has not written its pid yet is found in no other way. */
async function stopLaunched(cluster: Cluster, launched: LaunchedServer): Promise<void> {
  await stopPostmaster(cluster, 'recovering')
  launched.child.kill('SIGKILL')
  await pollUntil(async () => (hasEnded(launched) ? true : undefined), { limitMs: killLimitMs })
}

function hasEnded({ child, failure }: LaunchedServer): boolean {
  return child.exitCode !== null || child.signalCode !== null || failure() !== undefined
}
