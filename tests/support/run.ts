// One run of the tests, as the machine sees it: one folder, in which everything that it writes lies, and the processes
// that would outlive it. However the run ends, also by kill -9, its janitor ends those processes and removes the
// folder. If the janitor is killed too, the next run removes what is left.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, stat, symlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { inject } from 'vitest'
import { errorCode } from '#postgres/embedded/folders.ts'
import { birthOf, cleanUp, processesOf } from './clean-up.ts'
import { placeOfRuns, placesOfDeadRuns } from './run-place.ts'

const prefix = 'manilla-run-'
/** A socket on which the run's own process listens, so that the kernel knows whether the process lives. */
const lifeSign = 'alive'
/** A folder without the socket may belong to a run that begins at this moment. */
const beginningMsMax = 600_000

export type Run = { folder: string; end(): Promise<void> }

/** Called by the process whose death ends the run. `elsewhere`: folders that a caller made for this run. */
export async function beginRun(elsewhere: string[] = []): Promise<Run> {
  await removeDeadRuns()
  const folder = await mkdtemp(path.join(placeOfRuns(), prefix))
  // As root, PostgreSQL's account must be able to enter this folder.
  await chmod(folder, 0o755)
  await mkdir(processesOf(folder))
  for (const other of elsewhere) await linkTo(other, folder)
  const alive = createServer((visitor) => visitor.destroy()).unref()
  await new Promise<void>((resolve) => void alive.listen(path.join(folder, lifeSign), resolve))
  // The janitor runs in a session of its own, so that the terminal's Ctrl-C and its end do not reach it. Its input ends
  // when this process does.
  const janitor = spawn(process.execPath, [path.join(import.meta.dirname, 'janitor.ts'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(janitor, 'exit')
  janitor.unref()
  return {
    folder,
    async end() {
      janitor.ref()
      janitor.stdin.end()
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`the janitor of ${folder} failed`)
      alive.close()
    },
  }
}

/** Makes a folder that is removed with the run. `parent`: the place for it, if the run's own folder does not fit. */
export async function newFolder(name: string, parent?: string): Promise<string> {
  const runFolder = inject('runFolder')
  const folder = await mkdtemp(path.join(parent ?? runFolder, `${name}-`))
  // As root, the users of the programs that we start must be able to enter it, as in an ordinary place.
  await chmod(folder, 0o755)
  if (parent !== undefined) await linkTo(folder, runFolder)
  return folder
}

/** Adds a folder elsewhere that is removed with the run's folder. */
function linkTo(other: string, runFolder: string): Promise<void> {
  return symlink(other, path.join(runFolder, path.basename(other)))
}

/** Ends this process, with all of its group, when the run ends. */
export function endsWithRun(child: ChildProcess): void {
  endsWith(inject('runFolder'), child)
}

/** The same for a run that is not one of vitest's. */
export function endsWith(runFolder: string, child: ChildProcess): void {
  const note = path.join(processesOf(runFolder), String(child.pid))
  writeFileSync(note, birthOf(child.pid ?? 0))
  child.once('exit', () => rmSync(note, { force: true }))
}

async function removeDeadRuns(): Promise<void> {
  for (const place of placesOfDeadRuns()) {
    for (const name of await readdir(place)) {
      const folder = path.join(place, name)
      if (name.startsWith(prefix) && (await isDead(folder))) await cleanUp(folder, { processes: false })
    }
  }
}

async function isDead(folder: string): Promise<boolean> {
  const socket = connect(path.join(folder, lifeSign))
  const answer = await new Promise((resolve) => {
    socket.once('connect', () => resolve('alive'))
    socket.once('error', (error) => resolve(errorCode(error)))
  })
  socket.destroy()
  if (answer === 'ECONNREFUSED') return true
  const found = await stat(folder).catch(() => undefined)
  return answer === 'ENOENT' && found !== undefined && Date.now() - found.mtimeMs > beginningMsMax
}
