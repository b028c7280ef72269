// `manilla rails` for an account with a wallet for each country.

import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { newFolder } from '#tests/support/run.ts'
import { manilla } from './support.ts'

const fake = await startFakePawapay()
const database = await useTestDatabase()
afterAll(() => fake.close())

const file = path.join(await newFolder('rails-pawapay'), 'rails.json')
const entry = { kind: 'pawapay', environment: 'staging', apiToken: '$PAWAPAY_TOKEN', baseUrl: fake.url }
const route = [{ rail: 'pawapay', operators: ['mtn-gh', 'telecel-gh'] }]
const content = {
  rails: { pawapay: entry },
  routes: { staging: { GHS: { momoPayout: route, momoCollection: route } } },
}
await writeFile(file, JSON.stringify(content))
await chmod(file, 0o600)
const env = { RAILS_FILE: file, PAWAPAY_TOKEN: pawapayToken }

it('manilla rails balance prints one line for each wallet', async () => {
  const ended = await manilla(['rails', 'balance'], { env })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pawapay +GHS GH +GHS 21,798\.03$/m) })
  expect(ended.stdout).toMatch(/^pawapay +XOF CI +XOF 900,000$/m)
  const { stdout } = await manilla(['rails', 'balance', '--json'], { env })
  const unproved = { book: null, underWay: null, difference: null, fault: null }
  const line = { rail: 'pawapay', country: 'GH', currency: 'GHS', balance: 2_179_803, ...unproved }
  expect(JSON.parse(stdout)).toMatchObject({ balances: expect.arrayContaining([line]) })
})

it('manilla rails adjust opens the book of a wallet, and balance says by how much it differs', async () => {
  const running = { ...env, DATABASE_URL: database.serviceUrl }
  const wallet = [
    'rails',
    'adjust',
    'pawapay',
    '--currency',
    'GHS',
    '--country',
    'GH',
    '--note',
    'held on the first day',
  ]
  const ended = await manilla([...wallet, '--amount', '+2179800'], { env: running })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('changed by GHS 21,798.00') })
  const shown = async (): Promise<string> => (await manilla(['rails', 'balance'], { env: running })).stdout
  expect(await shown()).toMatch(/^pawapay +GHS GH +GHS 21,798\.03 +GHS 21,798\.00 +GHS 0\.00 +differs by GHS 0\.03$/m)
  await manilla([...wallet, '--amount', '+3'], { env: running })
  expect(await shown()).toMatch(/^pawapay +GHS GH +GHS 21,798\.03 +GHS 21,798\.03 +GHS 0\.00 +agrees$/m)
  expect(await manilla([...wallet, '--amount', '0'], { env: running })).toMatchObject({ code: 2 })
})

it('manilla rails test compares the account with the operators of the routes', async () => {
  const ended = await manilla(['rails', 'test', 'pawapay', '--phone', '+233241234567'], { env })
  for (const line of [
    /^balance +ok +GHS 21,798\.03 \(GH\), UGX/m,
    /^account +ok +Demo has 13 operators/m,
    /^operator mtn-gh +ok +payouts 1 to 5000 GHS; collections 1 to 5000 GHS$/m,
    /^operator telecel-gh +ok /m,
    /^availability +ok +every operator of our routes is operational$/m,
    /^callback keys +ok +HTTP_EC_P256_KEY:1$/m,
    /^operator of the number +ok +probably MTN_MOMO_GHA in GHA$/m,
    /^notices +ok +give the provider .*\/staging\/rails\/pawapay\/notices/m,
  ])
    expect(ended.stdout).toMatch(line)
  expect(ended.code).toBe(0)
  expect(ended.stdout).not.toMatch(/^operator mtn-ug/m)
  expect(fake.faults).toEqual([])
  const wrong = await manilla(['rails', 'test', 'pawapay', '--phone', '12'], { env })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('12 is no phone number') })
})

it('manilla rails cancel asks for a payout that waits in the queue, and for no other', async () => {
  const payout = '08e1bde4-e3a0-45b7-ba68-3d0c2fe2154e'
  const refused = await manilla(['rails', 'cancel', 'pawapay', '--payout', payout], { env })
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/does not cancel 08e1bde4-.*: NOT_FOUND\. Only a/),
  })
  fake.script('+233241234560', { fate: 'stuck', words: ['ENQUEUED'] })
  const accountDetails = { phoneNumber: '233241234560', provider: 'MTN_MOMO_GHA' }
  await fetch(`${fake.url}/v2/payouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${pawapayToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      payoutId: payout,
      amount: '5',
      currency: 'GHS',
      recipient: { type: 'MMO', accountDetails },
    }),
  })
  const ended = await manilla(['rails', 'cancel', 'pawapay', '--payout', payout], { env })
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The provider cancels it\./) })
  expect(fake.paymentsOf('+233241234560')).toMatchObject([{ isCancelled: true }])
})
