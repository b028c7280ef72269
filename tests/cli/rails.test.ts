// A company's first hour with a provider: the rails file, the check of the account, and a payout.

import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { newFolder } from '#tests/support/run.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { startService, testSecretKey } from '#tests/support/service.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { manilla } from './support.ts'

const database = await useTestDatabase()
const secretKey = testSecretKey.toString('base64')
const paystack = await startFakePaystack()
afterAll(() => paystack.close())

const folder = await newFolder('rails')
const file = path.join(folder, 'rails.json')
const entry = { kind: 'paystack', environment: 'staging', baseUrl: paystack.url }
await writeFile(
  file,
  JSON.stringify({
    rails: {
      paystack: { ...entry, secretKey: '$PAYSTACK_KEY' },
      stranger: { ...entry, secretKey: 'sk_test_wrong', emailDomain: 'pay.example.com' },
    },
    routes: { staging: { NGN: { payout: [{ rail: 'paystack', maxAmount: 1_000_000 }] } } },
  }),
)
await chmod(file, 0o600)
const env = { RAILS_FILE: file, PAYSTACK_KEY: paystackTestKey }

const keyRefused = 'balance: refused us with 401; look at the key, the addresses and the features of the account'

describe('manilla rails', () => {
  it('lists each rail, what it serves, and whether it takes our key', async () => {
    const ended = await manilla(['rails', 'list', '--json'], { env })
    const common = { kind: 'paystack', environment: 'staging' }
    expect(JSON.parse(ended.stdout)).toEqual({
      rails: [
        { name: 'paystack', ...common, ports: ['payout'], state: 'ok', by: null, why: null, since: null },
        { name: 'stranger', ...common, ports: [], state: 'misconfigured', by: null, why: keyRefused, since: null },
      ],
    })
    expect(ended.stdout + ended.stderr).not.toContain(paystackTestKey)
  })

  it('takes keys from .env, and reports none of them as unknown', async () => {
    const cwd = await newFolder('rails-env')
    const content = `RAILS_FILE=${file}\nPAYSTACK_KEY=${paystackTestKey}\n`
    await writeFile(path.join(cwd, '.env'), content, { mode: 0o600 })
    expect(await manilla(['rails', 'list'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  it('warns of a bank that does not exist in a route', async () => {
    const cwd = await newFolder('rails-typo')
    const typo = path.join(cwd, 'rails.json')
    const payout = [{ rail: 'paystack', banks: { except: ['zenit-bank'] } }]
    const content = {
      rails: { paystack: { ...entry, secretKey: '$PAYSTACK_KEY' } },
      routes: { staging: { NGN: { payout } } },
    }
    await writeFile(typo, JSON.stringify(content), { mode: 0o600 })
    const warning =
      'Warning: RAILS_FILE: routes.staging.NGN.payout.0 names zenit-bank, which is not the slug of a bank. Did you mean zenith-bank?\n'
    for (const command of [['list'], ['test', 'paystack']])
      expect(await manilla(['rails', ...command], { env: { ...env, RAILS_FILE: typo } })).toMatchObject({
        code: 0,
        stderr: warning,
      })
  })

  it('prints balances', async () => {
    const ended = await manilla(['rails', 'balance'], { env })
    expect(ended.stdout).toMatch(/^paystack +NGN +₦50,000\.00$/m)
    expect(ended.code).toBe(1)
  })

  it('tests one, and exits with 1 when a call fails', async () => {
    const asked = ['--bank', 'guaranty-trust-bank', '--account', '0123456789']
    const ended = await manilla(['rails', 'test', 'paystack', ...asked], { env })
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^name enquiry +ok +resolved$/m) })
    expect(ended.stdout).toMatch(
      /^banks +ok +2 listed, 2 of our \d+ among them; not there: [a-z0-9-]+, .* and \d+ more$/m,
    )
    for (const line of [
      /^list of payouts +ok +in 7 days: none, and more pages$/m,
      /^list of deposits +ok +in 7 days: none$/m,
      /^list of ledger +ok +in 7 days: none$/m,
      /^notices +ok +give the provider .*\/staging\/rails\/paystack\/notices \(no provider can reach it; set STAGING_BASE_URL\)$/m,
    ])
      expect(ended.stdout).toMatch(line)
    expect(ended.stdout).not.toMatch(/^accounts/m)
    const stranger = await manilla(['rails', 'test', 'stranger'], { env })
    expect(stranger).toMatchObject({ code: 1, stdout: expect.stringMatching(/^list of ledger +FAILED /m) })
    expect(stranger.stdout).toMatch(/^accounts +FAILED /m)
    expect((await manilla(['rails', 'test', 'nobody'], { env })).stderr).toContain('RAILS_FILE has no rail nobody')
  })

  it('warns of a file that others can read and of a mistyped setting, once each', async () => {
    await chmod(file, 0o644)
    const ended = await manilla(['rails', 'list'], { env: { ...env, LOG_LEVLE: 'debug' } })
    await chmod(file, 0o600)
    expect(ended.stderr.trim().split('\n')).toEqual([
      'Warning: LOG_LEVLE is not a setting of Manilla and has no effect. Did you mean LOG_LEVEL?',
      `Warning: ${file} contains provider keys and other users can read it. Run: chmod 600 ${file}`,
    ])
  })
})

describe('a key that RAILS_FILE names and the environment lacks', () => {
  const lacking = { RAILS_FILE: file }

  it.each([
    ['businesses', 'list'],
    ['audit', 'list'],
    ['secrets', 'reseal'],
  ])('is nothing to a command that uses no rail: %s %s', async (...words) => {
    expect(
      await manilla(words, { env: { ...lacking, DATABASE_URL: database.serviceUrl, SECRET_KEY: secretKey } }),
    ).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([['rails', 'list'], ['serve']])('stops those that do: %s %s', async (...words) => {
    const ended = await manilla(words, { env: lacking })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('PAYSTACK_KEY') })
  })

  it('is reported by doctor', async () => {
    const ended = await manilla(['doctor'], { env: lacking })
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('PAYSTACK_KEY') })
  })
})

