// The PHP SDK: the shared vectors, its fake and its receiver, and a journey against the whole service.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'

const folder = path.resolve(import.meta.dirname, '../../sdk/php')
const wants = 'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") ? 0 : 1);'
const { status } = spawnSync('php', ['-r', wants])
const missing = status === 0 ? undefined : 'this machine has no PHP of 8.1 or newer with cURL'
const asRoot = { COMPOSER_ALLOW_SUPERUSER: '1' }
/** The paths of Debian's packages, on the include path. */
const laravel = 'Illuminate/Events/autoload.php'
const guzzle = 'GuzzleHttp/autoload.php'

/** Both checkers at their strictest level, with the package's own settings. */
const checkers = {
  psalm: ['--no-cache', '--no-progress', '--threads=1', '--output-format=text'],
  phpstan: ['analyse', '--no-progress', '--error-format=raw'],
}

function php(options: string[], variables = {}): Promise<{ code: number | null; text: string }> {
  return run('php', options, folder, variables)
}

async function run(program: string, options: string[], cwd: string, variables = {}): ReturnType<typeof php> {
  const child = spawn(program, options, { cwd, env: { ...process.env, NODE: process.execPath, ...variables } })
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (text += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

describe.skipIf(missing !== undefined)(`the PHP SDK${missing === undefined ? '' : `: ${missing}`}`, async () => {
  const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

  it('passes the shared vectors', async () => {
    const { code, text } = await php(['tests/vectors.php'])
    expect(text).toMatch(/^\d{4,} checks, 0 faults\n$/)
    expect(code).toBe(0)
  })

  it('passes them by a PSR-18 client, too', async (context) => {
    const { status: found } = spawnSync('php', ['-r', 'exit(stream_resolve_include_path($argv[1]) ? 0 : 1);', guzzle])
    if (found !== 0) context.skip('this machine has no php-guzzlehttp-guzzle')
    const { code, text } = await php(['tests/vectors.php', guzzle])
    expect(text).toMatch(/^\d{4,} checks, 0 faults\n$/)
    expect(code).toBe(0)
  })

  it('has a fake and a receiver that do what they say', async () => {
    const { code, text } = await php(['tests/fake.php'])
    expect(text).toMatch(/^\d+ checks, 0 faults\n$/)
    expect(code).toBe(0)
  })

  it.for(Object.entries(checkers))('is typed strictly: %s finds nothing', async ([checker, options], context) => {
    for (const program of [checker, 'composer']) {
      const { status: found } = spawnSync(program, ['--version'], { env: { ...process.env, ...asRoot } })
      if (found !== 0) context.skip(`this machine has no ${program}`)
    }
    const copy = await newFolder('php') // Composer writes its autoloader beside the classes, so it works on a copy.
    await cp(folder, copy, { recursive: true })
    await run('composer', ['dump-autoload', '--quiet'], copy, asRoot)
    expect(await run(checker, options, copy)).toEqual({ code: 0, text: '' })
  })

  it('answers deliveries in the router of Laravel', async (context) => {
    const { status: found } = spawnSync('php', ['-r', 'exit(stream_resolve_include_path($argv[1]) ? 0 : 1);', laravel])
    if (found !== 0) context.skip('this machine has no php-illuminate-routing and php-illuminate-events')
    const { code, text } = await php(['tests/laravel.php'])
    expect(text).toMatch(/^\d+ checks, 0 faults\n$/)
    expect(code).toBe(0)
  })

  it('takes money for an order, pays it out, and gets the events of both', async () => {
    const settings = { MANILLA_API_KEY: service.testKey, MANILLA_BASE_URL: `${service.url}/staging` }
    const { code, text } = await php(['tests/journey.php'], settings)
    expect(text).toMatch(/^\d+ checks, 0 faults\n$/)
    expect(code).toBe(0)
  })
})
