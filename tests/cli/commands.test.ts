// Various commands, with and without a running server.

import { describe, expect, it } from 'vitest'
import { createClient, expectError, expectSuccess } from '#tests/support/client.ts'
import { transferBody, untilPaused } from '#tests/payments/requests.ts'
import { eventually } from '#tests/support/patience.ts'
import { manilla, newInitializedDataDir, newMigratedDataDir, startServer } from './support.ts'

const dataDir = await newMigratedDataDir()
const env = { DATA_DIR: dataDir }
const twoBusinesses = withBusinesses('One', 'Two')

async function withBusinesses(...names: string[]): Promise<string> {
  const other = await newMigratedDataDir()
  for (const name of names) await manilla(['businesses', 'create', '--name', name], { env: { DATA_DIR: other } })
  return other
}

/** Expects one JSON document on standard output, and nothing else there. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await manilla([...args, '--json'], { env })
  expect({
    code,
    stderr: stderr.replace(/^(preparing|migrating|waiting until another process has migrated:) .*\n/gm, ''),
  }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, string> & { businesses: { id: string }[]; keys: { status: string }[] }
}

describe('businesses and keys', () => {
  it('are made, listed, rolled and revoked without a server', async () => {
    const business = await json('businesses', 'create', '--name', 'Shop')
    expect(business['id']).toMatch(/^biz_/)
    expect((await json('businesses', 'list')).businesses.map(({ id }) => id)).toEqual([business['id']])
    // There is one business, so the command needs no name.
    const key = await json('keys', 'create', '--environment', 'staging')
    expect(key['key']).toMatch(/^sk_test_[A-Za-z0-9]{40}$/)
    await json('keys', 'roll', key['id'] ?? '', '--overlap-hours', '1')
    const { keys } = await json('keys', 'list')
    expect((await json('keys', 'list', '--business', business['id'] ?? '')).keys).toEqual(keys)
    expect(keys.map(({ status }) => status)).toEqual(['expiring', 'active'])
    expect(JSON.stringify(keys)).not.toContain(key['key'])
    const told = '--environment production --scopes payout,read --allow 203.0.113.0/24,198.51.100.7 --expires-in 90d'
    const restricted = await json('keys', 'create', '--business', business['id'] ?? '', ...told.split(' '))
    const shown = { scopes: ['read', 'payout'], allow: ['203.0.113.0/24', '198.51.100.7'] }
    expect(restricted).toMatchObject(shown)
    const lifeMs = Date.parse(restricted['expiresAt'] ?? '') - Date.parse(restricted['createdAt'] ?? '')
    expect(Math.abs(lifeMs - 90 * 86_400_000)).toBeLessThan(60_000)
    expect((await json('keys', 'list', '--business', business['id'] ?? '')).keys.at(-1)).toMatchObject(shown)
    const { stdout } = await manilla(['keys', 'list', '--business', business['id'] ?? ''], { env })
    expect(stdout).toMatch(/ active +read,payout +203\.0\.113\.0\/24,198\.51\.100\.7 +\d{4}-/)
    expect(stdout).toMatch(/ active +all +anywhere +never /)
  })

  it.each([
    ['keys', 'create', '--environment', 'production'],
    ['limits', 'show', '--environment', 'staging'],
    ['people', 'invite', '--role', 'owner', '--email', 'ada@example.com'],
    ['trigger', 'transfer.success'],
  ])('%s %s needs --business if there are several, and names them', async (...args) => {
    const ended = await manilla(args, { env: { DATA_DIR: await twoBusinesses } })
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toMatch(
      /There are 2 businesses: choose one with --business\.\n {2}biz_\w{26} {2}One\n {2}biz_\w{26} {2}Two\n$/,
    )
  })

  it('beside a running server: a new key opens it, a revoked one stops within a second', async () => {
    const server = await startServer(env)
    const [business] = (await json('businesses', 'list')).businesses
    const key = await json('keys', 'create', '--business', business?.id ?? '', '--environment', 'staging')
    const client = createClient(`http://127.0.0.1:${server.port}/staging`, key['key'])
    expectSuccess(await client.get('/v1/balance'))
    await json('keys', 'revoke', key['id'] ?? '')
    const revokedAt = performance.now()
    await eventually('the refusal', async () => ((await client.get('/v1/balance')).status === 401 ? true : undefined))
    // keyring.test.ts proves the limit of a second to the millisecond, on its own clock. This machine may be busy.
    expect(performance.now() - revokedAt).toBeLessThan(15_000)
    expectError(await client.get('/v1/balance'), 401, 'UNAUTHORIZED')
    expect(await json('doctor')).toMatchObject({ ok: true })
    client.close()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})

/** Without a currency, `limits show` prints naira and the list of all currencies. */
function showing(...limits: Record<'currency' | 'perPayment' | 'perDay' | 'leftToday', unknown>[]) {
  const currencies = limits.map(({ currency, perPayment, perDay, leftToday }) => {
    return { currency, perPayment, perDay, leftToday }
  })
  return { ...limits[0], currencies }
}

