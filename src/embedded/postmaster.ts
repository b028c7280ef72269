// The server process, called postmaster by PostgreSQL: who it is, how it starts and how it stops. Call all of
// this inside `inTurn`.
import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { ownPath } from './closed-folder.ts'
import { readIfThere } from './folder.ts'
import { poll } from './poll.ts'
import { isPostmasterOf, processExists, signalProcess } from './processes.ts'
import { limitLog, logSize, openLog } from './server-log.ts'
import { settingsPath } from './settings.ts'
import { socketName } from './socket-folder.ts'

export type Postmaster = { pid: number; socketFolder: string; state: 'starting' | 'ready' | 'stopping' }

export type Launched = { child: ChildProcess; logFrom: number; failure: () => string | undefined }

const fastStopLimitMs = 30_000
const recoveringStopLimitMs = 2_000
const immediateStopLimitMs = 10_000

/** The running server of this data, also when another process started it. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const lines = (await readIfThere(pidFile(cluster)))?.split('\n') ?? []
  const pid = Number.parseInt(lines[0] ?? '', 10)
  if (!(pid > 0) || !(await isPostmasterOf(pid, cluster.data))) return undefined
  const state = lines[7]?.trim()
  return {
    pid,
    socketFolder: ownPath(lines[4] ?? '', cluster.home),
    state: state === 'ready' || state === 'stopping' ? state : 'starting',
  }
}

/** Whether the last server went without cleaning up, so that the next one has to recover. */
export async function leftInDisorder(cluster: Cluster): Promise<boolean> {
  return (await readIfThere(pidFile(cluster))) !== undefined
}

/** Call only when no server runs. PostgreSQL would take any living process with the number in the file for a server. */
export async function removeStaleFiles(cluster: Cluster, socketFolder: string): Promise<void> {
  const pid = Number.parseInt((await readIfThere(pidFile(cluster))) ?? '', 10)
  // A file whose process is gone is left to PostgreSQL: it leads to shared memory that must be freed.
  if (!(pid > 0) || processExists(pid)) await rm(pidFile(cluster), { force: true })
  await rm(join(socketFolder, `${socketName}.lock`), { force: true })
}

/** The server gets a process group of its own, so that the terminal's Ctrl-C reaches us alone and we finish first. */
export async function launchPostmaster(cluster: Cluster, socketFolder: string): Promise<Launched> {
  await limitLog(cluster.log)
  const log = await openLog(cluster.log)
  try {
    const logFrom = await logSize(cluster.log)
    const { binaries, launch, pathOf } = cluster.launcher
    const settings = ['-c', `config_file=${pathOf(settingsPath(cluster))}`, '-k', quoteFolder(pathOf(socketFolder))]
    const child = launch(binaries.postgres, ['-D', pathOf(cluster.data), ...settings], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    let failure: string | undefined
    child.once('error', (error) => {
      failure = error.message
    })
    // It outlives us if we are killed, and must not keep us alive once we have released it.
    child.unref()
    return { child, logFrom, failure: () => failure }
  } finally {
    await log.close()
  }
}

/**
 * Resolves when the process is gone; at the end of all limits it is left to the next start. One that recovers may not
 * hear a fast stop before it is through, and has nothing to write that its log does not hold: it is not waited for long.
 */
export async function stopPostmaster(cluster: Cluster, state: 'running' | 'recovering' = 'running'): Promise<void> {
  const running = await findPostmaster(cluster)
  if (running === undefined) return
  const { pid } = running
  const gone = async () => ((await isPostmasterOf(pid, cluster.data)) ? undefined : true)
  // Fast: sessions are cut off, everything is written. Immediate: the next start has to recover.
  signalProcess(pid, 'SIGINT')
  if ((await poll(gone, { limitMs: state === 'running' ? fastStopLimitMs : recoveringStopLimitMs })) === true) return
  signalProcess(pid, 'SIGQUIT')
  await poll(gone, { limitMs: immediateStopLimitMs })
}

function pidFile(cluster: Cluster): string {
  return join(cluster.data, 'postmaster.pid')
}

/** The setting is a list: a comma or a space in the name would split it. */
function quoteFolder(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}
