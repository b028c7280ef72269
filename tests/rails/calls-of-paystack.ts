// Every kind of call of Paystack's adapter.

import type { Rail } from '#rails/rail.ts'
import type { StatementList } from '#rails/statement.ts'
import {
  newNumber,
  nothing,
  plainWords,
  ready,
  refundOf,
  refundPatiently,
  type Bench,
  type Call,
  type CallKind,
  type Words,
} from './calls.ts'
import { bank } from './orders.ts'

type Kind = (
  title: string,
  call: RegExp,
  right: readonly string[],
  prepare: () => Promise<Call>,
  words?: Partial<Words>,
) => CallKind

export function callsOfPaystack(bench: Bench): CallKind[] {
  const kind: Kind = (title, call, right, prepare, words = {}) => ({
    title: `Paystack: ${title}`,
    fake: bench.paystack,
    call,
    right,
    prepare,
    words: { ...plainWords, ...words },
  })
  return [...transfers(bench, kind), ...questions(bench, kind), ...accounts(bench, kind), ...refunds(bench, kind)]
}

/** An answer about another payment, with another amount, or with an unknown state. */
const aboutMoney = { 'other-payment': nothing, 'other-amount': nothing, 'odd-word': nothing }

function transfers({ clock, paystack, orders, newPaystack }: Bench, kind: Kind): CallKind[] {
  const transfer = (): Promise<Call> => {
    const [rail, order] = [newPaystack(), orders.payout(newNumber())]
    return ready(
      () => rail.payout.submit(order),
      () => paystack.transfersTo(order.accountNumber).length,
    )
  }
  return [
    kind('a transfer', /^POST \/transfer$/, ['pending'], transfer, {
      ...aboutMoney,
      duplicate: ['pending'],
      'duplicate-untrue': ['pending'],
      'no-money': ['unknown'],
    }),
    kind('a recipient', /^POST \/transferrecipient$/, ['pending'], transfer, { 'other-payment': ['unknown'] }),
    kind(
      'the status of a transfer',
      /^GET \/transfer\/verify/,
      ['succeeded'],
      async () => {
        const [rail, order] = [newPaystack(), orders.payout(newNumber())]
        await rail.payout.submit(order)
        clock.advance(20 * 60_000)
        return { ask: () => rail.payout.status(order) }
      },
      { ...aboutMoney, missing: ['not-found'] },
    ),
  ]
}

function questions({ clock, paystack, newPaystack }: Bench, kind: Kind): CallKind[] {
  const list = (name: StatementList) => () =>
    ready(() =>
      newPaystack().statement.page({ list: name, cursor: null, fromMs: clock.now() - 60_000, toMs: clock.now() }),
    )
  return [
    kind(
      'a name enquiry',
      /^GET \/bank\/resolve/,
      ['resolved'],
      () => ready(() => newPaystack().bankDirectory.resolve({ bank, accountNumber: newNumber() })),
      { 'other-payment': nothing },
    ),
    kind('the banks', /^GET \/bank$/, ['compared'], () => ready(() => compare(newPaystack()))),
    kind('the balance', /^GET \/balance$/, ['known'], () => ready(() => newPaystack().float.balance())),
    kind('a list of transfers', /^GET \/transfer$/, ['page'], list('payouts')),
    kind('a list of transactions', /^GET \/transaction$/, ['page'], list('deposits')),
    kind('a list of changes', /^GET \/balance\/ledger$/, ['page'], list('ledger')),
    kind(
      'a deposit',
      /^GET \/transaction\/verify/,
      ['notices'],
      () => {
        const reference = `T-${newNumber()}`
        paystack.pay({ reference, id: newNumber(), amount: 100, accountNumber: '8000000001' })
        const data = { reference, channel: 'dedicated_nuban' }
        const body = Buffer.from(JSON.stringify({ event: 'charge.success', data }))
        return ready(() => newPaystack().inbound.read(body))
      },
      { 'other-payment': nothing, 'odd-word': nothing },
    ),
  ]
}

