// The commands for integrators, with a key and an address alone: real processes, a real service over HTTP.

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '#sdk/index.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { blocksOf } from '#tests/deploy/runbooks.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'
import { manilla, program, root, start, startManilla } from './support.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '0' } })
const baseUrl = `${service.url}/staging`
const home = await newFolder('home')
const file = path.join(home, 'manilla', 'config.json')
/** The first test logs in; the others get this variable alone. */
const env = { XDG_CONFIG_HOME: home }
const nowhere = { XDG_CONFIG_HOME: path.join(home, 'nowhere') }
const withKey = { ...nowhere, MANILLA_API_KEY: service.testKey, MANILLA_BASE_URL: baseUrl }

async function transfer(reference: string): Promise<void> {
  expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference })))
}

describe('login', () => {
  it('keeps a checked key where only its owner can read it, and prints it nowhere', async () => {
    const line = `printf '%s\\n' "$KEY" | "${process.execPath}" "${program}" login --base-url ${baseUrl}/`
    const { ended } = await start(['sh', '-c', line], { env: { ...env, KEY: service.testKey } })
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(`Logged in to ${baseUrl} (staging). The key is kept in ${file}.\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700)
    const stored = { profiles: { default: { baseUrl, apiKey: service.testKey } } }
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(stored)
  })

  it.each([
    ['a wrong key', { MANILLA_API_KEY: `sk_test_${'x'.repeat(40)}` }, baseUrl, 1, /not valid.*npx manilla login/],
    ['no key', {}, baseUrl, 2, /An API key begins with sk_test_ or sk_live_/],
    ['the address of the server alone', {}, service.url, 1, /is not the address of an API \(status 404\)/],
    ['an address where nothing listens', {}, 'http://127.0.0.1:9/staging', 1, /^Cannot reach /],
  ])('stores nothing for %s', async (what, changes, address, code, pattern) => {
    const key = what === 'no key' ? {} : { MANILLA_API_KEY: service.testKey }
    const args = ['login', '--profile', 'other', '--base-url', address]
    const failed = await manilla(args, { env: { ...nowhere, ...key, ...changes } })
    expect({ ...failed, stderr: undefined }).toMatchObject({ code, stdout: '' })
    expect(failed.stderr).toMatch(pattern)
    await expect(stat(path.join(nowhere.XDG_CONFIG_HOME, 'manilla'))).rejects.toThrow('ENOENT')
  })

  it('says what to do about a damaged file', async () => {
    const damaged = path.join(home, 'damaged')
    await mkdir(path.join(damaged, 'manilla'), { recursive: true })
    await writeFile(path.join(damaged, 'manilla', 'config.json'), '[]', { mode: 0o600 })
    const { code, stderr } = await manilla(['transfers', 'list'], { env: { XDG_CONFIG_HOME: damaged } })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/is damaged\. Remove it and run/) })
  })
})

describe('transfers', () => {
  it('are listed and shown, for people and as JSON', async () => {
    await transfer('REMOTE-1')
    const list = await manilla(['transfers', 'list', '--limit', '5', '--json'], { env })
    expect(JSON.parse(list.stdout)).toMatchObject({
      transfers: [{ reference: 'REMOTE-1', amount: transferBody({})['amount'] }],
      pagination: { limit: 5, total: 1 },
    })
    expect((await manilla(['transfers', 'list'], { env })).stdout).toMatch(/^REMOTE-1 +\w+ +₦[\d,.]+ /m)
    expect((await manilla(['transfers', 'get', 'REMOTE-1'], { env })).stdout).toMatch(/^Reference +REMOTE-1$/m)
  })

  it('that are missing, wrong options and a missing login are errors that a script can read', async () => {
    const run = async (args: string[], with_: Record<string, string>) => {
      const { code, stdout, stderr } = await manilla([...args, '--json'], { env: with_ })
      return { code, stderr, ...(JSON.parse(stdout) as object) }
    }
    expect(await run(['transfers', 'get', 'NOWHERE'], withKey)).toEqual({
      code: 1,
      stderr: '',
      error: {
        kind: 'failed',
        message: 'Transfer not found',
        code: 'TRANSFER_NOT_FOUND',
        status: 400,
        requestId: expect.any(String),
      },
    })
    const wrong = { code: 2, error: { kind: 'usage', message: expect.stringMatching(/^limit must be a whole number/) } }
    expect(await run(['transfers', 'list', '--limit', 'x'], withKey)).toMatchObject(wrong)
    const absent = { code: 2, error: { kind: 'usage', message: expect.stringMatching(/^You are not logged in\./) } }
    expect(await run(['transfers', 'list'], nowhere)).toMatchObject(absent)
  })
})

describe('events', () => {
  it('are printed as they happen, from now on or from a time on', async () => {
    const tail = await startManilla(['events', 'tail', '--json'], { env })
    await eventually('the start', () => Promise.resolve(/Listening to/.test(tail.stderr()) ? true : undefined))
    await transfer('REMOTE-2')
    await tail.says(/"reference":"REMOTE-2"/)
    tail.signal('SIGINT')
    const { code, stdout } = await tail.ended
    expect(code).toBe(0)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { reference: string; event: string })
    expect(events.map(({ event, reference }) => [event, reference])).toEqual([['transfer.success', 'REMOTE-2']])
    const earlier = await startManilla(['events', 'tail', '--since', '1h'], { env: withKey })
    await earlier.says(/transfer\.success REMOTE-1\n[^]*transfer\.success REMOTE-2/)
    earlier.signal('SIGINT')
    await earlier.ended
  })

  it('are forwarded to a local receiver, signed like webhooks', async () => {
    const receiver = await useReceiver()
    const listening = await startManilla(['listen', '--forward-to', receiver.url()], { env })
    const [, secret = ''] = await listening.says(/Signed with +(whsec_\S+)[^]*Listening to/)
    expect((await manilla(['trigger', 'deposit.success'], { env })).stdout).toMatch(/^No subscription includes/)
    await listening.says(/deposit\.success SAMPLE-\w+ → 200 in \d+ ms/)
    listening.signal('SIGINT')
    expect((await listening.ended).stdout).toMatch(/Forwarded 1 event\.\n$/)
    const [delivered] = receiver.deliveries
    const signature = String(delivered?.headers['x-webhook-signature'])
    const event = await verifyWebhook(delivered?.body ?? '', signature, secret)
    expect(event).toMatchObject({ event: 'deposit.success', environment: 'sandbox' })
  })

  it('follow the database for an operator who names a business or an environment', async () => {
    const business = 'biz_01h455vb4pex5vsknk084sn02q'
    const refused = await manilla(['trigger', 'nope', '--business', business], { env })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/^There is no event "nope"\./) })
    const both = await manilla(['trigger', 'nope', '--environment', 'staging', '--profile', 'default'], { env })
    expect(both).toMatchObject({ code: 2, stderr: expect.stringMatching(/^--profile chooses the API/) })
  })
})

/** The least number of commands that a page shows, and whether its reader has set the key and the address before. */
const pages = [
  { page: 'cli.md', least: 9, settings: {} },
  { page: 'webhooks.md', least: 3, settings: withKey },
]

describe.each(pages)('docs/$page', ({ page, least, settings }) => {
  it('shows commands that work, one after the other', async () => {
    await transfer('PAYOUT-1001')
    const receiver = await useReceiver()
    const markdown = await readFile(path.join(root, 'docs', page), 'utf8')
    const lines = blocksOf(markdown)
      .flatMap(({ notRun, text }) => (notRun === undefined ? text.split('\n') : []))
      .filter((line) => line.startsWith('npx '))
    expect(lines.length).toBeGreaterThanOrEqual(least)
    const guide = { XDG_CONFIG_HOME: await newFolder('guide'), ...settings }
    for (const line of lines) {
      const [npx, name, ...words] = (line.split(/ +#/)[0] ?? '').trim().split(' ')
      expect([npx, name]).toEqual(['npx', 'manilla'])
      const places = { 'https://pay.example.com/staging': baseUrl, 'http://localhost:3000/webhooks': receiver.url() }
      const args = words.map((word) => Object.entries(places).find(([place]) => place === word)?.[1] ?? word)
      const key = args[0] === 'login' ? { MANILLA_API_KEY: service.testKey } : {}
      const running = await startManilla(args, { env: { ...guide, ...key } })
      if (args[0] === 'listen' || args.includes('tail')) {
        const said = (): string => running.stdout() + running.stderr()
        await eventually(`"Listening to" of ${line}`, () =>
          Promise.resolve(said().includes('Listening to') || undefined),
        )
        running.signal('SIGINT')
      }
      const { code, stderr } = await running.ended
      expect([line, code], stderr).toEqual([line, 0])
    }
  })
})

describe('docs/cli.md', () => {
  it('names the package of this version', async () => {
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string }
    expect(await readFile(path.join(root, 'docs', 'cli.md'), 'utf8')).toContain(`./manilla-${version}.tgz`)
  })
})

it('open prints the addresses of the server', async () => {
  expect((await manilla(['open'], { env })).stdout).toBe(`${service.url}/dashboard\n`)
  expect(JSON.parse((await manilla(['open', 'docs', '--json'], { env })).stdout)).toEqual({
    url: `${service.url}/docs`,
  })
})

it('logout removes the key', async () => {
  expect((await manilla(['logout'], { env })).code).toBe(0)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ profiles: {} })
  expect(await manilla(['logout'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no profile/),
  })
})
