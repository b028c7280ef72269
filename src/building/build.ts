// Builds the dashboard in a process of its own and at lower priority: payments go on beside it, and what the build took
// of memory is gone with the process.

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { hourMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { sourceFolder } from './sources.ts'

/** In the folder of a build: of which sources it is. It is written last, so a build that broke off has none. */
export const fingerprintFile = 'fingerprint'

const beginning = 'building-'
/** A build takes seconds. What is older than this was left behind by one that was killed. */
const leftBehindMs = hourMs
const outputMax = 2_000

/** Builds into `folder`, whole or not at all. Of two that do so at once, the first one's is kept. */
export async function buildInto(folder: string, fingerprint: string, stop: AbortSignal): Promise<void> {
  const beside = path.dirname(folder)
  const unfinished = await mkdtemp(path.join(beside, beginning))
  try {
    await runVite(unfinished, stop)
    await writeFile(path.join(unfinished, fingerprintFile), fingerprint)
    await rename(unfinished, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error // Another process was first.
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Removes the builds of other sources. A server has its files in memory, so nobody reads them any more. */
export async function removeOthers(folder: string, nowMs: number): Promise<void> {
  const beside = path.dirname(folder)
  for (const name of await readdir(beside)) {
    const other = path.join(beside, name)
    if (other === folder) continue
    if (name.startsWith(beginning) && nowMs - (await stat(other)).mtimeMs < leftBehindMs) continue
    await rm(other, { recursive: true, force: true })
  }
}

async function runVite(outDir: string, stop: AbortSignal): Promise<void> {
  const program = await findVite()
  const flags = ['build', '--outDir', outDir, '--emptyOutDir', '--configLoader', 'native', '--logLevel', 'warn']
  const child = spawn(process.execPath, [program, ...flags], {
    cwd: sourceFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the service's settings is for a build, and NODE_OPTIONS of a debugger would stop it.
    env: { NODE_ENV: 'production', NO_COLOR: '1' },
    signal: stop,
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  let output = ''
  const keep = (chunk: Buffer): void => void (output = `${output}${chunk.toString()}`.slice(-outputMax))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new OperatorError(`The dashboard could not be built: ${output.trim() || `code ${code}`}`)
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // Some systems do not let a process do that; then it is built at the usual priority.
  }
}

async function findVite(): Promise<string> {
  for (const folder of [sourceFolder, path.dirname(sourceFolder)]) {
    const program = path.join(folder, 'node_modules', 'vite', 'bin', 'vite.js')
    if (await exists(program)) return program
  }
  throw new OperatorError(
    'The packages that build the dashboard are not installed. Run npm ci, or set DASHBOARD=off to serve none.',
  )
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  )
}