describe('limits and pauses', () => {
  it('are set, shown and lifted, beside a running server that knows of them at once', async () => {
    const server = await startServer(env)
    const [business] = (await json('businesses', 'list')).businesses
    const whose = ['--business', business?.id ?? '', '--environment', 'staging']
    const key = await json('keys', 'create', ...whose)
    const client = createClient(`http://127.0.0.1:${server.port}/staging`, key['key'])
    const send = (amount: number) => client.post('/v1/transfers/initiate', transferBody({ amount }))

    const place = { business: business?.id, environment: 'staging' }
    const none = { ...place, currency: 'NGN', perPayment: null, perDay: null, leftToday: null }
    expect(await json('limits', 'show', ...whose)).toEqual(showing(none))
    const set = { ...none, perPayment: 1_000, perDay: 1_500 }
    expect(await json('limits', 'set', ...whose, '--per-payment', '1000', '--per-day', '1500')).toEqual({
      ...set,
      leftToday: 1_500,
    })
    expectError(await send(1_001), 400, 'LIMIT_EXCEEDED')
    expectSuccess(await send(1_000))
    expectError(await send(501), 400, 'LIMIT_EXCEEDED')
    expect(await json('limits', 'show', ...whose)).toEqual(showing({ ...set, leftToday: 500 }))
    expect(await json('limits', 'set', ...whose, '--per-payment', 'none', '--per-day', 'none')).toEqual(none)

    const inCedis = [...whose, '--currency', 'GHS']
    const early = await manilla(['limits', 'set', ...inCedis, '--per-day', '5'], { env })
    expect(early.stderr).toMatch(/GHS was never switched on/)
    await json('businesses', 'currencies', business?.id ?? '', '--environment', 'staging', '--on', 'GHS')
    const ofCedis = { ...none, currency: 'GHS', perDay: 5, leftToday: 5 }
    expect(await json('limits', 'set', ...inCedis, '--per-day', '5')).toEqual(ofCedis)
    expect(await json('limits', 'show', ...inCedis)).toEqual(ofCedis)
    expect(await json('limits', 'show', ...whose)).toEqual(showing(none, ofCedis))
    const shown = await manilla(['limits', 'show', ...whose], { env })
    expect(shown.stdout).toBe(
      [
        'currency  per payment  per day       left today',
        'NGN       none         none',
        'GHS       none         5 (GHS 0.05)  5 (GHS 0.05)',
        '',
      ].join('\n'),
    )

    const all = { environment: 'staging', business: null, since: expect.any(String), by: expect.stringMatching(/./) }
    const one = { ...all, business: business?.id }
    await json('payouts', 'pause', '--environment', 'staging')
    expect(await json('payouts', 'pause', ...whose)).toEqual({ paused: expect.arrayContaining([all, one]) })
    await untilPaused(client, true)
    expectError(await send(1_001), 403, 'PAYOUTS_PAUSED')
    expect(await json('payouts', 'resume', '--environment', 'staging')).toEqual({ woken: 0, paused: [one] })
    expectError(await send(1_001), 403, 'PAYOUTS_PAUSED')
    expect(await json('payouts', 'resume', ...whose)).toEqual({ woken: 0, paused: [] })
    await untilPaused(client, false)
    expectSuccess(await send(1_001))
    client.close()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})

async function expectRefusal(args: string[], code: number, says: RegExp): Promise<void> {
  const ended = await manilla(args, { env })
  expect(ended).toMatchObject({ code, stderr: expect.stringMatching(says) })
}

describe('currencies', () => {
  it('are switched on and off, and shown', async () => {
    const [business] = (await json('businesses', 'list')).businesses
    const whose = ['businesses', 'currencies', business?.id ?? '', '--environment', 'production']
    const shown = (currencies: unknown) => ({ business: business?.id, environment: 'production', currencies })
    const naira = { currency: 'NGN', on: true }
    expect(await json(...whose)).toEqual(shown([naira]))
    const on = shown([naira, { currency: 'GHS', on: true }, { currency: 'KES', on: true }])
    expect(await json(...whose, '--on', 'ghs,KES')).toEqual(on)
    const off = shown([naira, { currency: 'GHS', on: false }, { currency: 'KES', on: true }])
    expect(await json(...whose, '--off', 'GHS')).toEqual(off)
    const staging = [...whose.slice(0, 4), 'staging']
    await json(...staging, '--on', 'GHS')
    await expectRefusal([...staging, '--off', 'GHS'], 1, /GHS has a balance/)
    await expectRefusal([...whose, '--off', 'NGN'], 2, /NGN is always on/)
    await expectRefusal([...whose, '--on', 'EUR'], 2, /EUR is none of NGN, GHS/)
  })
})

const nowhere = ['--business', 'biz_01h455vb4pex5vsknk084sn02q']
const somewhere = [...nowhere, '--environment', 'staging']

describe('a mistake', () => {
  it.each([
    [['keys', 'revoke', 'nonsense'], 2, /is not the id of a key: it is key_ and 26 letters and digits\./],
    [['keys', 'list', '--business', 'biz_nope'], 2, /biz_nope is not the id of a business: it is biz_ and 26 letters/],
    [['keys', 'revoke', 'key_01h455vb4pex5vsknk084sn02q'], 1, /There is no key/],
    [['keys', 'list', '--business', 'biz_01h455vb4pex5vsknk084sn02q'], 1, /There is no business/],
    [['businesses', 'create', '--name', ' '], 2, /1 to 100 characters/],
    [['keys', 'create', '--business', 'x', '--environment', 'moon'], 2, /Allowed choices are staging, production/],
    [['keys', 'roll', 'key_01h455vb4pex5vsknk084sn02q', '--overlap-hours', '25'], 2, /from 0 to 24/],
    [['limits', 'show', ...somewhere], 1, /There is no business/],
    [['limits', 'show', ...nowhere], 2, /'--environment <name>' not specified/],
    [['limits', 'set', ...somewhere], 2, /--per-payment, --per-day/],
    [
      ['limits', 'set', ...somewhere, '--per-day', '0'],
      2,
      /'--per-day <amount>' argument '0' is invalid\. Use an amount/,
    ],
    [['limits', 'set', ...somewhere, '--per-payment', '1.5'], 2, /'--per-payment <amount>' argument '1\.5' is invalid/],
    [['limits', 'set', ...somewhere, '--per-day', '9007199254740992'], 2, /Use an amount in the minor unit/],
    [['payouts', 'pause', ...nowhere], 1, /There is no business/],
    [['payouts', 'resume', '--environment', 'moon'], 2, /Allowed choices are staging, production/],
    [
      ['keys', 'create', ...somewhere, '--scopes', 'read,pay'],
      2,
      /'--scopes <list>' argument 'read,pay' is invalid\. "pay" is not a scope/,
    ],
    [['keys', 'create', ...somewhere, '--allow', '203.0.113.7/24'], 2, /'--allow <list>'.* write 203\.0\.113\.0\/24/],
    [['keys', 'create', ...somewhere, '--expires-in', '90'], 2, /'--expires-in <time>' argument '90' is invalid/],
    [['keys', 'create', ...somewhere, '--expires-in', '0d'], 2, /must be longer than 0/],
    [['serve', '--roles', 'cook'], 2, /api, worker/],
    [
      ['events', 'tail', '--event', 'transfer.succes'],
      2,
      /'--event <name>'.*transfer\.succes.*transfer\.success, transfer\.failed/,
    ],
    [['dance'], 2, /^Unknown command 'dance'\. Run it with --help/],
  ])('%j: exit code %i, a sentence on standard error and no stack', async (args, exitCode, sentence) => {
    const { code, stdout, stderr } = await manilla(args, { env })
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toMatch(/ {4}at /)
  })

  it.each([
    [['keys', 'revoke', 'nonsense'], 2, { kind: 'usage', message: expect.stringMatching(/is not the id of a key/) }],
    [['keys', 'list', ...nowhere], 1, { kind: 'failed', message: expect.stringMatching(/^There is no business/) }],
    [['keys', 'dance'], 2, { kind: 'usage', message: expect.stringMatching(/^Unknown command 'dance'/) }],
    [['limits', 'show'], 2, { kind: 'usage', message: expect.stringMatching(/not specified/) }],
  ])('%j --json: exit code %i and one JSON object on standard output', async (args, exitCode, error) => {
    const { code, stdout, stderr } = await manilla([...args, '--json'], { env })
    expect(code).toBe(exitCode)
    expect(JSON.parse(stdout)).toEqual({ error })
    expect(stderr.replace(/^(preparing|migrating) .*\n/gm, '')).toBe('')
  })
})

describe('migrate', () => {
  it('reports all migrations in one line, and their number at the end', async () => {
    const fresh = { env: { DATA_DIR: await newInitializedDataDir() } }
    const { code, stdout, stderr } = await manilla(['migrate'], fresh)
    expect(code).toBe(0)
    expect(stderr.match(/^migrating .*$/gm)).toEqual([
      expect.stringMatching(/^migrating the database: \d+ migrations …$/),
    ])
    expect(stdout).toMatch(/^Applied \d+ migrations\.\n$/)
    expect((await manilla(['migrate'], fresh)).stdout).toBe('The database is up to date.\n')
  })
})

describe('--help', () => {
  it.each([
    [[]],
    [['serve']],
    [['migrate']],
    [['doctor']],
    [['businesses', 'create']],
    [['keys', 'roll']],
    [['limits', 'set']],
    [['payouts', 'pause']],
    [['ledger', 'verify']],
  ])('of %j shows its arguments', async (words) => {
    const { code, stdout } = await manilla([...words, '--help'], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: manilla/)
  })

  it('of `audit list` shows its default period as a person would type it', async () => {
    const { stdout } = await manilla(['audit', 'list', '--help'], { env })
    expect(stdout.replace(/\s+/g, ' ')).toContain('10m, 2h, 7d (default: 30d)')
  })
})
