import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import type { EmbeddedOptions } from '#postgres/embedded/open.ts'
import { pollUntil, isPostmasterOf, processRuns, signalProcess } from '#postgres/embedded/server-process.ts'
import { copyDataDir } from '#tests/support/data-dirs.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'

// Folders, processes and queries for the tests of the embedded PostgreSQL.

export const isRoot = process.geteuid?.() === 0
export const isLinux = process.platform === 'linux'

export const openerScript = fileURLToPath(new URL('./opener.ts', import.meta.url))

/** A DATA_DIR that does not exist yet. When the test is over, its server is killed and its folder removed. */
export async function newDataDir(options: { parent?: string; name?: string } = {}): Promise<string> {
  const parent = await newFolder('embedded', options.parent)
  const dataDir = join(parent, options.name ?? 'data')
  onTestFinished(async () => {
    const pid = await postmasterPid(dataDir)
    if (pid !== undefined) await killAndWait(pid, 'SIGQUIT')
    await removeFolder(parent)
  })
  return dataDir
}

/** A DATA_DIR with an initialized PostgreSQL: a copy, which is quicker than a first run. */
export async function newInitializedDataDir(): Promise<string> {
  const dataDir = await newDataDir()
  await copyDataDir('initialized', dataDir)
  return dataDir
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

export function dataFolder(dataDir: string): string {
  return join(dataDir, 'postgres', 'data')
}

export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(join(dataFolder(dataDir), 'postmaster.pid'), 'utf8').catch(() => ''), 10)
  return pid > 0 && (await isPostmasterOf(pid, dataFolder(dataDir))) ? pid : undefined
}

export async function killPostmaster(dataDir: string): Promise<number> {
  const pid = await postmasterPid(dataDir)
  if (pid === undefined) throw new Error('no server to kill')
  await killAndWait(pid, 'SIGKILL')
  return pid
}

export async function killAndWait(pid: number, signal: NodeJS.Signals): Promise<void> {
  signalProcess(pid, signal)
  await until(async () => !(await processRuns(pid)))
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  const met = await pollUntil(async () => ((await condition()) ? true : undefined), { limitMs: patienceMs })
  if (met !== true) throw new Error(`not met within ${patienceMs} ms: ${condition.toString()}`)
}

export async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' })
    return rows.map((row) => row[0])
  } finally {
    await client.end()
  }
}

type Line = { ownerUrl?: string; serviceUrl?: string; step?: string; incident?: string; error?: string; name?: string }

export type Opener = {
  pid: number
  lines: Line[]
  line(key: keyof Line): Promise<string>
  /** Ends its input, so that it releases the database, and waits until it exits by itself. */
  release(): Promise<void>
  kill(): Promise<void>
}

/** A process of its own that opens the database; see opener.ts. `uid` makes it an ordinary user. */
export function spawnOpener(options: EmbeddedOptions, { uid }: { uid?: number } = {}): Opener {
  const child = spawn(process.execPath, [openerScript, JSON.stringify({ durable: false, ...options })], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const lines: Line[] = []
  createInterface({ input: child.stdout }).on('line', (text) => lines.push(JSON.parse(text) as Line))
  onTestFinished(async () => {
    await endOf(child, () => child.kill('SIGKILL'))
  })
  return {
    pid: child.pid ?? 0,
    lines,
    async line(key) {
      const find = async () => lines.find((line) => line[key] !== undefined)?.[key]
      const found = await pollUntil(find, { limitMs: patienceMs })
      if (found === undefined) throw new Error(`no ${key} from the opener: ${JSON.stringify(lines)}`)
      return found
    },
    release: () => endOf(child, () => child.stdin.end()),
    kill: () => endOf(child, () => child.kill('SIGKILL')),
  }
}

async function endOf(child: ChildProcess, act: () => unknown): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  act()
  await ended
}
