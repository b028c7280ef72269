// Corrections of money that is final and wrong, as an operator types them.

import { expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { drafts } from '#tests/payments/drafts.ts'
import { newBreak, newException } from '#tests/corrections/items.ts'
import { commandOf, useSettling } from '#tests/payments/settling.ts'
import { manilla } from './support.ts'

const { database, ctx, open } = await useSettling()
const env = { DATABASE_URL: database.serviceUrl }
const room = await open()
const [tenant] = room.tenants
const where = ['--business', formatId('business', room.businesses[0].id), '--environment', 'production']
const noted = ['--note', 'ticket 881']
const adjust = (amount: string, because: string, ...more: string[]) =>
  manilla(
    ['ledger', 'adjust', ...where, '--currency', 'NGN', `--amount=${amount}`, '--because', because, ...noted, ...more],
    { env },
  )

it('adjusts a balance once, prints the new balance, and the books hold', async () => {
  const because = await newException(database, ctx, tenant)
  const refused = await adjust('-10000001', because)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'Only ₦100,000.00 is available, so -₦100,000.01 would make the balance negative. Nothing was changed.\n',
  ])
  expect((await adjust('-150000', because)).stdout).toBe(
    `Adjusted by -₦1,500.00: the available balance is now ₦98,500.00. ${because} is closed.\n`,
  )
  const again = await adjust('-150000', because)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${because} is already closed: ticket 881`)])
  const added = await adjust('+150000', await newBreak(database, ctx), '--json')
  expect(JSON.parse(added.stdout)).toMatchObject({ amount: 150_000, available: 10_000_000, currency: 'NGN' })
  expect((await manilla(['ledger', 'verify', '--hurry'], { env })).stdout).toContain(
    'each adjustment names a review item that is closed',
  )
})

it('returns a success, and refuses anything else with a sentence', async () => {
  const settle = (reference: string, ...more: string[]) =>
    manilla(['payments', 'settle', reference, ...where, ...noted, ...more], { env })
  const rail = { kind: 'rail' as const, environment: 'production' as const, rail: 'a' }
  await room.accept(tenant, 'PAID')
  await room.settle(tenant, 'PAID', { result: { kind: 'succeeded' }, source: rail })
  await room.accept(tenant, 'QUEUED')
  await room.accept(tenant, 'IN', { draft: commandOf(tenant, { ...drafts.momo_collection, reference: 'IN' }).draft })
  const because = await newException(database, ctx, tenant)
  expect((await settle('QUEUED', '--as', 'returned')).stderr).toContain('only a successful payout can be returned')
  expect((await settle('IN', '--as', 'returned')).stderr).toContain('IN is a collection')
  expect((await settle('PAID', '--as', 'failed')).stderr).toContain('--as returned')
  expect((await settle('PAID', '--as', 'failed', '--to-bank')).stderr).toContain(
    'Use --to-bank only with --as returned',
  )
  expect((await settle('PAID', '--as', 'returned', '--because', 'exc_1')).stderr).toContain('no review item exc_1')
  const returned = await settle('PAID', '--as', 'returned', '--to-bank', '--because', because)
  expect([returned.code, returned.stdout]).toEqual([0, 'PAID is now REVERSED. Its business is notified as usual.\n'])
  expect((await settle('PAID', '--as', 'returned')).stdout).toBe('PAID was already REVERSED. Nothing was changed.\n')
  expect((await manilla(['exceptions', 'list'], { env })).stdout).not.toContain(because)
})

it.each([
  ['0', /is not an amount in the minor unit/],
  ['1.5', /is not an amount in the minor unit/],
  ['99999999999999999', /is not an amount in the minor unit/],
])('an amount of %s gets one sentence', async (amount, sentence) => {
  const { code, stdout, stderr } = await adjust(amount, 'exc_1')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(sentence)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

it('an adjustment without what it needs gets one sentence', async () => {
  expect((await adjust('5', 'exc_1')).stderr).toContain('There is no review item exc_1')
  const { code, stderr } = await manilla(
    ['ledger', 'adjust', ...where, '--currency', 'NGN', '--amount', '-5', ...noted],
    {
      env,
    },
  )
  expect([code, stderr]).toEqual([2, expect.stringContaining('--because')])
})
