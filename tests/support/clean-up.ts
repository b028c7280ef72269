// Ends what a run of the tests left behind, and removes its folder.

import type { Dirent } from 'node:fs'
import { readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { poll } from '#embedded/poll.ts'
import { isPostmasterOf, orphansOf, signalProcess } from '#embedded/processes.ts'

/** For the end of sessions without a checkpoint, which takes moments; after that PostgreSQL is killed. */
const quitMsMax = 10_000

/** The folder of notes about processes that have to end with the run: each is called by its number. */
export function processesOf(folder: string): string {
  return path.join(folder, 'processes')
}

/**
 * `processes: false` for a run that has been dead for who knows how long: the numbers that it noted may be other
 * programs' by now. A PostgreSQL is known by its data folder, so it is ended in any case.
 */
export async function cleanUp(folder: string, { processes }: { processes: boolean }): Promise<void> {
  // Servers first: they would start their PostgreSQL again.
  if (processes) for (const name of await readdir(processesOf(folder)).catch(() => [])) killGroup(Number(name))
  for (const data of await findClusters(folder)) await endPostgres(data)
  // A link stands for a folder that had to lie elsewhere.
  for (const entry of await entriesOf(folder))
    if (entry.isSymbolicLink()) await cleanUp(await readlink(path.join(folder, entry.name)), { processes: false })
  // Somebody else's, or somebody is just removing it.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }).catch(() => undefined)
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
    if ((await poll(gone, { limitMs: quitMsMax })) === undefined) signalProcess(pid, 'SIGKILL')
  }
  for (const orphan of await orphansOf(data)) signalProcess(orphan, 'SIGKILL')
  // In a deep folder the socket has one of its own elsewhere, which is empty now. Any other is not, and stays.
  const socketFolder = lines[4] ?? ''
  if (socketFolder !== '') await rmdir(socketFolder).catch(() => undefined)
}
