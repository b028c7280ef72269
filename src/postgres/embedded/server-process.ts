import { setTimeout as delay } from 'node:timers/promises'
import { execFile, type ChildProcess } from 'node:child_process'
import { readdir, readFile, readlink, constants, lstat, open, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ownPath } from './closed-folder.ts'
import type { Cluster } from './cluster.ts'
import { giveToOwnerOf, ignoring, readIfThere, socketName } from './folders.ts'
import { settingsPath } from './settings.ts'

// Waits for what sends no notice: a process that ends, a file that changes.

type PollOptions = { limitMs: number; everyMs?: number; signal?: AbortSignal | undefined }

/** Looks until there is an answer; undefined when the limit passed without one. */
export async function poll<T>(look: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const limit = performance.now() + options.limitMs
  for (;;) {
    options.signal?.throwIfAborted()
    const answer = await look()
    if (answer !== undefined) return answer
    if (performance.now() >= limit) return undefined
    await delay(options.everyMs ?? 20)
  }
}

// What can be known of a process that may not be our child. A number in a file proves nothing: after a crash it may
// belong to another program, so a process is believed only when it is a postgres that stands in this data folder.

const hasProc = process.platform === 'linux'

/** Whether the number is taken, by whatever program, in whatever state. */
function processExists(pid: number): boolean {
  return signalProcess(pid, 0)
}

/** False also for a process that has ended and whose parent has not looked yet. */
export async function processRuns(pid: number): Promise<boolean> {
  if (!processExists(pid)) return false
  const stat = hasProc ? await tryRead(`/proc/${pid}/stat`) : undefined
  // The state follows the program's name, which stands in brackets and may itself hold brackets.
  return stat === undefined || !/\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')))
}

export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!processExists(pid)) return false
  if (!hasProc) {
    return (await commandOf(pid)).includes(`/postgres -D ${data} `)
  }
  const parts = ((await tryRead(`/proc/${pid}/cmdline`)) ?? '').split('\0')
  // The postmaster keeps the command line that it was started with; its children write "postgres: …" over theirs.
  if (basename(parts[0] ?? '') !== 'postgres') return false
  const folder = await folderOf(pid)
  return folder === undefined ? parts.includes(data) : folder === data
}

/** Backends whose postmaster is gone. They can do nothing useful, but as long as they live no server may start. */
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

/** False when there is no such process. A process that we may not signal exists nevertheless. */
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

// The file that PostgreSQL writes its messages to, and what it said last.

const logBytesMax = 10 * 1024 * 1024
const tailBytes = 16 * 1024
const logMode = 0o600

/**
 * Keeps the log and one predecessor, each about as large as the limit. The file is emptied in place: PostgreSQL holds
 * it open for appending, and goes on at its new end. Lines written between the copy and the cut are lost.
 */
export async function limitLog(log: string): Promise<void> {
  if ((await logSize(log)) <= logBytesMax) return
  const current = await openLog(log)
  try {
    await rm(`${log}.1`, { force: true })
    const predecessor = await open(`${log}.1`, 'wx', logMode)
    try {
      await giveToOwnerOf(dirname(log), predecessor)
      await predecessor.writeFile(current.createReadStream({ start: 0, autoClose: false }))
    } finally {
      await predecessor.close()
    }
    await current.truncate(0)
  } finally {
    await current.close()
  }
}

/** For appending; the file is made when there is none. A link in its place is refused: it may lead anywhere. */
export async function openLog(log: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const file = await open(log, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, logMode)
  await giveToOwnerOf(dirname(log), file)
  return file
}

async function logSize(log: string): Promise<number> {
  return (await lstat(log).catch(ignoring('ENOENT')))?.size ?? 0
}

/** What was written after `from`, the last part of it. */
export async function logSince(log: string, from: number): Promise<string> {
  const file = await open(log).catch(ignoring('ENOENT'))
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

/** The line that says why: the last one of an error, else the last one at all, without time and process. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line))
  const line = errors.at(-1) ?? lines.at(-1) ?? 'it said nothing'
  return line.replace(/^.*?\b(?:FATAL|PANIC|ERROR|LOG|error):\s*/, '').trim()
}

// The server process, called postmaster by PostgreSQL: who it is, how it starts and how it stops. Call all of
// this inside `inTurn`.

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
