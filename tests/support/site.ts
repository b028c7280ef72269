// The dashboard as it is built, once for a checkout and its sources, whichever test file asks first.

import path from 'node:path'
import { createLog } from '#base/log.ts'
import { openSite, type SiteFiles, type SiteState } from '#building/site.ts'

const builds = path.resolve(import.meta.dirname, '../../node_modules/.cache/manilla-dashboard')

export async function useSite(): Promise<SiteFiles> {
  const state = await builtSite()
  if (state.kind !== 'ready') throw new Error('the dashboard could not be built; the line above says why')
  return state.files
}

async function builtSite(): Promise<SiteState> {
  const site = openSite({ dataDir: builds, awaitsDataDir: false, log: createLog({ level: 'warn', format: 'json' }) })
  await site.settled
  return site.state()
}
