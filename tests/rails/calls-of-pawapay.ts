// Every kind of call of pawaPay's adapter.

import { toMoney } from '#platform/money.ts'
import { nothing, plainWords, ready, type Bench, type Call, type CallKind, type Words } from './calls.ts'
import { noticeAddress } from './conformance.ts'
import { burkina, createWalletOrders } from './pawapay-orders.ts'

/** An answer about another payment, or with an unknown state. */
const about = { 'other-payment': nothing, 'odd-word': nothing }
const submitted = { ...about, duplicate: ['pending'], 'duplicate-untrue': ['pending'], 'no-money': ['unknown'] }
const asked = { ...about, 'other-amount': nothing, missing: ['not-found'] }

export function callsOfPawapay(bench: Bench): CallKind[] {
  const { clock, orders, pawapay, newPawapay } = bench
  const wallets = createWalletOrders(orders)
  const kind = (
    title: string,
    call: RegExp,
    right: readonly string[],
    prepare: () => Promise<Call>,
    words: Partial<Words> = {},
  ): CallKind => ({
    title: `pawaPay: ${title}`,
    fake: pawapay,
    call,
    right,
    prepare,
    words: { ...plainWords, ...words },
  })
  const madeFor = (phoneNumber: string) => () => pawapay.paymentsOf(phoneNumber).length
  return [
    kind(
      'a transfer',
      /^POST .*\/payouts$/,
      ['pending'],
      () => {
        const order = wallets.payout()
        return ready(() => newPawapay().momoPayout.submit(order), madeFor(order.phoneNumber))
      },
      submitted,
    ),
    kind(
      'the status of a transfer',
      /^GET .*\/payouts\//,
      ['succeeded'],
      async () => {
        const order = wallets.payout()
        await newPawapay().momoPayout.submit(order)
        clock.advance(20 * 60_000)
        return { ask: () => newPawapay().momoPayout.status(order) }
      },
      asked,
    ),
    kind(
      'a collection',
      /^POST .*\/deposits$/,
      ['pending'],
      () => {
        const order = wallets.collection()
        return ready(() => newPawapay().momoCollection.submit(order), madeFor(order.phoneNumber))
      },
      submitted,
    ),
    kind(
      'a collection with the code of its payer',
      /^POST .*\/deposits$/,
      ['accepted'],
      () => {
        const order = wallets.collection(burkina, toMoney(1_500))
        return ready(() => newPawapay().momoCollection.submitOtp(order, '123456'), madeFor(order.phoneNumber))
      },
      { ...submitted, duplicate: ['accepted'], 'duplicate-untrue': ['accepted'] },
    ),
    kind(
      'the status of a collection',
      /^GET .*\/deposits\//,
      ['succeeded'],
      async () => {
        const order = wallets.collection()
        await newPawapay().momoCollection.submit(order)
        clock.advance(20 * 60_000)
        return { ask: () => newPawapay().momoCollection.status(order) }
      },
      asked,
    ),
    kind('the wallets', /^GET .*\/wallet-balances$/, ['known'], () => ready(() => newPawapay().float.balance())),
    kind('the keys of its callbacks', /^GET .*\/public-key\/http$/, ['genuine'], () => {
      const { headers, rawBody } = pawapay.sign('{}', noticeAddress)
      const { inbound } = newPawapay()
      return ready(async () => ({ kind: await inbound.verify(headers, rawBody, noticeAddress) }))
    }),
  ]
}
