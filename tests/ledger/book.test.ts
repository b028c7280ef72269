import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { statement, type Tx } from '#platform/db/db.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { createLanes, type Operation } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import { listEntries } from '#ledger/statement.ts'
import { withTenants, bookOf, openBook, type Book } from '#ledger/post.ts'
import {
  acceptedPostings,
  failedPostings,
  fundingPostings,
  receivedPostings,
  succeededPostings,
} from '#ledger/chart.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { accountsOf, balancesOf, entriesOf } from './books.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const { db } = ctx
const one = statement('test.one', 'select 1')
let tenant: Tenant
let other: Tenant

/** This database has one lane. */
const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction(work, 1)

beforeEach(async () => {
  tenant = (await createBusiness(ctx, 'One')).tenants.production
  other = (await createBusiness(ctx, 'Other')).tenants.production
})

const cause = (reference = 'R') => ({ id: newUuid(ctx.clock.now()), reference, atMs: ctx.clock.now() })

function receive(book: Book, to: Tenant, amount: number): void {
  book.post(to.id, 'NGN', cause(), receivedPostings(toMoney(amount), toMoney(0)))
}

describe('a book', () => {
  it('writes movements and totals together, with entries from 1 and the balance after each', async () => {
    await inTransaction(async (tx) => {
      const book = await openBook(tx, [tenant.id])
      book.post(tenant.id, 'NGN', cause('DEP-1'), receivedPostings(toMoney(10_000), toMoney(100)))
      book.post(tenant.id, 'NGN', cause('PAY-1'), acceptedPostings(toMoney(5_000), toMoney(50)))
      expect(book.available(tenant.id, 'NGN')).toBe(4_850n)
    })
    await inTransaction(async (tx) => {
      const book = await openBook(tx, [tenant.id])
      book.post(tenant.id, 'NGN', cause('PAY-1'), succeededPostings(toMoney(5_000), toMoney(50)))
      book.post(tenant.id, 'NGN', cause('DEP-2'), fundingPostings(toMoney(7)))
    })
    expect(await accountsOf(db, tenant)).toEqual({
      available: { debits: 5_150n, credits: 10_007n, movements: 4n },
      reserved: { debits: 5_050n, credits: 5_050n, movements: 3n },
      rail: { debits: 10_007n, credits: 5_000n, movements: 3n },
      fees: { debits: 0n, credits: 150n, movements: 2n },
      opening: { debits: 0n, credits: 0n, movements: 0n },
      adjustments: { debits: 0n, credits: 0n, movements: 0n },
    })
    expect(await entriesOf(db, tenant)).toEqual([
      { entry: 1n, change: 10_000n, balance_after: 10_000n, kind: 'deposit' },
      { entry: 2n, change: -100n, balance_after: 9_900n, kind: 'deposit_fee' },
      { entry: 3n, change: -5_050n, balance_after: 4_850n, kind: 'hold' },
      { entry: 4n, change: 7n, balance_after: 4_857n, kind: 'funding' },
    ])
  })

  it('is one for all operations of a transaction, and locks the accounts of all of them with one statement', async () => {
    await inTransaction(async (tx) => {
      const asked = vi.spyOn(tx, 'query')
      const books = await Promise.all([openBook(tx, [tenant.id]), openBook(tx, [other.id, tenant.id])])
      expect(books[0]).toBe(books[1])
      expect(asked.mock.calls.map(([what]) => what.name)).toEqual(['ledger.lock_accounts'])
      receive(books[0], tenant, 5)
      receive(books[1], tenant, 6)
      receive(books[1], other, 7)
    })
    expect([await balancesOf(db, tenant), await balancesOf(db, other)]).toMatchObject([
      { available: 11n },
      { available: 7n },
    ])
  })

  it('keeps earlier postings when a caller asks for the account again', async () => {
    await inTransaction(async (tx) => {
      const first = await openBook(tx, [tenant.id])
      receive(first, tenant, 5)
      await tx.query(one)
      const asked = vi.spyOn(tx, 'query')
      const second = await openBook(tx, [tenant.id, other.id])
      receive(second, tenant, 6)
      receive(second, other, 7)
      await openBook(tx, [tenant.id])
      expect(asked).toHaveBeenCalledTimes(1)
    })
    expect(await accountsOf(db, tenant)).toMatchObject({ available: { credits: 11n, movements: 2n } })
    expect(await accountsOf(db, other)).toMatchObject({ available: { credits: 7n, movements: 1n } })
  })

  it('opens for each caller as soon as its rows are there, whichever caller asked first', async () => {
    await inTransaction(async (tx) => {
      const early = bookOf(tx).lock([tenant.id])
      await early.sent
      const late = openBook(tx, [tenant.id])
      expect((await late).available(tenant.id, 'NGN')).toBe(0n)
      await early.done
    })
    expect(await entriesOf(db, tenant)).toEqual([])
  })

  it('that could not lock fails the callers that wait for it, and no other', async () => {
    const unheard = vi.fn()
    process.on('unhandledRejection', unheard)
    const failing = inTransaction(async (tx) => {
      const nobody = 'no uuid' as Uuid
      await bookOf(tx).lock([nobody]).sent
      await expect(openBook(tx, [nobody])).rejects.toThrow('invalid input syntax for type uuid')
      throw new Error('given up')
    })
    await expect(failing).rejects.toThrow('given up')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', unheard)
    expect(unheard).not.toHaveBeenCalled()
  })

  it('is locked before it reads, so it knows everything that others posted until then', async () => {
    await inTransaction(async (tx) => {
      const asked = vi.spyOn(tx, 'query')
      expect(await withTenants(tx, [tenant.id], () => entriesOf(tx, tenant))).toEqual([])
      expect(asked.mock.calls.map(([what]) => what.name)).toEqual(['ledger.lock_accounts', 'test.entries'])
    })
  })

  it('writes nothing when nothing was posted', async () => {
    await inTransaction(async (tx) => {
      const sent = vi.spyOn(tx, 'send')
      await openBook(tx, [tenant.id])
      tx.beforeCommit(() => expect(sent).not.toHaveBeenCalled())
    })
    expect(await entriesOf(db, tenant)).toEqual([])
  })

  it('lets time stand rather than go back, whatever the clock of another process said', async () => {
    await inTransaction(async (tx) => receive(await openBook(tx, [tenant.id]), tenant, 5))
    const nowMs = ctx.clock.now()
    await inTransaction(async (tx) => {
      const book = await openBook(tx, [tenant.id, other.id])
      expect(book.timeMs(tenant.id, nowMs - 5_000)).toBe(nowMs)
      expect(book.timeMs(tenant.id, nowMs + 5_000)).toBe(nowMs + 5_000)
      expect(book.timeMs(other.id, nowMs - 5_000)).toBe(nowMs - 5_000)
    })
  })

  it('dates no change of one currency before the last change of another', async () => {
    const nowMs = ctx.clock.now()
    await inTransaction(async (tx) => {
      const book = await openBook(tx, [tenant.id])
      book.openCurrency(tenant.id, 'GHS')
      book.post(tenant.id, 'GHS', { ...cause(), atMs: nowMs + 4_000 }, receivedPostings(toMoney(5), toMoney(0)))
    })
    await inTransaction(async (tx) => {
      const book = await openBook(tx, [tenant.id])
      expect(book.timeMs(tenant.id, nowMs)).toBe(nowMs + 4_000)
    })
  })
})

