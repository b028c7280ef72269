// From the sources to files in memory: once for each version of the sources, however many processes begin at once.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLog, type Log } from '#platform/observability/log.ts'
import { openSite, type Site } from '#building/site.ts'
import { fingerprintSources } from '#building/sources.ts'
import { newFolder } from '#tests/support/run.ts'

/** The build that this run made ahead would leave nothing to do. */
const nowhere = '/nowhere'

function open(dataDir: string, lines: string[] = []): Site {
  const log: Log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
  return openSite({ dataDir, awaitsDataDir: false, ahead: nowhere, log })
}

describe('the dashboard', () => {
  it('is built once, whole, in place of what other sources made', async () => {
    const dataDir = await newFolder('site')
    await mkdir(path.join(dataDir, 'dashboard', 'of-other-sources'), { recursive: true })
    const sites = [open(dataDir), open(dataDir)]
    expect(sites.map((site) => site.state().kind)).toEqual(['building', 'building'])
    await Promise.all(sites.map((site) => site.settled))
    expect(sites.map((site) => site.state().kind)).toEqual(['ready', 'ready'])
    expect(await readdir(path.join(dataDir, 'dashboard'))).toEqual([await fingerprintSources()])

    const lines: string[] = []
    const later = open(dataDir, lines)
    await later.settled
    const state = later.state()
    expect(state.kind === 'ready' && state.files.has('index.html')).toBe(true)
    expect(lines).toEqual([]) // It built nothing.
  })

  it('is not built any more once the process stops, and leaves nothing behind', async () => {
    const dataDir = await newFolder('site')
    const lines: string[] = []
    const site = open(dataDir, lines)
    await site.stop()
    expect(site.state().kind).toBe('failed')
    expect(lines).toEqual([])
    expect(await readdir(dataDir, { recursive: true })).not.toContainEqual(expect.stringContaining('building-'))
  })

  it('that cannot be built is one line of the log', async () => {
    const dataDir = path.join(await newFolder('site'), 'a-file')
    await writeFile(dataDir, '')
    const lines: string[] = []
    const site = open(dataDir, lines)
    await site.settled
    expect(site.state().kind).toBe('failed')
    expect(lines).toEqual([expect.stringMatching(/"level":"error".*the dashboard could not be built/)])
  })

  it('waits for a folder that the embedded PostgreSQL makes', async () => {
    const dataDir = path.join(await newFolder('site'), 'later')
    const site = openSite({
      dataDir,
      awaitsDataDir: true,
      ahead: nowhere,
      log: createLog({ level: 'info', format: 'json' }),
    })
    await expect(Promise.race([site.settled, fingerprintSources()])).resolves.toHaveLength(32)
    expect(site.state().kind).toBe('building')
    await site.stop()
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT')
  })
})
