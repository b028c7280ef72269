// The proof recomputes the totals of float books from their movements, page by page.

import { beforeEach, expect, it } from 'vitest'
import { createBusiness } from '#businesses/business.ts'
import { floatInvariants, verifyLedger } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
await asOwner(database, 'update installation set lanes = 3')
const ctx = createTestContext(database.connect())
const lanes = new Set<number>()
// The lane follows from the tenant's random id, so this makes tenants until there are three lanes.
while (lanes.size < 3) lanes.add((await createBusiness(ctx, 'Lane')).tenants.production.lane)

const until = new Date('2026-01-05T00:00:00Z')
const before = new Date('2026-01-04T23:59:59Z')

/** Two books. The naira movements of the first one add up to 60. */
beforeEach(async () => {
  await asOwner(database, 'truncate float_movement, float_wallet_total')
  const rows = [
    ['acme', 'NGN', 'deposit', 'D-1', 10, before],
    ['acme', 'NGN', 'deposit', 'D-2', 20, before],
    ['acme', 'GHS', 'deposit', 'D-3', 5, before],
    ['acme', 'NGN', 'opening', 'opening', 1_000, before],
    ['acme', 'NGN', 'payout', 'D-0', 30, before],
    ['acme', 'NGN', 'payout', 'D-1', 400, until],
    ['zeta', 'NGN', 'payout', 'D-9', 7, before],
  ]
  for (const [rail, currency, kind, subject, amount, at] of rows) {
    await asOwner(
      database,
      `insert into float_movement values ('production', $1, $2, $3, $4, 1, $4, 'tenants', 'balance', $5, $6)`,
      [rail, currency, kind, subject, amount, at],
    )
  }
  for (const [rail, currency, sum] of [
    ['acme', 'NGN', 60],
    ['acme', 'GHS', 5],
    ['zeta', 'NGN', 7],
  ]) {
    await asOwner(
      database,
      `insert into float_wallet_total
         (environment, rail, currency, country, until_at, balance, receivable, bank, cost, tenants, suspense)
       values ('production', $1, $2, '', $3, $4::bigint, 0, 0, 0, -$4::bigint, 0)`,
      [rail, currency, until, sum],
    )
  }
})

const found = (rowsPerPage: number) => verifyLedger(ctx, { invariants: floatInvariants, rowsPerPage })
const pages = [1, 2, 3, 5, 6, 7, 1_000]

it('totals that are right have no breach, in pages of any size', async () => {
  for (const rowsPerPage of pages) expect(await found(rowsPerPage)).toEqual([])
})

it('a wrong total is reported once, however many lanes there are, with the sum of its movements', async () => {
  await asOwner(database, `update float_movement set amount = 21 where subject = 'D-2'`)
  const breach = (account: string, is: number, sum: number) => ({
    invariant: 'the totals of a float book are the sums of its movements',
    ids: ['production acme NGN'],
    message: `the total of ${account} until 2026-01-05T00:00:00.000Z is ${is}, its movements come to ${sum}`,
  })
  for (const rowsPerPage of pages)
    expect(await found(rowsPerPage)).toEqual([breach('balance', 60, 61), breach('tenants', -60, -61)])
})

it('a total that was deleted is reported, with the sum of its movements', async () => {
  await asOwner(database, `delete from float_wallet_total where currency = 'GHS'`)
  const breach = (account: string, sum: number) => ({
    invariant: 'the totals of a float book are the sums of its movements',
    ids: ['production acme GHS'],
    message: `the total of ${account} until 2026-01-05T00:00:00.000Z is missing, its movements come to ${sum}`,
  })
  for (const rowsPerPage of pages)
    expect(await found(rowsPerPage)).toEqual([breach('balance', 5), breach('tenants', -5)])
})

it('no statement reads more than a page, and the rows of each rail are read once', async () => {
  const counts: number[] = []
  await verifyLedger(ctx, {
    invariants: floatInvariants,
    rowsPerPage: 4,
    onProgress: ({ checked }) => counts.push(checked),
  })
  expect(counts).toEqual([4, 6, 7])
})
