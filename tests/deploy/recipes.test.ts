// The files of deploy/ name metrics, settings and flags of this version. If the machine has the tool of a recipe, the
// tool must find no fault in it.

import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { docsFolder, guideFile, guideNames, postmanFile, vectors } from '#api/docs/site.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { newFolder } from '#tests/support/run.ts'
import { deployFolder, findTool, root, run } from './tools.ts'

const read = (file: string): Promise<string> => readFile(path.join(deployFolder, file), 'utf8')

function namesIn(text: string): string[] {
  const suffix = /_(bucket|sum|count)$/
  return [...new Set([...text.matchAll(/\b(?:manilla|process|nodejs)_\w+/g)].map(([name]) => name.replace(suffix, '')))]
}

describe('the metrics', () => {
  const known = createMetrics({ process: true })
    .registry.getMetricsAsArray()
    .map(({ name }) => name)

  it.each(['prometheus/alerts.yaml', 'prometheus/alerts.test.yaml', 'grafana/manilla.json'])(
    'that %s asks for are those of the service',
    async (file) => {
      const asked = namesIn(await read(file))
      expect(asked.length).toBeGreaterThan(8)
      expect(asked.filter((name) => !known.includes(name))).toEqual([])
    },
  )

  it('whose help asks for an alert have one', async () => {
    const alerts = await read('prometheus/alerts.yaml')
    const wanting = createMetrics()
      .registry.getMetricsAsArray()
      .filter(({ help }) => help.includes('Alert '))
    expect(wanting.length).toBeGreaterThan(2)
    for (const { name } of wanting) expect(alerts).toContain(name)
  })
})

describe('the image', () => {
  it('holds every file that the documentation reads', async () => {
    const rules = (await readFile(path.join(root, '.dockerignore'), 'utf8')).trim().split('\n')
    // The last rule that names a file, or one of its folders, decides.
    const isIn = (file: string): boolean => {
      const decides = (rule: string): boolean => `${file}/`.startsWith(`${rule.replace('!', '')}/`)
      return rules.findLast(decides)?.startsWith('!') === true
    }
    const others = ['openapi.json', postmanFile, ...vectors.map((name) => `vectors/${name}.json`)]
    const files = [...guideNames.map(guideFile), ...others.map((name) => path.join(docsFolder, name))]
    expect(files.map((file) => path.relative(root, file)).filter((file) => !isIn(file))).toEqual([])
    expect(isIn('docs/adr/0001-doors-rooms-and-a-vault.md')).toBe(false)
  })
})

describe('the alerts', () => {
  it('are each tried by the test beside them', async () => {
    const names = [...(await read('prometheus/alerts.yaml')).matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    const test = await read('prometheus/alerts.test.yaml')
    expect(names.length).toBeGreaterThan(8)
    for (const name of names) expect(test).toContain(`alertname="${name}"`)
  })

  const promtool = findTool('promtool')
  it.skipIf(promtool === undefined)('fire when they should and not on a calm day (promtool)', async () => {
    const folder = await newFolder('alerts')
    await cp(path.join(deployFolder, 'prometheus'), folder, { recursive: true })
    const test = (): ReturnType<typeof run> =>
      run(promtool ?? '', ['test', 'rules', path.join(folder, 'alerts.test.yaml')])
    expect(await test()).toMatchObject({ code: 0 })
    expect(await run(promtool ?? '', ['check', 'config', path.join(folder, 'scrape.yaml')])).toMatchObject({ code: 0 })
    // An alert that never fires must fail the check.
    const rules = await read('prometheus/alerts.yaml')
    await writeFile(
      path.join(folder, 'alerts.yaml'),
      rules.replace('_oldest_due_seconds) > 60', '_oldest_due_seconds) > 1e9'),
    )
    expect((await test()).stderr).toMatch(/ManillaNoWorker|FAILED/)
  })
})

describe('the flags of Node', () => {
  it('are those of package.json wherever the server is started', async () => {
    const text = await readFile(path.join(root, 'package.json'), 'utf8')
    const { config } = JSON.parse(text) as { config: { nodeFlags: string } }
    for (const unit of ['systemd/manilla-api@.service', 'systemd/manilla-worker.service']) {
      expect(await read(unit)).toContain(`/node ${config.nodeFlags} src/bin/manilla.js serve`)
    }
    const quoted = config.nodeFlags.split(' ').map((flag) => `"${flag}"`)
    expect(await read('Dockerfile')).toContain(`ENTRYPOINT ["node", ${quoted.join(', ')}, "src/bin/manilla.js"]`)
  })
})

describe('the settings', () => {
  it('that the recipes give are settings of this version', async () => {
    const readme = await readFile(path.join(root, 'README.md'), 'utf8')
    const known = new Set([...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name))
    const given = [
      ...(await read('systemd/manilla.env')).matchAll(/^([A-Z_]+)=/gm),
      ...(await read('systemd/manilla-api@.service')).matchAll(/(?:^Environment=| )([A-Z_]+)=/gm),
      ...(await read('compose.yaml')).matchAll(/^ {2}([A-Z_]+): /gm),
    ].map(([, name]) => name)
    expect(given.length).toBeGreaterThan(10)
    expect(given.filter((name) => !known.has(name))).toEqual([])
  })
})

describe('the units', () => {
  const analyze = findTool('systemd-analyze')
  it.skipIf(analyze === undefined)('are what systemd takes, and shut off what the service has no need of', async () => {
    const folder = await newFolder('units')
    const units = (await readdir(path.join(deployFolder, 'systemd'))).filter((name) => name.endsWith('.service'))
    expect(units).toHaveLength(2)
    for (const unit of units) {
      const file = path.join(folder, unit.replace('@', '@4000'))
      await writeFile(file, (await read(`systemd/${unit}`)).replaceAll('/opt/manilla', root))
      const verified = await run(analyze ?? '', ['verify', '--man=no', '--recursive-errors=no', file])
      expect(verified).toEqual({ code: 0, stdout: '', stderr: '' })
      const judged = await run(analyze ?? '', ['security', '--offline=yes', '--threshold=20', file])
      expect(judged, judged.stdout).toMatchObject({ code: 0 })
    }
  })
})

describe('the scripts', () => {
  const shellcheck = findTool('shellcheck')
  it.skipIf(shellcheck === undefined)('are sound shell (shellcheck)', async () => {
    const folder = path.join(deployFolder, 'postgresql')
    const scripts = (await readdir(folder))
      .filter((name) => name.endsWith('.sh'))
      .map((name) => path.join(folder, name))
    expect(scripts.length).toBeGreaterThan(4)
    expect(
      await run(shellcheck ?? '', ['--severity=warning', ...scripts, path.join(root, '.ci', 'run')]),
    ).toMatchObject({
      code: 0,
      stdout: '',
    })
  })
})
