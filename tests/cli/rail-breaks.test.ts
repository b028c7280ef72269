// The commands that list and close reconciliation mismatches.

import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { newFolder } from '#tests/support/run.ts'
import { startService } from '#tests/support/service.ts'
import { manilla } from './support.ts'

const database = await useTestDatabase()
const paystack = await startFakePaystack()
const file = path.join(await newFolder('rail-breaks'), 'rails.json')
const entry = { kind: 'paystack', environment: 'staging', baseUrl: paystack.url, secretKey: paystackTestKey }
const routes = { staging: { NGN: { payout: [{ rail: 'paystack' }] } } }
await writeFile(file, JSON.stringify({ rails: { paystack: entry }, routes }))
await chmod(file, 0o600)
const env = { DATABASE_URL: database.serviceUrl, RAILS_FILE: file }
const { rails } = parseConfig({ RAILS_FILE: file })
const service = await startService({ database, config: { rails } })
afterAll(async () => {
  await service.stop()
  await paystack.close()
})

const run = (...words: string[]) => manilla(words, { env })
const document = async (...words: string[]) => JSON.parse((await run(...words, '--json')).stdout)
const stranger = '11111111-1111-4111-8111-111111111111'

describe('an unknown payout on a provider’s list', () => {
  it('is listed, stops the rail, is closed with a note, and the rail is resumed', async () => {
    await untilHolds(async () => expect(await asOwner(database, 'select 1 from rail_check')).toHaveLength(2))
    paystack.lists.transfer({ reference: stranger, amount: 150_000 })
    const day = new Date(Date.now() + 3_600_000).toISOString().slice(0, 10)
    const reconciled = await run('rails', 'reconcile', 'paystack', '--day', day)
    expect(reconciled.code).toBe(1)
    expect(reconciled.stdout).toContain('unknown-payout')

    const { breaks } = await document('rails', 'breaks', '--open')
    expect(breaks).toEqual([
      {
        id: expect.stringMatching(/^brk_[0-9a-z]{26}$/),
        rail: 'paystack',
        kind: 'unknown-payout',
        reference: stranger,
        amount: 150_000,
        currency: 'NGN',
        openedAt: expect.any(String),
        closedAt: null,
        note: null,
        fact: expect.stringContaining('not ordered here'),
        environment: 'staging',
      },
    ])
    const [{ by, ...stopped }] = (await document('rails', 'list')).rails
    expect(stopped).toMatchObject({ name: 'paystack', state: 'stopped' })
    expect(by).toMatch(/./)
    expect((await run('rails', 'list')).stdout).toContain(`, by ${by}`)

    const closed = await document('rails', 'break', 'close', breaks[0].id, '--note', 'The key was changed, ticket 9')
    expect(closed).toMatchObject({ note: 'The key was changed, ticket 9', closedAt: expect.any(String) })
    expect((await run('rails', 'break', 'close', breaks[0].id, '--note', 'again')).stdout).toContain(
      'was already closed',
    )
    expect((await run('rails', 'breaks', '--open')).stdout).toBe('There are no open mismatches.\n')
    expect((await document('rails', 'breaks')).breaks).toHaveLength(1)

    expect((await run('rails', 'resume', 'paystack')).stdout).toContain('Resumed paystack. 0 waiting payouts')
    expect((await document('rails', 'list')).rails).toMatchObject([{ name: 'paystack', state: 'ok', by: null }])
    const again = await run('rails', 'reconcile', 'paystack', '--day', day)
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('agrees with paystack') })
    expect(paystack.faults).toEqual([])
  })
})

it.each([
  [['rails', 'reconcile', 'paystack', '--day', '2026-02-30'], 'is not a past day or today'],
  [['rails', 'reconcile', 'nobody', '--day', '2026-01-02'], 'There is no rail nobody'],
  [['rails', 'resume', 'nobody'], 'There is no rail nobody'],
  [['rails', 'break', 'close', 'brk_0123', '--note', 'x'], 'is not the id of'],
])('names the fault of %j', async (words, sentence) => {
  const ended = await run(...words)
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toContain(sentence)
})
