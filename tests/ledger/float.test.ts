// The float book of a rail: it books each change once, sums them up, and stores part of the sum as a total.

import { beforeEach, describe, expect, it } from 'vitest'
import { zero, toMoney } from '#platform/money.ts'
import {
  bookFloat,
  findUnowned,
  hasFraction,
  heldByBook,
  readFloat,
  totalFloat,
  type FloatCause,
  type FloatName,
  writeFloatTotals,
} from '#ledger/float.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const { db } = createTestContext(database.connect())
const acme: FloatName = { environment: 'production', rail: 'acme' }

beforeEach(() => asOwner(database, 'truncate float_movement, float_wallet_total'))

const day = (number: number): Date => new Date(Date.UTC(2026, 0, number))

type Row = { kind: string; subject: string; amount: number; at: Date } & Partial<
  FloatName & { currency: string; country: string; fraction: number; isOut: boolean }
>

/** Books rows from `tenants` to `balance`, unless a row says otherwise. */
async function keep(...rows: Row[]): Promise<void> {
  for (const { kind, subject, amount, at, ...book } of rows) {
    const { environment, rail, currency, country = null, fraction = null } = { ...acme, currency: 'NGN', ...book }
    const accounts = book.isOut === true ? `'balance', 'cost'` : `'tenants', 'balance'`
    await asOwner(
      database,
      `insert into float_movement values ($1, $2, $3, $4, $5, 1, $5, ${accounts}, $6, $7, $8, $9)`,
      [environment, rail, currency, kind, subject, amount, at, country, fraction],
    )
  }
}

async function held(name = acme, currency = 'NGN'): Promise<Record<string, bigint>> {
  const found = (await readFloat(db, name)).filter((one) => one.currency === currency && one.balance !== 0n)
  return Object.fromEntries(found.map(({ account, balance }) => [account, balance]))
}

const comesTo = (amount: number) => (amount === 0 ? {} : { balance: BigInt(amount), tenants: BigInt(-amount) })

/** Other books with a row of each kind, which must not count in this one. */
const others: Partial<Row>[] = [{ environment: 'staging' }, { rail: 'zeta' }, { rail: 'aaa' }]

describe('a booked movement', () => {
  const cause: FloatCause = {
    environment: 'production',
    rail: 'acme',
    currency: 'NGN',
    country: null,
    subject: 'P-1',
    reference: 'R-1',
    lane: 1,
    at: day(1),
  }

  it('exists once for each kind of a cause, however often it is booked; an amount of zero moves nothing', async () => {
    await db.transaction(async (tx) => {
      bookFloat(tx, 'payout', cause, toMoney(100))
      bookFloat(tx, 'payout_cost', cause, toMoney(3))
      bookFloat(tx, 'payout', { ...cause, subject: 'P-2' }, zero)
      bookFloat(tx, 'deposit', { ...cause, subject: 'D-1' }, toMoney(50))
    }, cause.lane)
    await db.transaction(
      async (tx) => bookFloat(tx, 'payout', { ...cause, reference: 'again' }, toMoney(900)),
      cause.lane,
    )
    expect(await held()).toEqual({ balance: -103n, tenants: 50n, cost: 3n, receivable: 50n })
    expect(
      await asOwner(database, 'select kind, subject, reference, lane, amount, at from float_movement order by kind'),
    ).toEqual([
      { kind: 'deposit', subject: 'D-1', reference: 'R-1', lane: 1, amount: '50', at: day(1) },
      { kind: 'payout', subject: 'P-1', reference: 'R-1', lane: 1, amount: '100', at: day(1) },
      { kind: 'payout_cost', subject: 'P-1', reference: 'R-1', lane: 1, amount: '3', at: day(1) },
    ])
  })
})

describe('the balances of a book', () => {
  it('is its own in each currency, with its opening, whenever that is dated', async () => {
    const payout = { kind: 'payout', subject: 'P', amount: 10, at: day(2) }
    await keep({ kind: 'opening', subject: 'opening', amount: 1_000, at: day(1) }, payout)
    await keep({ ...payout, subject: 'Q', currency: 'GHS', amount: 7 })
    await keep({ kind: 'opening', subject: 'opening GHS', currency: 'GHS', amount: 200, at: day(1) })
    for (const other of others) await keep({ ...payout, ...other, amount: 500 })
    expect(await held()).toEqual(comesTo(1_010))
    expect(await held(acme, 'GHS')).toEqual(comesTo(207))
  })

  it.each<[string, Partial<Row>]>([
    ['environment', { environment: 'staging', kind: 'opening', subject: 'opening' }],
    ['rail', { rail: 'acme2', kind: 'opening', subject: 'opening' }],
    ['kind', { kind: 'payout', subject: 'opening' }],
  ])('has no opening where the next row is of another %s', async (_what, next) => {
    const deposit = { kind: 'deposit', subject: 'D', amount: 10, at: day(2) }
    await keep(deposit, { ...deposit, ...next, amount: 500 })
    const isOfThisBook = next.kind === 'payout'
    expect(await held()).toEqual(comesTo(isOfThisBook ? 510 : 10))
  })

  it('has its opening though another book has one before it', async () => {
    const opening = { kind: 'opening', subject: 'opening', amount: 1_000, at: day(1) }
    await keep(opening, { ...opening, rail: 'aaa', amount: 3 })
    expect(await held()).toEqual(comesTo(1_000))
  })
})