it('the opening balance of another currency is dated no earlier than the last change of the tenant', async () => {
  const { staging } = (await createBusiness(ctx, 'Two currencies')).tenants
  const aheadMs = ctx.clock.now() + 4_000
  await inTransaction(async (tx) => {
    const book = await openBook(tx, [staging.id])
    book.post(staging.id, 'NGN', { ...cause(), atMs: aheadMs }, receivedPostings(toMoney(5), toMoney(0)))
  })
  await setCurrencies(ctx, staging, { on: ['GHS'], off: [] })
  const page = await listEntries(ctx, staging, 'GHS', { page: 1, limit: 1 })
  expect(page).toMatchObject({ entries: [{ type: 'opening', createdAt: new Date(aheadMs) }] })
})

describe('the postings that a book refuses', () => {
  const refusal = (work: (book: Book) => void, tx?: (tx: Tx) => Promise<unknown>): Promise<unknown> =>
    inTransaction(async (transaction) => {
      work(await openBook(transaction, [tenant.id]))
      await tx?.(transaction)
    })

  it('an overdraft, even when the code forgot to look: nothing of the transaction is kept', async () => {
    await inTransaction(async (tx) => receive(await openBook(tx, [tenant.id]), tenant, 100))
    const refused = { code: '23514', message: expect.stringContaining('"ledger_account_not_negative"') }
    const overdraft = refusal((book) =>
      book.post(tenant.id, 'NGN', cause(), acceptedPostings(toMoney(100), toMoney(1))),
    )
    await expect(overdraft).rejects.toMatchObject(refused)
    const unheld = refusal((book) => book.post(tenant.id, 'NGN', cause(), failedPostings(toMoney(1), toMoney(0))))
    await expect(unheld).rejects.toMatchObject(refused)
    expect(await balancesOf(db, tenant)).toMatchObject({ available: 100n, reserved: 0n })
    expect(await entriesOf(db, tenant)).toHaveLength(1)
  })

  it('an account that it did not lock, or that does not exist', async () => {
    await expect(refusal((book) => receive(book, other, 1))).rejects.toThrow(/account rail of .* is not locked/)
    const nobody = newUuid(ctx.clock.now())
    await expect(
      inTransaction(async (tx) => receive(await openBook(tx, [nobody]), { ...tenant, id: nobody }, 1)),
    ).rejects.toThrow(/is not locked/)
  })

  it('an amount that is none', async () => {
    for (const amount of [0n, -1n]) {
      const posting = { debit: 'rail', credit: 'available', amount: toMoney(amount), kind: 'deposit' } as const
      await expect(refusal((book) => book.post(tenant.id, 'NGN', cause(), [posting]))).rejects.toThrow(
        /posted amount is/,
      )
    }
  })

  it('a posting that comes after it was written, which would be lost', async () => {
    const late = refusal(
      () => undefined,
      async (tx) => tx.beforeCommit(() => receive(bookOf(tx), tenant, 1)),
    )
    await expect(late).rejects.toThrow('posted after the book was written')
  })
})

