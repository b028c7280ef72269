// Ends what a run of the tests left behind, and removes its folder.

import { type Dirent, readFileSync } from 'node:fs'
import { readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { pollUntil, isPostmasterOf, orphansOf, signalProcess } from '#postgres/embedded/server-process.ts'

/** The time for sessions to end without a checkpoint, which takes moments. After it, PostgreSQL is killed. */
const quitMsMax = 10_000

/**
 * The folder of notes about processes that must end with the run. A note is named by the process number and holds the
 * start time of the process.
 */
export function processesOf(folder: string): string {
  return path.join(folder, 'processes')
}

/**
 * `processes: false` is for a run that died at an unknown time, because other programs may have its process numbers by
 * now. Its PostgreSQL is identified by the data folder, so it is ended in any case.
 */
export async function cleanUp(folder: string, { processes }: { processes: boolean }): Promise<void> {
  // Servers end first, because a server would start its PostgreSQL again.
  if (processes) for (const name of await readdir(processesOf(folder)).catch(() => [])) await endNoted(folder, name)
  for (const data of await findClusters(folder)) await endPostgres(data)
  // A link points to a folder of the run that had to lie elsewhere.
  for (const entry of await entriesOf(folder))
    if (entry.isSymbolicLink()) await cleanUp(await readlink(path.join(folder, entry.name)), { processes: false })
  // The folder belongs to another user, or another process is removing it.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }).catch(() => undefined)
}

/**
 * The start time in ticks since the machine started. Undefined if the process does not exist or the time cannot be
 * read.
 */
export function birthOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in brackets, and it may hold blanks and brackets itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

/**
 * A process may have ended without removing its note, and process numbers are reused within minutes. While one process
 * of its group lives, the number is not reused.
 */
async function endNoted(folder: string, name: string): Promise<void> {
  const noted = await readFile(path.join(processesOf(folder), name), 'utf8').catch(() => '')
  const found = birthOf(Number(name))
  if (found === '' || found === noted) killGroup(Number(name))
}

function killGroup(pid: number): void {
  signalProcess(-pid, 'SIGKILL')
  signalProcess(pid, 'SIGKILL')
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}

async function findClusters(folder: string): Promise<string[]> {
  const entries = await entriesOf(folder)
  if (entries.some(({ name }) => name === 'PG_VERSION')) return [folder]
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => findClusters(path.join(folder, name)))
  return (await Promise.all(below)).flat()
}

async function endPostgres(data: string): Promise<void> {
  const lines = (await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number.parseInt(lines[0] ?? '', 10)
  if (pid > 0 && (await isPostmasterOf(pid, data))) {
    const gone = async () => ((await isPostmasterOf(pid, data)) ? undefined : true)
    signalProcess(pid, 'SIGQUIT')
    if ((await pollUntil(gone, { limitMs: quitMsMax })) === undefined) signalProcess(pid, 'SIGKILL')
  }
  for (const orphan of await orphansOf(data)) signalProcess(orphan, 'SIGKILL')
  // If the run's folder has a long path, PostgreSQL's socket lies in a folder of its own, which is empty by now. A
  // folder with other contents stays.
  const socketFolder = lines[4] ?? ''
  if (socketFolder !== '') await rmdir(socketFolder).catch(() => undefined)
}
