// An operator's look at an account with a wallet for each country.

import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { newFolder } from '#tests/support/run.ts'
import { manilla } from './support.ts'

const fake = await startFakePawapay()
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
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pawapay +GHS 21,798\.03 \(GHA\)$/m) })
  expect(ended.stdout).toMatch(/^pawapay +XOF 900,000 \(CIV\)$/m)
  const { stdout } = await manilla(['rails', 'balance', '--json'], { env })
  const line = { rail: 'pawapay', country: 'GHA', currency: 'GHS', balance: 2_179_803, book: null, fault: null }
  expect(JSON.parse(stdout)).toMatchObject({ balances: expect.arrayContaining([line]) })
})

it('manilla rails test compares the account with the operators of the routes', async () => {
  const ended = await manilla(['rails', 'test', 'pawapay', '--phone', '+233241234567'], { env })
  for (const line of [
    /^balance +ok +GHA GHS 21,798\.03, UGA/m,
    /^account +ok +Demo has 10 operators/m,
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