async function compare({ bankDirectory }: Pick<Rail, 'bankDirectory'>) {
  return (await bankDirectory?.compare?.([bank])) ?? { kind: 'nothing' }
}

function accounts({ paystack, orders, newPaystack }: Bench, kind: Kind): CallKind[] {
  const open = (bankOf: typeof bank | null = null) => {
    const order = orders.staticAccount()
    const customer = { ...order.customer, phoneNumber: '+2348030000000' }
    const before = paystack.accounts.made()
    return ready(
      () => newPaystack().virtualAccounts?.createStatic({ ...order, bank: bankOf, customer }),
      () => paystack.accounts.made() - before,
    )
  }
  const charge = (): Promise<Call> => {
    const order = orders.dynamicAccount()
    const made = () => paystack.charges.made().filter(({ reference }) => reference === order.railReference).length
    return ready(() => newPaystack().virtualAccounts?.createDynamic(order), made)
  }
  return [
    kind('an account: its customer', /^POST \/customer$/, ['created'], () => open(), { 'other-payment': nothing }),
    kind(
      'an account: its customer, who is known',
      /^GET \/customer\//,
      ['created'],
      () => {
        paystack.accounts.refusesKnown = true
        const call = open()
        // The first request creates the customer. Paystack refuses later ones, and the adapter looks the customer up.
        return call.then(async ({ ask, made }) => {
          paystack.meet(/^POST \/dedicated_account$/, 'cut-before')
          await ask()
          return made === undefined ? { ask } : { ask, made }
        })
      },
      { 'other-payment': nothing },
    ),
    kind('an account: what there is', /^GET \/dedicated_account$/, ['created'], () => open()),
    kind('an account', /^POST \/dedicated_account$/, ['created'], () => open(), { 'other-payment': nothing }),
    kind('an account: banks', /^GET \/dedicated_account\/available/, ['created'], () =>
      open({ ...bank, slug: 'wema-bank' }),
    ),
    kind('an account for one payment', /^POST \/charge$/, ['created'], charge, {
      'other-payment': nothing,
      'odd-word': nothing,
      duplicate: ['created'],
      'duplicate-untrue': nothing,
    }),
    kind(
      'an account for one payment that it has',
      /^GET \/charge\//,
      ['created'],
      async () => {
        const call = await charge()
        await call.ask()
        return call
      },
      { 'other-payment': nothing, 'odd-word': nothing },
    ),
    kind(
      'a closing',
      /^DELETE \/dedicated_account/,
      ['closed'],
      async () => {
        const [order, port] = [orders.staticAccount(), newPaystack().virtualAccounts]
        const customer = { ...order.customer, phoneNumber: '+2348030000000' }
        const opened = await port?.createStatic({ ...order, bank: null, customer })
        if (opened?.kind !== 'created') throw new Error('an account is there to be closed')
        return ready(() => port?.close({ ...opened, railReference: order.railReference }))
      },
      { missing: ['closed'] },
    ),
  ]
}

function refunds(bench: Bench, kind: Kind): CallKind[] {
  const { clock, paystack, newPaystack } = bench
  return [
    kind(
      'a refund',
      /^POST \/refund$/,
      ['pending', 'refunded'],
      () => {
        const order = refundOf(bench, newNumber())
        const made = () => paystack.refunds.made().filter(({ transaction }) => transaction === order.providerId).length
        return ready(() => refundPatiently(newPaystack().refunds, order), made)
      },
      {
        ...aboutMoney,
        duplicate: nothing,
        'duplicate-untrue': nothing,
        missing: nothing,
        'no-money': ['unknown'],
      },
    ),
    kind(
      'the status of a refund',
      /^GET \/refund/,
      ['refunded'],
      async () => {
        const order = refundOf(bench, newNumber())
        await newPaystack().refunds.refund(order)
        clock.advance(20 * 60_000)
        return { ask: () => newPaystack().refunds.status(order) }
      },
      aboutMoney,
    ),
  ]
}
