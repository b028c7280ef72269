// The files of the dashboard, from their sources to memory. It begins as soon as the process does, beside the start of
// PostgreSQL, and nothing waits for it: until it is done the door says so, and the API does not care.

import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { briefMessage } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import { isBuildOf } from './ahead.ts'
import { buildInto, fingerprintFile, removeOthers } from './build.ts'
import { builtAhead, fingerprintSources } from './sources.ts'

export type SiteFiles = ReadonlyMap<string, Buffer>
export type SiteState = { kind: 'building' } | { kind: 'failed' } | { kind: 'ready'; files: SiteFiles }

export type Site = {
  state(): SiteState
  /** Resolves when it is built, or could not be. */
  settled: Promise<void>
  /** Ends a build that is under way. */
  stop(): Promise<void>
}

export type SiteOptions = {
  dataDir: string
  /** An embedded PostgreSQL makes the folder, so that its account may pass through it. */
  awaitsDataDir: boolean
  /** In place of where `npm run build` builds. */
  ahead?: string
  log: Log
}

export function openSite({ log, ...options }: SiteOptions): Site {
  const stopping = new AbortController()
  let state: SiteState = { kind: 'building' }

  async function open(): Promise<void> {
    const startedAt = performance.now()
    const { files, isNew } = await prepare(options, stopping.signal)
    state = { kind: 'ready', files }
    const tookMs = Math.round(performance.now() - startedAt)
    if (isNew) log.info({ tookMs }, 'built the dashboard')
  }

  const settled = open().catch((error: unknown) => {
    state = { kind: 'failed' }
    if (!stopping.signal.aborted) log.error({ error: briefMessage(error) }, 'the dashboard could not be built')
  })
  return {
    state: () => state,
    settled,
    stop() {
      stopping.abort()
      return settled
    },
  }
}

type PreparedSite = { files: SiteFiles; isNew: boolean }

async function prepare(options: Omit<SiteOptions, 'log'>, stop: AbortSignal): Promise<PreparedSite> {
  const { dataDir, awaitsDataDir, ahead = builtAhead } = options
  const fingerprint = await fingerprintSources()
  const folder = path.join(dataDir, 'dashboard', fingerprint)
  for (const built of [ahead, folder]) {
    if (await isBuildOf(built, fingerprint)) return { files: await readFiles(built), isNew: false }
  }
  if (awaitsDataDir) await waitForFolder(dataDir, stop)
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 })
  await buildInto(folder, fingerprint, stop)
  const files = await readFiles(folder)
  await removeOthers(folder, systemClock.now())
  return { files, isNew: true }
}

const lookMs = 20

async function waitForFolder(folder: string, stop: AbortSignal): Promise<void> {
  while (!(await isFolder(folder))) await delay(lookMs, undefined, { signal: stop })
}

async function isFolder(folder: string): Promise<boolean> {
  return await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** By their paths below the folder, with `/`. */
async function readFiles(folder: string): Promise<SiteFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, Buffer>()
  for (const entry of entries) {
    if (!entry.isFile() || entry.name === fingerprintFile) continue
    const file = path.join(entry.parentPath, entry.name)
    files.set(path.relative(folder, file).split(path.sep).join('/'), await readFile(file))
  }
  return files
}
