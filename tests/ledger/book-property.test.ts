// Random flows of three currencies in random batches, compared with books that are kept the slow way: every balance is
// the sum over a list of its tenant and currency alone.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import { createLane, type Operation } from '#platform/db/lane.ts'
import { toMoney, type Currency } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import {
  accountNames,
  type Posting,
  acceptedPostings,
  failedPostings,
  receivedPostings,
  reversedPostings,
  succeededPostings,
} from '#ledger/chart.ts'
import { openBook } from '#ledger/post.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { accountsOf, entriesOf, type Account, type Entry } from './books.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const connection = ctx.db.connection('property')
const tenantsCount = 3
const used = ['NGN', 'GHS', 'XOF'] as const

type Flow = 'accept' | 'succeed' | 'fail' | 'reverse' | 'receive'
type Step = { who: number; currency: Currency; flow: Flow; amount: bigint; fee: bigint; pick: number }
type Command = { tenant: Tenant; currency: Currency; postings: Posting[]; needs: bigint }
type Outcome = { kind: 'posted' | 'refused'; available: bigint }

const step: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(tenantsCount - 1),
  currency: fc.constantFrom<Currency[]>(...used),
  flow: fc.constantFrom<Flow[]>('accept', 'accept', 'succeed', 'fail', 'reverse', 'receive', 'receive'),
  // Some amounts are beyond the exact integers of a double.
  amount: fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(2n ** 53n, 2n ** 54n)),
  fee: fc.bigInt(0n, 1n),
  pick: fc.nat(),
})

const post: Operation<Command, Outcome> = {
  name: 'test.post',
  async run(tx, commands) {
    const book = await openBook(tx, new Set(commands.map(({ tenant }) => tenant.id)))
    return commands.map(({ tenant, currency, postings, needs }) => {
      if (book.available(tenant.id, currency) < needs)
        return { kind: 'refused', available: book.available(tenant.id, currency) }
      const atMs = ctx.clock.now()
      book.post(tenant.id, currency, { id: newUuid(atMs), reference: 'R', atMs }, postings)
      return { kind: 'posted', available: book.available(tenant.id, currency) }
    })
  },
}

/** The books of one tenant in one currency, kept as simply as possible. */
class NaiveBooks {
  #moves: Posting[] = []
  #payments: { amount: bigint; fee: bigint; state: 'queued' | 'done' | 'ended' }[] = []

  /** The postings of the step and the balance that it needs; undefined if there is no payment for it. */
  plan({ flow, amount, fee, pick }: Step): { postings: Posting[]; needs: bigint } | undefined {
    const [paid, charged] = [toMoney(amount), toMoney(fee)]
    if (flow === 'receive') return { postings: receivedPostings(paid, charged), needs: 0n }
    if (flow === 'accept') {
      const needs = amount + fee
      if (this.#balance('available') >= needs) this.#payments.push({ amount, fee, state: 'queued' })
      return { postings: acceptedPostings(paid, charged), needs }
    }
    const possible = this.#payments.filter(({ state }) => state === (flow === 'reverse' ? 'done' : 'queued'))
    const payment = possible[pick % possible.length]
    if (payment === undefined) return undefined
    payment.state = flow === 'succeed' ? 'done' : 'ended'
    const postings = { succeed: succeededPostings, fail: failedPostings, reverse: reversedPostings }[flow]
    return { postings: postings(toMoney(payment.amount), toMoney(payment.fee)), needs: 0n }
  }

  apply({ postings, needs }: { postings: Posting[]; needs: bigint }): Outcome {
    const refused = this.#balance('available') < needs
    if (!refused) this.#moves.push(...postings)
    return { kind: refused ? 'refused' : 'posted', available: this.#balance('available') }
  }

  #balance(name: string, upTo = this.#moves.length): bigint {
    const { credits, debits } = this.#account(name, upTo)
    return credits - debits
  }

  #account(name: string, upTo = this.#moves.length): Account {
    const moves = this.#moves.slice(0, upTo)
    const sum = (side: 'debit' | 'credit'): bigint =>
      moves.filter((move) => move[side] === name).reduce((total, move) => total + move.amount, 0n)
    const movements = BigInt(moves.filter((move) => move.debit === name || move.credit === name).length)
    return { debits: sum('debit'), credits: sum('credit'), movements }
  }

  accounts(): Record<string, Account> {
    return Object.fromEntries(accountNames.map((name) => [name, this.#account(name)]))
  }

  entries(): Entry[] {
    return this.#moves.flatMap((move, at) => {
      if (move.debit !== 'available' && move.credit !== 'available') return []
      const change = move.credit === 'available' ? move.amount : -move.amount
      const { movements: entry } = this.#account('available', at + 1)
      return [{ entry, change, balance_after: this.#balance('available', at + 1), kind: move.kind }]
    })
  }
}

describe('the ledger', () => {
  it('keeps the same books as a child with a list would, whatever flows come in whatever batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), async (steps, batch) => {
        const businesses = await Promise.all(Array.from({ length: tenantsCount }, () => createBusiness(ctx, 'Random')))
        const tenants = businesses.map((business) => business.tenants.production)
        for (const tenant of tenants) await setCurrencies(ctx, tenant, { on: ['GHS', 'XOF'], off: [] })
        const naive = tenants.map(() => new Map(used.map((currency) => [currency as Currency, new NaiveBooks()])))
        const lane = createLane({
          name: 'property',
          transaction: (work) => connection.transaction(work, 1),
          metrics: ctx.metrics,
          commandsPerBatchMax: batch,
        })

        const expected: Outcome[] = []
        const outcomes: Promise<Outcome>[] = []
        for (const one of steps) {
          const [tenant, books] = [tenants[one.who], naive[one.who]?.get(one.currency)]
          const plan = books?.plan(one)
          if (tenant === undefined || books === undefined || plan === undefined) continue
          expected.push(books.apply(plan))
          outcomes.push(lane.submit(post, { tenant, currency: one.currency, ...plan }))
        }
        expect(await Promise.all(outcomes)).toEqual(expected)
        for (const [at, tenant] of tenants.entries()) {
          for (const currency of used) {
            const books = naive[at]?.get(currency)
            expect(await accountsOf(ctx.db, tenant, currency)).toEqual(books?.accounts())
            expect(await entriesOf(ctx.db, tenant, currency)).toEqual(books?.entries())
          }
        }
      }),
      { numRuns: 40 },
    )
    expect(await verifyLedger(ctx)).toEqual([])
    // The sum over all tenants is zero in each currency, and no movement joins two.
    const sums =
      'select currency, sum(credits - debits)::text as sum from ledger_account group by currency order by currency'
    expect(await asOwner(database, sums)).toEqual(['GHS', 'NGN', 'XOF'].map((currency) => ({ currency, sum: '0' })))
  })
})
