// Facts of a book beside the balance: how much it has room for, how much is in progress, and whether limits refuse a
// payout. Totals stay within a bigint, however often the same money goes and comes back.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { amountMax, toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { openBook, totalsReduction, type Book } from '#ledger/post.ts'
import { acceptedPostings, failedPostings, receivedPostings, succeededPostings } from '#ledger/chart.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { accountsOf } from './books.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const { db } = ctx
const zero = toMoney(0)
let tenant: Tenant

beforeEach(async () => {
  tenant = (await createBusiness(ctx, 'One')).tenants.production
})

/** This database has one lane. */
const withBook = <T>(work: (book: Book) => T): Promise<T> =>
  db.transaction(async (tx) => work(await openBook(tx, [tenant.id])), 1)

const cause = (atMs = ctx.clock.now()) => ({ id: newUuid(atMs), reference: 'R', atMs })

const room = (book: Book) => (amount: bigint) => book.hasRoom(tenant.id, 'NGN', toMoney(amount))

it('has the room that the balance, the reserved amount and amounts in progress leave, to the kobo', async () => {
  await withBook((book) => {
    book.post(tenant.id, 'NGN', cause(), receivedPostings(toMoney(10_000), zero))
    book.post(tenant.id, 'NGN', cause(), acceptedPostings(toMoney(3_000), zero))
    book.post(tenant.id, 'NGN', cause(), succeededPostings(toMoney(1_000), zero))
    book.addIncoming(tenant.id, 'NGN', toMoney(500))
    // 7,000 are available, 2,000 reserved, 500 in progress.
    expect([amountMax - 9_500n, amountMax - 9_499n].map(room(book))).toEqual([true, false])
  })
})

it('remembers amounts in progress, and less when some of them have arrived, though nothing is posted', async () => {
  await withBook((book) => book.addIncoming(tenant.id, 'NGN', toMoney(500)))
  await withBook((book) => book.addIncoming(tenant.id, 'NGN', toMoney(-200)))
  expect(await withBook((book) => [amountMax - 300n, amountMax - 299n].map(room(book)))).toEqual([true, false])
})

it('knows at once whether there are limits, and gives later callers the same answer', async () => {
  const isLimited = (book: Book) => book.isLimited(tenant.id)
  expect(await withBook(isLimited)).toBe(false)
  for (const limited of [true, false]) {
    const atOnce = withBook((book) => {
      book.setLimited(tenant.id, 'NGN', limited)
      return isLimited(book)
    })
    expect([await atOnce, await withBook(isLimited)]).toEqual([limited, limited])
  }
})

it('time stands no earlier than what went out last, nor than what came', async () => {
  await withBook((book) => book.post(tenant.id, 'NGN', cause(), receivedPostings(toMoney(100), zero)))
  const nowMs = ctx.clock.now()
  for (const [aheadMs, postings] of [
    [4_000, acceptedPostings(toMoney(40), zero)],
    [8_000, failedPostings(toMoney(40), zero)],
  ] as const) {
    await withBook((book) => book.post(tenant.id, 'NGN', cause(nowMs + aheadMs), postings))
    expect(await withBook((book) => book.timeMs(tenant.id, nowMs))).toBe(nowMs + aheadMs)
  }
})

it.each([
  ['both have come to twice the reduction', 0n, 0n, 1n],
  ['the debits have not', -1n, 0n, 0n],
  ['the credits have not', 0n, -1n, 0n],
])('totals are reduced by the same when %s, and the balance stays', async (_when, debits, credits, times) => {
  const amount = toMoney(50)
  const limit = 2n * totalsReduction
  // The balance of fees may be negative, so either total may be the smaller one.
  const before = { debits: limit + debits - BigInt(amount), credits: limit + credits }
  await asOwner(
    database,
    "update ledger_account set debits = $1, credits = $2 where tenant_id = $3 and name = 'fees'",
    [before.debits, before.credits, tenant.id],
  )
  const posting = { debit: 'fees', credit: 'opening', amount, kind: 'funding' } as const
  await withBook((book) => book.post(tenant.id, 'NGN', cause(), [posting]))
  expect((await accountsOf(db, tenant))['fees']).toEqual({
    debits: before.debits + BigInt(amount) - times * totalsReduction,
    credits: before.credits - times * totalsReduction,
    movements: 1n,
  })
})

it('the totals of the account that is credited are reduced as well', async () => {
  const debits = 2n * totalsReduction
  await asOwner(
    database,
    "update ledger_account set debits = $1, credits = $1 where tenant_id = $2 and name = 'available'",
    [debits, tenant.id],
  )
  await withBook((book) => book.post(tenant.id, 'NGN', cause(), receivedPostings(toMoney(7), zero)))
  expect(await accountsOf(db, tenant)).toMatchObject({
    available: { debits: totalsReduction, credits: totalsReduction + 7n },
  })
})

it('movements in one currency leave the accounts of another as they are', async () => {
  await asOwner(
    database,
    `insert into ledger_account (lane, tenant_id, currency, name, credits)
     select lane, tenant_id, other, name, 70 from ledger_account cross join (values ('GHS'), ('USD')) as c (other)
      where tenant_id = $1`,
    [tenant.id],
  )
  await withBook((book) => {
    book.post(tenant.id, 'NGN', cause(), receivedPostings(toMoney(7), zero))
    book.setLimited(tenant.id, 'NGN', true)
  })
  const touched = await asOwner(
    database,
    `select currency, name, credits, limited from ledger_account
      where tenant_id = $1 and (limited or movements > 0 or credits <> case currency when 'NGN' then 0 else 70 end) order by name`,
    [tenant.id],
  )
  expect(touched).toEqual([
    { currency: 'NGN', name: 'available', credits: '7', limited: true },
    { currency: 'NGN', name: 'rail', credits: '0', limited: false },
  ])
})

it('totals are reduced by what they always were: books hold such totals, and their proof knows the amount', () => {
  expect(totalsReduction).toBe(2n ** 60n)
})
