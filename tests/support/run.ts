// One run of the tests, as the machine sees it: one folder, in which everything that it writes lies, and the processes
// that would outlive it. However the run ends, also by kill -9, its janitor ends those and removes the folder. What is
// left of a run whose janitor was killed as well, the next run removes.

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
/** A socket on which the run's own process listens: the kernel knows whether it lives. */
const lifeSign = 'alive'
/** A folder without the socket may belong to a run that begins at this moment. */
const beginningMsMax = 600_000

export type Run = { folder: string; end(): Promise<void> }

/** For the process whose death is the end of the run. `elsewhere`: folders that somebody else made for this run. */
export async function beginRun(elsewhere: string[] = []): Promise<Run> {
  await removeDeadRuns()
  const folder = await mkdtemp(path.join(placeOfRuns(), prefix))
  // PostgreSQL's account must be able to pass when we are root.
  await chmod(folder, 0o755)
  await mkdir(processesOf(folder))
  for (const other of elsewhere) await linkTo(other, folder)
  const alive = createServer((visitor) => visitor.destroy()).unref()
  await new Promise<void>((resolve) => void alive.listen(path.join(folder, lifeSign), resolve))
  // In a session of its own, out of reach of the terminal's Ctrl-C and of its end. What it reads ends when we do.
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

/** A new folder that ends with the run. `parent`: where it has to lie when the run's own folder will not do. */
export async function newFolder(name: string, parent?: string): Promise<string> {
  const runFolder = inject('runFolder')
  const folder = await mkdtemp(path.join(parent ?? runFolder, `${name}-`))
  // As root, those whom we run programs as must be able to pass, as they can in an ordinary place.
  await chmod(folder, 0o755)
  if (parent !== undefined) await linkTo(folder, runFolder)
  return folder
}

/** What is cleaned up with the run's folder although it lies elsewhere. */
function linkTo(other: string, runFolder: string): Promise<void> {
  return symlink(other, path.join(runFolder, path.basename(other)))
}

/** This process, with all of its group, ends with the run. */
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