describe('several processes', () => {
  it('that post for the same tenants at once lose nothing and number every entry once', async () => {
    const post: Operation<{ to: Uuid; amount: number }, bigint> = {
      name: 'test.post',
      async run(tx, commands) {
        const book = await openBook(tx, new Set(commands.map(({ to }) => to)))
        return commands.map(({ to, amount }) => {
          book.post(to, 'NGN', cause(), receivedPostings(toMoney(amount), toMoney(1)))
          return book.available(to, 'NGN')
        })
      },
    }
    const processes = Array.from({ length: 3 }, () => {
      const own = createTestContext(database.connect())
      return createLanes(own).of(1)
    })
    const posted: Promise<bigint>[] = []
    for (let round = 0; round < 20; round++) {
      for (const lane of processes) {
        for (let command = 0; command < 5; command++) {
          posted.push(lane.submit(post, { to: command % 2 === 0 ? tenant.id : other.id, amount: 11 }))
        }
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(posted)
    for (const [whose, count] of [
      [tenant, 180],
      [other, 120],
    ] as const) {
      const entries = await entriesOf(db, whose)
      expect(entries.map(({ entry }) => entry)).toEqual(Array.from({ length: count * 2 }, (_, at) => BigInt(at + 1)))
      expect(entries.at(-1)?.balance_after).toBe(BigInt(count * 10))
      expect(await balancesOf(db, whose)).toMatchObject({
        available: BigInt(count * 10),
        fees: BigInt(count),
        rail: BigInt(-count * 11),
      })
    }
  })
})
