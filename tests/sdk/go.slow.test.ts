// The Go SDK: vet, gofmt, the shared vectors, its fake and its handler, and a journey against the whole service.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { useService } from '#tests/support/service.ts'

const folder = path.resolve(import.meta.dirname, '../../sdk/go')
const paths = `${process.env['PATH']}:/usr/local/go/bin`
// The module needs Go 1.23; the test downloads no toolchain for it.
const environment = {
  ...process.env,
  PATH: paths,
  NODE: process.execPath,
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly',
}
const { status } = spawnSync('go', ['list', './...'], { cwd: folder, env: environment })
const missing = status === 0 ? undefined : 'this machine has no Go of 1.23 or newer'

async function go(options: string[], variables = {}): Promise<{ code: number | null; text: string }> {
  const child = spawn('go', options, { cwd: folder, env: { ...environment, ...variables } })
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (text += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

describe.skipIf(missing !== undefined)(`the Go SDK${missing === undefined ? '' : `: ${missing}`}`, async () => {
  const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

  it('passes vet, the shared vectors, and the tests of its fake and its handler', async () => {
    expect(await go(['vet', './...'])).toEqual({ code: 0, text: '' })
    const { code, text } = await go(['test', '-count=1', './...'])
    expect(code, text).toBe(0)
    expect(text).toMatch(/ok\s+manilla\.dev\/go\s/)
  })

  it('is formatted and needs nothing but the standard library', () => {
    const unformatted = spawnSync('gofmt', ['-l', '.'], { cwd: folder, env: environment })
    expect(unformatted.stdout.toString() + unformatted.stderr.toString()).toBe('')
    expect(existsSync(path.join(folder, 'go.sum'))).toBe(false)
  })

  it('takes money for an order, pays it out, and gets the events of both', async () => {
    const settings = { MANILLA_API_KEY: service.testKey, MANILLA_BASE_URL: `${service.url}/staging` }
    const { code, text } = await go(['test', '-count=1', '-v', '-run', 'TestJourney', '.'], settings)
    expect(text).toContain('--- PASS: TestJourney')
    expect(code, text).toBe(0)
  })
})
