// Ends what a run of the tests left behind, and removes its folder.

import { type Dirent, readFileSync } from 'node:fs'
import { readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { pollUntil, isPostmasterOf, orphansOf, signalProcess } from '#postgres/embedded/server-process.ts'

/** For the end of sessions without a checkpoint, which takes moments; after that PostgreSQL is killed. */
const quitMsMax = 10_000

/** The folder of notes about processes that have to end with the run: each is called by its number, and says its birth. */
export function processesOf(folder: string): string {
  return path.join(folder, 'processes')
}

/**
 * `processes: false` for a run that has been dead for who knows how long: the numbers that it noted may be other
 * programs' by now. A PostgreSQL is known by its data folder, so it is ended in any case.
 */
export async function cleanUp(folder: string, { processes }: { processes: boolean }): Promise<void> {
  // Servers first: they would start their PostgreSQL again.
  if (processes) for (const name of await readdir(processesOf(folder)).catch(() => [])) await endNoted(folder, name)
  for (const data of await findClusters(folder)) await endPostgres(data)
  // A link stands for a folder that had to lie elsewhere.
  for (const entry of await entriesOf(folder))
    if (entry.isSymbolicLink()) await cleanUp(await readlink(path.join(folder, entry.name)), { processes: false })
  // It belongs to another user, or another process is removing it.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }).catch(() => undefined)
}

/** In ticks since the machine started; nothing when there is no such process, or no way to know. */
export function birthOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name, which stands in brackets and may hold blanks and brackets, is the second of all.
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
  // In a deep folder the socket has one of its own elsewhere, which is empty now. Any other is not, and stays.
  const socketFolder = lines[4] ?? ''
  if (socketFolder !== '') await rmdir(socketFolder).catch(() => undefined)
}
