import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { negate, toMoney, type Money } from '#platform/money.ts'
import {
  accountNames,
  type Posting,
  acceptedPostings,
  adjustedPostings,
  failedPostings,
  fundingPostings,
  openingPostings,
  receivedPostings,
  reversedPostings,
  succeededPostings,
} from '#ledger/chart.ts'

const [amount, fee] = [toMoney(150_000), toMoney(1_000)]
const none = toMoney(0)

/** The change of each account's balance, in the order of the chart. */
function effectOf(postings: Posting[]): bigint[] {
  const balances = new Map<string, bigint>(accountNames.map((name) => [name, 0n]))
  for (const posting of postings) {
    balances.set(posting.debit, (balances.get(posting.debit) ?? 0n) - posting.amount)
    balances.set(posting.credit, (balances.get(posting.credit) ?? 0n) + posting.amount)
  }
  return [...balances.values()]
}

const kindsOf = (postings: Posting[]): string[] => postings.map((posting) => posting.kind)

describe('the postings of each kind of payment move', () => {
  it.each<[string, Posting[], bigint[], string[]]>([
    //                                              available  reserved  rail  fees  opening  adjustments
    ['opening', openingPostings(amount), [150_000n, 0n, 0n, 0n, -150_000n, 0n], ['opening']],
    ['funding', fundingPostings(amount), [150_000n, 0n, -150_000n, 0n, 0n, 0n], ['funding']],
    ['accepted', acceptedPostings(amount, fee), [-151_000n, 151_000n, 0n, 0n, 0n, 0n], ['hold']],
    ['succeeded', succeededPostings(amount, fee), [0n, -151_000n, 150_000n, 1_000n, 0n, 0n], ['payout', 'payout_fee']],
    ['failed', failedPostings(amount, fee), [151_000n, -151_000n, 0n, 0n, 0n, 0n], ['release']],
    ['reversed', reversedPostings(amount, fee), [151_000n, 0n, -150_000n, -1_000n, 0n, 0n], ['reversal', 'fee_refund']],
    ['adjusted up', adjustedPostings(amount), [150_000n, 0n, 0n, 0n, 0n, -150_000n], ['adjustment']],
    ['adjusted down', adjustedPostings(negate(amount)), [-150_000n, 0n, 0n, 0n, 0n, 150_000n], ['adjustment']],
    ['received', receivedPostings(amount, fee), [149_000n, 0n, -150_000n, 1_000n, 0n, 0n], ['deposit', 'deposit_fee']],
  ])('%s', (_name, postings, effect, kinds) => {
    expect(effectOf(postings)).toEqual(effect)
    expect(kindsOf(postings)).toEqual(kinds)
  })

  it.each<[string, Posting[], string[]]>([
    ['accepted', acceptedPostings(amount, none), ['hold']],
    ['succeeded', succeededPostings(amount, none), ['payout']],
    ['failed', failedPostings(amount, none), ['release']],
    ['reversed', reversedPostings(amount, none), ['reversal']],
    ['received', receivedPostings(amount, none), ['deposit']],
    ['opened with nothing', openingPostings(none), []],
  ])('no fee that is nothing: %s', (_name, postings, kinds) => {
    expect(kindsOf(postings)).toEqual(kinds)
  })
})

describe('whatever the amounts', () => {
  const anyAmount = fc.bigInt(1n, 2n ** 60n).map(toMoney)
  const anyFee = fc.bigInt(0n, 2n ** 40n).map(toMoney)
  const flows: [string, (paid: Money, charged: Money) => Posting[]][] = [
    ['a payment that fails', (paid, charged) => [...acceptedPostings(paid, charged), ...failedPostings(paid, charged)]],
    [
      'a payment that is reversed',
      (paid, charged) => [
        ...acceptedPostings(paid, charged),
        ...succeededPostings(paid, charged),
        ...reversedPostings(paid, charged),
      ],
    ],
  ]

  it.each(flows)('%s costs nothing and leaves nothing', (_name, flow) => {
    fc.assert(
      fc.property(anyAmount, anyFee, (paid, charged) => {
        expect(effectOf(flow(paid, charged))).toEqual([0n, 0n, 0n, 0n, 0n, 0n])
      }),
    )
  })

  it('a payment holds exactly what it will cost, and moves positive amounts only', () => {
    fc.assert(
      fc.property(anyAmount, anyFee, (paid, charged) => {
        const [held, spent] = [acceptedPostings(paid, charged), succeededPostings(paid, charged)]
        expect(effectOf(held)[1]).toBe(paid + charged)
        expect(effectOf([...held, ...spent])).toEqual([-paid - charged, 0n, paid, charged, 0n, 0n])
        for (const posting of [
          ...held,
          ...spent,
          ...reversedPostings(paid, charged),
          ...receivedPostings(paid, charged),
        ]) {
          expect(posting.amount).toBeGreaterThan(0n)
          expect(posting.debit).not.toBe(posting.credit)
        }
      }),
    )
  })
})
