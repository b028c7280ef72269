// Builds the dashboard once for each state of the sources, when a test first needs it.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { type DashboardFiles, readDashboardBuild } from '#api/dashboard/assets.ts'

const installer = path.resolve(import.meta.dirname, '../../scripts/install.js')

async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, [installer, 'dashboard'])
}

/** For the set-up of a run. Resolves with a function that waits for the end of the build. */
export function beginSite(): () => Promise<void> {
  // A failed build is reported by the tests that need it.
  const built = build().catch(() => undefined)
  return () => built
}

export async function useSite(): Promise<DashboardFiles> {
  await build()
  const files = await readDashboardBuild()
  if (files === undefined) throw new Error('the dashboard is not built')
  return files
}
