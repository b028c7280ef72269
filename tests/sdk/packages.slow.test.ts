// A user with an empty folder, the packed SDK, docs/quick-start.md and docs/first-order.md sends a transfer and gets an
// order paid. The test runs the pages' commands as they are; it only fills in addresses and secrets.

import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { start } from '#tests/cli/support.ts'
import { blocksOf, languages } from '#tests/docs/snippets.ts'
import { freePort } from '#tests/support/launch.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'
import { packedGo, packedPhp, packedPython, packedTypeScript } from './packed.ts'

const root = path.resolve(import.meta.dirname, '../..')
const guide = 'first-order'
const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

type Ecosystem = {
  /** The row of the guide's table. */
  label: string
  fileOf: (program: string) => string
  /** Settings under which the package manager finds the packed SDK and nothing else. */
  settings: (context: TestContext) => Promise<Record<string, string>>
  /** A replacement for the package's name, if the package manager cannot use another source. */
  name?: { written: string; actual: () => Promise<string> }
}

const ecosystems: Record<string, Ecosystem> = {
  ts: {
    label: 'TypeScript',
    fileOf: (program) => `${program}.ts`,
    settings: async () => ({ npm_config_offline: 'true' }),
    name: { written: '@manilla/sdk', actual: packedTypeScript },
  },
  python: {
    label: 'Python',
    fileOf: (program) => `${program}.py`,
    async settings(context) {
      const { folder, missing } = await packedPython()
      if (missing !== undefined) context.skip(missing)
      return { PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder, PYTHONUNBUFFERED: '1' }
    },
  },
  php: {
    label: 'PHP',
    fileOf: (program) => `${program}.php`,
    async settings(context) {
      const { status } = spawnSync('composer', ['--version'], {
        env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' },
      })
      if (status !== 0) context.skip('this machine has no composer')
      return { COMPOSER_HOME: await packedPhp(), COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_NO_INTERACTION: '1' }
    },
  },
  go: {
    label: 'Go',
    fileOf: (program) => `${program}/main.go`,
    settings: async () => ({
      GOPROXY: `file://${await packedGo()}`,
      GOSUMDB: 'off',
      GOTOOLCHAIN: 'local',
      GOFLAGS: '-modcacherw',
      // A machine compiles the standard library once, not once for each home folder.
      GOCACHE: spawnSync('go', ['env', 'GOCACHE']).stdout.toString().trim(),
    }),
  },
}

/** The commands that set a project up and run its program `transfer`, from the table of the quick start. */
async function commandsOf(label: string): Promise<{ setUp: string; runTransfer: string }> {
  const markdown = await readFile(path.join(root, 'docs/quick-start.md'), 'utf8')
  const row = new RegExp(`^\\| ${label}.*? \\| \`(.+)\` \\| \`(.+)\` \\|$`, 'm').exec(markdown)
  const [, setUp = '', runTransfer = ''] = row ?? []
  expect([setUp, runTransfer]).not.toContain('')
  return { setUp, runTransfer }
}

/** Runs the guide's own curl, and returns the secret that it shows. */
async function subscribe(settings: Record<string, string>, port: number): Promise<string> {
  const [curl = ''] = await blocksOf(guide, 'sh')
  const command = curl
    .replaceAll('http://127.0.0.1:4000/staging', `${service.url}/staging`)
    .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
  const { code, stdout } = await (await start(['sh', '-ec', command], { env: settings })).ended
  expect([code, stdout]).toEqual([0, expect.stringContaining('"secret":"whsec_')])
  return /"secret":"(whsec_[^"]+)"/.exec(stdout)?.[1] ?? ''
}

describe.each(Object.entries(ecosystems))('an empty folder and the package for %s', (name, ecosystem) => {
  const missing = languages[name]?.missing
  it.skipIf(missing !== undefined)(
    `lead to a paid order${missing === undefined ? '' : `: ${missing}`}`,
    async (context) => {
      const [cwd, home, port] = [await newFolder('empty'), await newFolder('home'), await freePort()]
      const { testKey } = await service.addBusiness(name)
      const keys = { MANILLA_API_KEY: testKey, MANILLA_BASE_URL: `${service.url}/staging` }
      const env = { HOME: home, PORT: String(port), ...keys, ...(await ecosystem.settings(context)) }
      const { setUp, runTransfer } = await commandsOf(ecosystem.label)
      const { written, actual } = ecosystem.name ?? { written: '', actual: async () => '' }
      const ready = await (await start(['sh', '-ec', setUp.replace(written, await actual())], { cwd, env })).ended
      expect(ready.code, ready.stdout + ready.stderr).toBe(0)

      const [transfer = ''] = await blocksOf('quick-start', name)
      const [receiver = '', order = ''] = await blocksOf(guide, name)
      for (const [program, code] of Object.entries({ transfer, receiver, order })) {
        const file = path.join(cwd, ecosystem.fileOf(program))
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, code)
      }
      const sent = await (await start(['sh', '-ec', runTransfer], { cwd, env })).ended
      expect(sent.stdout, sent.stderr).toContain('SUCCESS')

      const own = /Run it with: (.+)/.exec(receiver)?.[1]?.replace('3000', String(port))
      const secret = await subscribe(env, port)
      const command = own ?? runTransfer.replace('transfer', 'receiver')
      const serving = await start(['sh', '-ec', `exec ${command}`], { cwd, env: { ...env, WEBHOOK_SECRET: secret } })
      const told = (): string => serving.stdout() + serving.stderr()
      const address = `http://127.0.0.1:${port}/webhooks`
      const forged = { method: 'POST', body: '{}', headers: { 'X-Webhook-Signature': `t=1,v1=${'0'.repeat(64)}` } }
      const answered = (): Promise<unknown> => fetch(address, forged).then(({ status }) => status, told)
      await untilHolds(async () => expect(await answered()).toBe(400))

      const sold = await (await start(['sh', '-ec', runTransfer.replace('transfer', 'order')], { cwd, env })).ended
      expect(sold.code, sold.stdout + sold.stderr).toBe(0)
      expect(sold.stdout).toMatch(/Pay into \d{10}/)
      await untilHolds(() => expect(told()).toContain('ship ORDER-1'))
    },
  )
})
