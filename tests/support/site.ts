// The dashboard as it is built, once for a checkout and its sources, whichever test asks first.

import path from 'node:path'
import { createLog } from '#platform/observability/log.ts'
import { buildAhead } from '#building/ahead.ts'
import { openSite, type SiteFiles } from '#building/site.ts'

const builds = path.resolve(import.meta.dirname, '../../node_modules/.cache/manilla-dashboard')

/** For the set-up of a run: each service that a test starts would build it for itself otherwise. Resolves with how to end. */
export function beginSite(): () => Promise<void> {
  const stopping = new AbortController()
  // A build that fails is told by the tests that need it.
  const built = buildAhead(stopping.signal).catch(() => undefined)
  return async () => {
    stopping.abort()
    await built
  }
}

export async function useSite(): Promise<SiteFiles> {
  const site = openSite({ dataDir: builds, awaitsDataDir: false, log: createLog({ level: 'warn', format: 'json' }) })
  await site.settled
  const state = site.state()
  if (state.kind !== 'ready') throw new Error('the dashboard could not be built; the line above says why')
  return state.files
}
