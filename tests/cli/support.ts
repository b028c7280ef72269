// The CLI as a person or a supervisor uses it: real processes, in an empty folder, with an environment that holds only
// what a test gives. Processes that a test leaves behind are killed when its file or its run ends.

import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { killAndWait, postmasterPid } from '#tests/postgres/embedded/support.ts'
import { copyDataDir, type DataDirState } from '#tests/support/data-dirs.ts'
import { whenFileEnds } from '#tests/support/end-of-file.ts'
import { launch, type Ended, type Running, type RunOptions } from '#tests/support/launch.ts'
import { newFolder } from '#tests/support/run.ts'

export const root = path.resolve(import.meta.dirname, '../..')
export const ordinaryUid = 65_534

export const testKey = `sk_test_${'T'.repeat(40)}`
export const liveKey = `sk_live_${'L'.repeat(40)}`

/** The command, bundled (tests/support/program.ts). */
export const program = inject('program')

/** Node's compile cache is kept beside the bundle. */
const keptCompiled = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' }

const children = new Set<number>()
const dataDirs = new Set<string>()
const folders = new Set<string>()

async function endAll(): Promise<void> {
  for (const pid of children) killGroup(pid)
  for (const dataDir of dataDirs) {
    const pid = await postmasterPid(dataDir)
    if (pid !== undefined) await killAndWait(pid, 'SIGKILL')
  }
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  for (const left of [children, dataDirs, folders]) left.clear()
}

async function newOwnFolder(): Promise<string> {
  whenFileEnds(endAll)
  const folder = await newFolder('cli')
  folders.add(folder)
  return folder
}

/** A DATA_DIR that does not exist yet. */
export async function newDataDir(folder?: string, name = 'data'): Promise<string> {
  whenFileEnds(endAll)
  const dataDir = path.join(folder ?? (await newOwnFolder()), name)
  dataDirs.add(dataDir)
  return dataDir
}

/** A DATA_DIR with an initialized PostgreSQL and nothing more: its next start is the first. */
export async function newInitializedDataDir(): Promise<string> {
  return copied('initialized')
}

/** A DATA_DIR with all tables, for tests that only need a server. */
export async function newMigratedDataDir(folder?: string): Promise<string> {
  return copied('migrated', folder)
}

async function copied(state: DataDirState, folder?: string): Promise<string> {
  const dataDir = await newDataDir(folder)
  await copyDataDir(state, dataDir)
  return dataDir
}

export function startManilla(args: string[], options: RunOptions = {}): Promise<Running> {
  return start([process.execPath, program, ...args], { ...options, env: { ...keptCompiled, ...options.env } })
}

/** Starts the sources as an operator does, for tests about the files that Node loads and its cache. */
export function startFromSource(args: string[], options: RunOptions): Promise<Running> {
  return start([process.execPath, path.join(root, 'src', 'bin', 'manilla.js'), ...args], options)
}

/** Runs a command to its end. */
export async function manilla(args: string[], options: RunOptions = {}): Promise<Ended> {
  return (await startManilla(args, options)).ended
}

/** A server of the API that listens, with the port that it has. */
export async function startServer(
  env: Record<string, string>,
  options: Omit<RunOptions, 'env'> = {},
): Promise<Running & { port: number }> {
  const running = await startManilla(['serve'], { ...options, env: { PORT: '0', ...env } })
  return { ...running, port: await portOf(running) }
}

/** The port that the server says it listens on. */
export async function portOf(running: Running): Promise<number> {
  return Number((await running.says(/listening on [\d.]+:(\d+)/))[1])
}

export async function start(words: string[], options: RunOptions): Promise<Running> {
  whenFileEnds(endAll)
  const cwd = options.cwd ?? (await newOwnFolder())
  const running = launch(words, { ...options, cwd, runFolder: inject('runFolder') })
  children.add(running.pid)
  void running.ended.then(() => children.delete(running.pid))
  return running
}

export type Credentials = Record<
  'businessId' | 'stagingBaseUrl' | 'productionBaseUrl' | 'testKey' | 'liveKey' | 'dashboardUrl',
  string
>

export async function readCredentials(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8')) as Credentials
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has ended by itself.
  }
}
