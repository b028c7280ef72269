// Finds, starts and stops the PostgreSQL server process, and reads its log.

import { setTimeout as delay } from 'node:timers/promises'
import { execFile, type ChildProcess } from 'node:child_process'
import { readdir, readFile, readlink, constants, lstat, open, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ownPath } from './launch.ts'
import { type Cluster, settingsPath } from './cluster.ts'
import { chownLike, ignoreErrors, readIfThere, socketName } from './folders.ts'

type PollOptions = { limitMs: number; everyMs?: number; signal?: AbortSignal | undefined }

/**
 * Repeats `check` until it returns a value; undefined after the time limit. For events without a notification, such as
 * the end of a process that is not our child.
 */
export async function pollUntil<T>(check: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const limit = performance.now() + options.limitMs
  for (;;) {
    options.signal?.throwIfAborted()
    const answer = await check()
    if (answer !== undefined) return answer
    if (performance.now() >= limit) return undefined
    await delay(options.everyMs ?? 20)
  }
}

// Processes that may not be our children. After a crash, a pid in a file may belong to another program, so a process
// counts only if it is a postgres that works in this data folder.

const hasProc = process.platform === 'linux'

function processExists(pid: number): boolean {
  return signalProcess(pid, 0)
}

/** False also for a zombie, which has ended but was not reaped. */
export async function processRuns(pid: number): Promise<boolean> {
  if (!processExists(pid)) return false
  const stat = hasProc ? await tryRead(`/proc/${pid}/stat`) : undefined
  // The state follows the program name, which is in brackets and may contain brackets.
  return stat === undefined || !/\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')))
}

export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!processExists(pid)) return false
  if (!hasProc) {
    return (await commandOf(pid)).includes(`/postgres -D ${data} `)
  }
  const parts = ((await tryRead(`/proc/${pid}/cmdline`)) ?? '').split('\0')
  // The postmaster keeps its command line; its children replace theirs with "postgres: …".
  if (basename(parts[0] ?? '') !== 'postgres') return false
  const folder = await folderOf(pid)
  return folder === undefined ? parts.includes(data) : folder === data
}

/** Processes of a server whose postmaster is gone. No server starts while they run. */
export async function orphansOf(data: string): Promise<number[]> {
  if (!hasProc) return []
  const orphans: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const pid = Number.parseInt(name, 10)
    if ((await folderOf(pid)) !== data) continue
    const title = (await tryRead(`/proc/${pid}/cmdline`)) ?? ''
    const parent = /^PPid:\s+(\d+)$/m.exec((await tryRead(`/proc/${pid}/status`)) ?? '')?.[1]
    if (!title.startsWith('postgres:') || parent === undefined) continue
    if ((await folderOf(Number.parseInt(parent, 10))) !== data) orphans.push(pid)
  }
  return orphans
}

/** False if there is no such process. A process that we may not signal exists. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function folderOf(pid: number): Promise<string | undefined> {
  return await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
}

async function tryRead(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined)
}

async function commandOf(pid: number): Promise<string> {
  const asked = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => undefined)
  return `${asked?.stdout.trim() ?? ''} `
}

const logBytesMax = 10 * 1024 * 1024
const tailBytes = 16 * 1024
const logMode = 0o600

/**
 * Keeps the log and one predecessor, each about as large as the limit. The file is truncated in place, because
 * PostgreSQL has it open for appending. Lines written between the copy and the truncation are lost.
 */
export async function limitLog(log: string): Promise<void> {
  if ((await logSize(log)) <= logBytesMax) return
  const current = await openLog(log)
  try {
    await rm(`${log}.1`, { force: true })
    const predecessor = await open(`${log}.1`, 'wx', logMode)
    try {
      await chownLike(dirname(log), predecessor)
      await predecessor.writeFile(current.createReadStream({ start: 0, autoClose: false }))
    } finally {
      await predecessor.close()
    }
    await current.truncate(0)
  } finally {
    await current.close()
  }
}

/** Refuses a link, because it may lead anywhere. */
export async function openLog(log: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = await open(log, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, logMode)
  await chownLike(dirname(log), file)
  return file
}

async function logSize(log: string): Promise<number> {
  return (await lstat(log).catch(ignoreErrors('ENOENT')))?.size ?? 0
}

export async function logSince(log: string, from: number): Promise<string> {
  const file = await open(log).catch(ignoreErrors('ENOENT'))
  if (file === undefined) return ''
  try {
    const { size } = await file.stat()
    const start = Math.max(from, size - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The last error line, or else the last line, without time and process. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line))
  const line = errors.at(-1) ?? lines.at(-1) ?? 'it said nothing'
  return line.replace(/^.*?\b(?:FATAL|PANIC|ERROR|LOG|error):\s*/, '').trim()
}

// The server process, which PostgreSQL calls the postmaster. Call the following functions inside `inTurn`.

export type Postmaster = { pid: number; socketFolder: string; state: 'starting' | 'ready' | 'stopping' }

export type LaunchedServer = { child: ChildProcess; logFrom: number; failure: () => string | undefined }

const fastStopLimitMs = 30_000
const recoveringStopLimitMs = 2_000
const immediateStopLimitMs = 10_000

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

export async function needsRecovery(cluster: Cluster): Promise<boolean> {
  return (await readIfThere(pidFile(cluster))) !== undefined
}

/** Call this only if no server runs. PostgreSQL would take any live process with the pid in the file for a server. */
export async function removeStaleFiles(cluster: Cluster, socketFolder: string): Promise<void> {
  const pid = Number.parseInt((await readIfThere(pidFile(cluster))) ?? '', 10)
  // If no process has the pid, the file stays: with it PostgreSQL checks that no orphaned server process still uses the
  // old shared memory.
  if (!(pid > 0) || processExists(pid)) await rm(pidFile(cluster), { force: true })
  await rm(join(socketFolder, `${socketName}.lock`), { force: true })
}

/** The server gets its own process group, so that Ctrl-C in the terminal reaches only us. */
export async function launchPostmaster(cluster: Cluster, socketFolder: string): Promise<LaunchedServer> {
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
    // The server outlives us if we are killed, and must not keep us alive after we have released it.
    child.unref()
    return { child, logFrom, failure: () => failure }
  } finally {
    await log.close()
  }
}

/**
 * Resolves when the process is gone, or after the time limits. A recovering server may ignore a fast stop until it has
 * recovered. The limit for it is short, because the WAL already has everything that it would write.
 */
export async function stopPostmaster(cluster: Cluster, state: 'running' | 'recovering' = 'running'): Promise<void> {
  const running = await findPostmaster(cluster)
  if (running === undefined) return
  const { pid } = running
  const gone = async () => ((await isPostmasterOf(pid, cluster.data)) ? undefined : true)
  // SIGINT closes sessions and writes everything (a fast stop). After SIGQUIT the next start must recover.
  signalProcess(pid, 'SIGINT')
  if ((await pollUntil(gone, { limitMs: state === 'running' ? fastStopLimitMs : recoveringStopLimitMs })) === true)
    return
  signalProcess(pid, 'SIGQUIT')
  await pollUntil(gone, { limitMs: immediateStopLimitMs })
}

function pidFile(cluster: Cluster): string {
  return join(cluster.data, 'postmaster.pid')
}

/** The setting of the socket folder is a list, so a comma or a space would split an unquoted path. */
function quoteFolder(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}
