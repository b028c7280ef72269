// The first and the second start of `manilla serve`.

import { execFile } from 'node:child_process'
import { chmod, lstat, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { freePort } from '#tests/support/launch.ts'
import { newFolder } from '#tests/support/run.ts'
import {
  liveKey,
  manilla,
  newDataDir,
  newInitializedDataDir,
  newMigratedDataDir,
  ordinaryUid,
  readCredentials,
  startManilla,
  startServer,
  testKey,
} from './support.ts'

/** A port that another program listens on until the test ends. */
async function takePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const root = process.getuid?.() === 0

describe('the first start', () => {
  it('prints addresses and keys, and a curl that works as it is pasted', async () => {
    const dataDir = await newDataDir()
    const server = await startServer({ DATA_DIR: dataDir })
    const [, curl = ''] = await server.says(/Try it:\n\s+(curl .+)\n/)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s`])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { balances: [{ available: 100_000_000_000 }] } })
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('shows the live key on a terminal only, because a log would store it for ever', async () => {
    const dataDir = await newInitializedDataDir()
    const server = await startServer({ DATA_DIR: dataDir, ENVIRONMENTS: 'production', BOOTSTRAP_LIVE_KEY: liveKey })
    const [, curl = ''] = await server.says(/Try it:\n\s+(curl .+)\n/)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s`])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { balances: [{ available: 0 }] } })
    expect(server.stdout()).toContain(`live key     in ${dataDir}/credentials.json`)
    server.signal('SIGTERM')
    await server.ended
    expect(server.stdout()).not.toContain(liveKey)
  })

  it('keeps the credentials in a file of six fields that only its user can read', async () => {
    const dataDir = await newMigratedDataDir()
    const keys = { BOOTSTRAP_TEST_KEY: testKey, BOOTSTRAP_LIVE_KEY: liveKey }
    const server = await startServer({ DATA_DIR: dataDir, ...keys })
    await server.says(/Try it/)
    const base = `http://127.0.0.1:${server.port}`
    expect(await readCredentials(dataDir)).toEqual({
      businessId: expect.stringMatching(/^biz_[0-9a-z]{26}$/),
      stagingBaseUrl: `${base}/staging`,
      productionBaseUrl: `${base}/production`,
      testKey,
      liveKey,
      dashboardUrl: `http://localhost:${server.port}/dashboard`,
    })
    expect((await stat(path.join(dataDir, 'credentials.json'))).mode & 0o777).toBe(0o600)
    server.signal('SIGINT')
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})

describe('started as root, or in a folder where another user can write', () => {
  it.runIf(root)('is warned in a line that it is root, and an ordinary user is not', async () => {
    const asRoot = await startServer({ DATA_DIR: await newMigratedDataDir() })
    await asRoot.says(/running as root, which is not needed/)
    asRoot.signal('SIGTERM')
    await asRoot.ended
    const env = { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }
    const asUser = await manilla(['serve'], { env, uid: ordinaryUid })
    expect(asUser.stdout).not.toMatch(/root/)
  })

  it('writes the credentials past a link that was planted in their place', async () => {
    const dataDir = await newMigratedDataDir()
    const victim = path.join(await newFolder('serve'), 'victim')
    await writeFile(victim, '{"precious":true}')
    for (const name of ['credentials.json', 'credentials.json.new']) await symlink(victim, path.join(dataDir, name))
    const server = await startServer({ DATA_DIR: dataDir })
    await server.says(/Try it/)
    expect(await readFile(victim, 'utf8')).toBe('{"precious":true}')
    expect((await lstat(path.join(dataDir, 'credentials.json'))).isFile()).toBe(true)
    expect(await readCredentials(dataDir)).not.toHaveProperty('precious')
    server.signal('SIGTERM')
    await server.ended
  })
})

