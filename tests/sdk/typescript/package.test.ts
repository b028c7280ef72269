// The published package is small, complete, and usable without this repository.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { version } from '#sdk/transport.ts'
import { builtTypeScript, packedFiles } from '#tests/sdk/packed.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const source = path.join(root, 'sdk/typescript')

type Bundle = { output: { code?: string }[] }
type Bundler = { build: (options: object) => Promise<Bundle> }

it('is at most 12 KiB, minified and compressed: client and webhooks together', async () => {
  const place = createRequire(path.join(root, 'dashboard/package.json')).resolve('vite')
  const { build } = (await import(pathToFileURL(place).href)) as Bundler
  const { output } = await build({
    root: source,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: path.join(source, 'src/index.ts'), preserveEntrySignatures: 'strict' },
    },
  })
  const code = output.map((one) => one.code ?? '').join('')
  expect(code).toContain('verifyWebhook')
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(12 * 1024)
})

it('is packed with what its manifest names and no more, and runs as it is packed', async () => {
  const folder = await builtTypeScript()
  const run = promisify(execFile)
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder })
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[]; size: number }]
  const modules = 'client errors index json list money payments testing transport types webhooks'.split(' ')
  const built = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])
  expect(packed.files.map((file) => file.path).toSorted()).toEqual([...packedFiles, ...built].toSorted())
  const use = `const { Manilla, naira } = await import(${JSON.stringify(path.join(folder, 'dist/index.js'))})
    console.log(new Manilla({ apiKey: 'sk_test_1' }).environment, naira('1500.00'))`
  expect((await run(process.execPath, ['--input-type=module', '--eval', use])).stdout).toBe('sandbox 150000\n')
})

it('says which version it is', () => {
  const manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8')) as { version: string }
  expect(manifest.version).toBe(version)
})
