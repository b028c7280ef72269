// The command line as a person or a supervisor meets it: real processes, in an empty folder, with an environment that
// holds nothing but what a test gives. Whatever a test leaves behind is killed when its file ends, or its run.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll } from 'vitest'
import { poll } from '#embedded/poll.ts'
import { killAndWait, postmasterPid } from '#tests/embedded/support.ts'
import { copyDataDir, type DataDirState } from '#tests/support/data-dirs.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { endsWithRun, newFolder } from '#tests/support/run.ts'

export const root = path.resolve(import.meta.dirname, '../..')
export const ordinaryUid = 65_534

export const testKey = `sk_test_${'T'.repeat(40)}`
export const liveKey = `sk_live_${'L'.repeat(40)}`

const program = path.join(root, 'src', 'bin', 'manilla.ts')

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type Running = {
  pid: number
  stdout(): string
  stderr(): string
  /** The first match in what it prints on standard output. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Resolves when it has ended and all of its output is read. */
  ended: Promise<Ended>
}

export type RunOptions = {
  env?: Record<string, string>
  /** Where it runs; an empty folder when absent. */
  cwd?: string
  /** As another user, which root alone can do. */
  uid?: number
}

const children = new Set<number>()
const dataDirs = new Set<string>()
const folders = new Set<string>()

afterAll(async () => {
  for (const pid of children) killGroup(pid)
  for (const dataDir of dataDirs) {
    const pid = await postmasterPid(dataDir)
    if (pid !== undefined) await killAndWait(pid, 'SIGKILL')
  }
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

async function newOwnFolder(): Promise<string> {
  const folder = await newFolder('cli')
  folders.add(folder)
  return folder
}

/** A DATA_DIR that does not exist yet. */
export async function newDataDir(folder?: string, name = 'data'): Promise<string> {
  const dataDir = path.join(folder ?? (await newOwnFolder()), name)
  dataDirs.add(dataDir)
  return dataDir
}

/** A DATA_DIR whose PostgreSQL is initialised and nothing more: its next start is the first. */
export async function newInitialisedDataDir(): Promise<string> {
  return copied('initialised')
}

/** The same with all tables, for a start of which nothing is asked but that it serves. */
export async function newMigratedDataDir(): Promise<string> {
  return copied('migrated')
}

async function copied(state: DataDirState): Promise<string> {
  const dataDir = await newDataDir()
  await copyDataDir(state, dataDir)
  return dataDir
}

export function startManilla(args: string[], options: RunOptions = {}): Promise<Running> {
  return start([process.execPath, program, ...args], options)
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

/** The port that it says it listens on. */
export async function portOf(running: Running): Promise<number> {
  return Number((await running.says(/listening on [\d.]+:(\d+)/))[1])
}

export async function start(words: string[], { env, cwd, uid }: RunOptions): Promise<Running> {
  const [file = '', ...args] = words
  const folder = cwd ?? (await newOwnFolder())
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: what it starts can be killed with it, and our terminal's Ctrl-C does not reach it.
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  endsWithRun(child)
  const pid = child.pid ?? 0
  children.add(pid)
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    children.delete(pid)
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr }
  })
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    signal: (name) => void process.kill(pid, name),
    async says(pattern) {
      const over = { yes: false }
      void ended.then(() => (over.yes = true))
      const look = () => Promise.resolve(pattern.exec(stdout) ?? (over.yes ? null : undefined))
      const found = await poll(look, { limitMs: patienceMs })
      if (found === undefined || found === null) {
        throw new Error(
          `it ${found === null ? 'ended' : 'ran'} without saying ${pattern.source}:\n${stdout}\n${stderr}`,
        )
      }
      return found
    },
  }
}

/** Nobody listens on it now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
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
    // It has ended by itself.
  }
}