describe('a later start', () => {
  it('says where the keys are, keeps them beside its own addresses, and reads the settings of .env', async () => {
    const [dataDir, folder] = [await newMigratedDataDir(), await newFolder('serve')]
    const first = await startServer({ DATA_DIR: dataDir })
    await first.says(/Try it/)
    const before = await readCredentials(dataDir)
    first.signal('SIGTERM')
    await first.ended
    await writeFile(path.join(folder, '.env'), `DATA_DIR=${dataDir}\nENVIRONMENTS=staging\n`)
    const second = await startServer({}, { cwd: folder })
    await second.says(/keys +\S+credentials\.json/)
    expect(second.stdout()).not.toMatch(/sk_(test|live)_|production/)
    const base = `http://127.0.0.1:${second.port}`
    expect(await readCredentials(dataDir)).toEqual({
      ...before,
      stagingBaseUrl: `${base}/staging`,
      productionBaseUrl: null,
      dashboardUrl: `http://localhost:${second.port}/dashboard`,
    })
    const client = createClient(`${base}/staging`, before.testKey)
    expectSuccess(await client.get('/v1/balance'))
    client.close()
    second.signal('SIGTERM')
    await second.ended
  })
})

describe('a start that fails: one sentence, exit code 1', () => {
  it('a second server on the same DATA_DIR', async () => {
    const dataDir = await newMigratedDataDir()
    const server = await startServer({ DATA_DIR: dataDir })
    const second = await manilla(['serve'], { env: { DATA_DIR: dataDir, PORT: '0' } })
    expect(second).toMatchObject({ code: 1 })
    expect(second.stderr).toMatch(/^Another Manilla server \(process \d+\) already uses DATA_DIR .+\n$/)
    server.signal('SIGTERM')
    await server.ended
  })

  it.each(['PORT', 'METRICS_PORT'])('a %s that is taken, before anything is made', async (setting) => {
    const port = String(await takePort())
    const dataDir = await newDataDir()
    const ended = await manilla(['serve'], { env: { DATA_DIR: dataDir, PORT: '0', [setting]: port } })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(
      `Port ${port} on 127.0.0.1 is already in use. Stop what uses it, or set ${setting} to another port.\n`,
    )
    await expect(stat(dataDir)).rejects.toThrow(/ENOENT/)
  })

  it('one port for the API and for the metrics', async () => {
    const port = String(await freePort())
    const env = { DATA_DIR: await newDataDir(), PORT: port, METRICS_PORT: port }
    const ended = await manilla(['serve'], { env })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(`Wrong setting: METRICS_PORT and PORT are both ${port}. Set one to another port.\n`)
  })

  it.each([
    ['a wrong setting', { PORT: '70000' }, /^Wrong setting: PORT is at most 65535, not "70000"\.\n$/],
    ['an address that no machine has', { HOST: '999.1.1.1' }, /^Wrong setting: HOST is a host name or an IP address/],
    ['a database that is not there', { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }, /DATABASE_URL/],
    ['a rail that does not exist', { RAILS_FILE: 'bank' }, /^Wrong setting: RAILS_FILE /],
  ])('%s', async (_what, env: Record<string, string>, sentence) => {
    const ended = await manilla(['serve'], { env: { DATA_DIR: await newDataDir(), ...env } })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toMatch(sentence)
    expect(ended.stderr).not.toMatch(/ {4}at /)
  })

  it.runIf(root)('a DATA_DIR that this user may not write', async () => {
    const folder = await newFolder('serve')
    await chmod(folder, 0o755)
    const env = { DATA_DIR: path.join(folder, 'data'), PORT: '0' }
    const ended = await manilla(['serve'], { env, uid: ordinaryUid })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toMatch(/DATA_DIR/)
    expect(ended.stderr).not.toMatch(/ {4}at /)
  })
})

describe('roles', () => {
  it('a process of workers alone opens no door', async () => {
    const worker = await startManilla(['serve', '--roles', 'worker'], {
      env: { DATA_DIR: await newMigratedDataDir() },
    })
    await worker.says(/^working$/m)
    expect(worker.stdout()).not.toMatch(/listening/)
    worker.signal('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0 })
  })
})