describe('a stored total', () => {
  const totals = () =>
    asOwner(
      database,
      'select environment, rail, currency, until_at, balance from float_wallet_total order by rail, currency',
    )

  beforeEach(async () => {
    await keep({ kind: 'opening', subject: 'opening', amount: 1_000, at: day(2) })
    for (const number of [1, 2, 3, 4])
      await keep({ kind: 'payout', subject: `P${number}`, amount: 10 ** number, at: day(number) })
    await keep({ kind: 'payout', subject: 'G', amount: 7, at: day(1), currency: 'GHS' })
    for (const other of others) await keep({ kind: 'payout', subject: 'P', amount: 500, at: day(1), ...other })
  })

  it('covers everything before a moment except the opening, in each currency; movements of that moment are fresh', async () => {
    await totalFloat(db, acme, day(3))
    const total = { environment: 'production', rail: 'acme', until_at: day(3) }
    expect(await totals()).toEqual([
      { ...total, currency: 'GHS', balance: '7' },
      { ...total, currency: 'NGN', balance: '110' },
    ])
    expect(await held()).toEqual(comesTo(12_110))
    expect(await held(acme, 'GHS')).toEqual(comesTo(7))
    for (const other of others) expect(await held({ ...acme, ...other })).toEqual(comesTo(500))
  })

  it('goes on from the total before, and never back', async () => {
    for (const until of [2, 4, 3, 4]) {
      await totalFloat(db, acme, day(until))
      expect(await held()).toEqual(comesTo(12_110))
    }
    expect(await totals()).toMatchObject([
      { until_at: day(4), balance: '7' },
      { until_at: day(4), balance: '1110' },
    ])
    await asOwner(database, 'update float_movement set amount = amount + 1 where at < $1', [day(4)])
    await totalFloat(db, acme, day(5))
    expect(await held()).toEqual(comesTo(12_111))
  })

  it('is not written over by who began from the total before', async () => {
    await totalFloat(db, acme, day(2))
    const late = {
      currency: 'NGN' as const,
      country: null,
      sums: new Map([
        ['balance', 99n],
        ['tenants', -99n],
      ]),
    }
    await writeFloatTotals(db, acme, { since: '-infinity', until: day(3), totals: [late] })
    expect(await held()).toEqual(comesTo(12_110))
    await writeFloatTotals(db, acme, { since: '-infinity', until: day(3), totals: [{ ...late, currency: 'KES' }] })
    expect(await totals()).toHaveLength(2)
    await writeFloatTotals(db, acme, { since: day(2), until: day(3), totals: [late] })
    expect(await totals()).toMatchObject([{ balance: '7' }, { balance: '99', until_at: day(3) }])
  })

  it('keeps countries that share a currency apart, and movements without a country', async () => {
    const payout = { kind: 'payout', at: day(1), currency: 'XOF' }
    await keep({ ...payout, subject: 'X1', amount: 100, country: 'BJ' }, { ...payout, subject: 'X2', amount: 7 })
    await keep({ ...payout, subject: 'X3', amount: 300, country: 'SN' })
    await keep({ ...payout, subject: 'X4', amount: 4, country: 'SN', at: day(4) })
    for (const until of [undefined, day(2), day(5)]) {
      if (until !== undefined) await totalFloat(db, acme, until)
      const book = await readFloat(db, acme)
      const of = (country?: string) => heldByBook(book, { currency: 'XOF', country })
      expect([of('BJ'), of('SN'), of('CI'), of()]).toEqual([100n, 304n, undefined, 411n])
    }
    expect((await totals()).filter(({ currency }) => currency === 'XOF')).toHaveLength(3)
  })

  it('keeps the fractions of a wallet, which round its whole amount and not each movement', async () => {
    const fee = { kind: 'payout_cost', at: day(1), currency: 'XOF', country: 'SN' }
    await keep({ ...fee, kind: 'top_up', subject: 'T', amount: 1_000 })
    // Each is 0.4 francs.
    for (const number of [1, 2, 3, 4])
      await keep({ ...fee, subject: `F${number}`, amount: 1, fraction: -600_000, isOut: true, at: day(number) })
    for (const until of [undefined, day(2), day(3), day(5)]) {
      if (until !== undefined) await totalFloat(db, acme, until)
      const book = await readFloat(db, acme)
      const wallet = { currency: 'XOF', country: 'SN' } as const
      expect(heldByBook(book, wallet)).toBe(998n)
      expect([hasFraction(book, wallet), hasFraction(book, { currency: 'NGN' })]).toEqual([true, false])
    }
  })

  it('of one rail leaves other rails out', async () => {
    for (const other of others) await totalFloat(db, { ...acme, ...other }, day(3))
    expect(await held()).toEqual(comesTo(12_110))
  })
})

describe('money that came in without an owner', () => {
  it('is found by its subject, among others that lie beside it', async () => {
    const unowned = { kind: 'unowned', subject: 'b', amount: 1, at: day(1) }
    await keep(unowned, { ...unowned, subject: 'd' }, { ...unowned, kind: 'withdrawal', subject: 'e' })
    await keep({ ...unowned, rail: 'acme2', subject: 'f' }, { ...unowned, environment: 'staging', subject: 'g' })
    await keep({ ...unowned, rail: 'aaa', subject: 'b' })
    expect(await findUnowned(db, acme, ['a', 'b', 'c', 'd'])).toEqual(new Set(['b', 'd']))
  })

  it.each<[string, Partial<Row>]>([
    ['environment', { environment: 'staging' }],
    ['rail', { rail: 'acme2' }],
    ['kind', { kind: 'withdrawal' }],
    ['subject', { subject: 'c' }],
  ])('is not found where the next row is of another %s', async (_what, next) => {
    await keep({ kind: 'unowned', subject: 'b', amount: 1, at: day(1), ...next })
    expect(await findUnowned(db, acme, ['b'])).toEqual(new Set())
  })
})