describe('a service with RAILS_FILE', () => {
  it('pays by the rail of the route, keeps to it, and says what no route serves', async () => {
    const { rails, railsFile } = parseConfig(env)
    const service = await startService({ settings: env })
    expect(rails?.rails['paystack']?.kind).toBe('paystack')
    expect(railsFile).toBe(file)
    const body = transferBody({ accountNumber: '0123456789', amount: 150_000 })
    const { reference } = expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    await untilStatus(service.staging, reference as string, 'SUCCESS')
    expect(paystack.transfersTo('0123456789')).toMatchObject([{ amount: 150_000 }])
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).sessionId).toBe('9'.repeat(30))
    const large = await service.staging.post('/v1/transfers/initiate', transferBody({ amount: 1_000_001 }))
    expectError(
      large,
      503,
      'SERVICE_UNAVAILABLE',
      'Bank transfers are not available here: no route serves this amount.',
    )
    await service.stop()
  })

  it('tells a command in another process that its payouts are refused, and tries again by itself', async () => {
    let aheadMs = 0
    const clock = { now: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs }
    const service = await startService({ settings: env, clock })
    const listed = async () => {
      const settings = { ...env, DATABASE_URL: service.database.serviceUrl, SECRET_KEY: secretKey }
      const { stdout } = await manilla(['rails', 'list', '--json'], { env: settings })
      return JSON.parse(stdout).rails[0]
    }
    const open = async () => {
      const sql = 'select jsonb_array_length(breakers) as count from rail_process'
      return (await asOwner<{ count: number }>(service.database, sql))[0]?.count
    }
    const untilOpen = (count: number) => expect.poll(open, { timeout: patienceMs }).toBe(count)
    const pay = async (accountNumber: string) =>
      expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ accountNumber }))).reference
    try {
      paystack.meet(/^POST \/transfer$/, 'key-refused')
      const reference = await pay('0123456780')
      await untilOpen(1)
      expect(await listed()).toMatchObject({
        state: 'misconfigured',
        why: expect.stringContaining('transfer: refused us with 401'),
        since: expect.stringMatching(/^20/),
      })
      aheadMs = 31_000
      await untilStatus(service.staging, reference as string, 'SUCCESS')
      await untilOpen(0)
      expect(await listed()).toMatchObject({ state: 'ok', why: null })
    } finally {
      await service.stop()
    }
  })
})
