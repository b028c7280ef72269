// Every kind of call of Monnify's adapter.

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

export function callsOfMonnify(bench: Bench): CallKind[] {
  const kind: Kind = (title, call, right, prepare, words = {}) => ({
    title: `Monnify: ${title}`,
    fake: bench.monnify,
    call,
    right,
    prepare,
    // After Monnify refuses a token, the adapter logs in once more.
    words: { ...plainWords, 'key-refused': right, ...words },
  })
  return [...transfers(bench, kind), ...questions(bench, kind), ...accounts(bench, kind), ...refunds(bench, kind)]
}

/** An answer about another payment, with another amount, or with an unknown state. */
const aboutMoney = { 'other-payment': nothing, 'other-amount': nothing, 'odd-word': nothing }

function transfers({ clock, monnify, orders, newMonnify }: Bench, kind: Kind): CallKind[] {
  const transfer = (): Promise<Call> => {
    const [rail, order] = [newMonnify(), orders.payout(newNumber())]
    return ready(
      () => rail.payout.submit(order),
      () => monnify.transfersTo(order.accountNumber).length,
    )
  }
  return [
    kind('a login', /^POST \/api\/v1\/auth/, ['pending'], transfer, { 'key-refused': ['unknown'] }),
    kind('the name for a transfer', /^GET .*\/validate/, ['pending'], transfer, { 'other-payment': ['unknown'] }),
    kind('a transfer', /^POST .*\/single$/, ['pending'], transfer, {
      ...aboutMoney,
      duplicate: ['pending'],
      'duplicate-untrue': ['pending'],
      'no-money': ['unknown'],
    }),
    kind(
      'the status of a transfer',
      /^GET .*\/summary/,
      ['succeeded'],
      async () => {
        const [rail, order] = [newMonnify(), orders.payout(newNumber())]
        await rail.payout.submit(order)
        clock.advance(20 * 60_000)
        return { ask: () => rail.payout.status(order) }
      },
      { ...aboutMoney, missing: ['not-found'] },
    ),
  ]
}

function questions({ clock, monnify, newMonnify }: Bench, kind: Kind): CallKind[] {
  const list = (name: StatementList) => () =>
    ready(() =>
      newMonnify().statement.page({ list: name, cursor: null, fromMs: clock.now() - 60_000, toMs: clock.now() }),
    )
  return [
    kind(
      'a name enquiry',
      /^GET .*\/validate/,
      ['resolved'],
      () => ready(() => newMonnify().bankDirectory.resolve({ bank, accountNumber: newNumber() })),
      { 'other-payment': nothing },
    ),
    kind('the banks', /^GET .*\/banks$/, ['compared'], () => ready(() => compare(newMonnify()))),
    kind('the balance', /^GET .*\/wallet-balance/, ['known'], () => ready(() => newMonnify().float.balance())),
    kind('a list of disbursements', /^GET .*\/search-transactions$/, ['page'], list('payouts')),
    kind('a list of transactions', /^GET .*\/transactions\/search$/, ['page'], list('deposits')),
    kind('a list of changes', /^GET .*\/statement$/, ['page'], list('ledger')),
    kind(
      'a deposit',
      /^GET .*\/v2\/transactions\//,
      ['notices'],
      () => {
        const reference = `MNFY|${newNumber()}`
        monnify.pay({ reference, naira: '1.00' })
        const eventData = {
          transactionReference: reference,
          paymentMethod: 'ACCOUNT_TRANSFER',
          destinationAccountInformation: { accountNumber: '6000140770' },
        }
        const body = Buffer.from(JSON.stringify({ eventType: 'SUCCESSFUL_TRANSACTION', eventData }))
        return ready(() => newMonnify().inbound.read(body))
      },
      { 'other-payment': nothing, 'odd-word': nothing },
    ),
    kind('whose account was paid into', /^GET .*\/reserved-accounts\//, ['notices'], () => {
      const [reference, reservation, accountNumber] = [`MNFY|${newNumber()}`, `R-${newNumber()}`, newNumber()]
      monnify.accounts.put(reservation, accountNumber)
      monnify.pay({ reference, naira: '1.00', reservation })
      return ready(() => newMonnify().statement.reread({ reference, lineId: reference, accountNumber }))
    }),
  ]
}

async function compare({ bankDirectory }: Pick<Rail, 'bankDirectory'>) {
  return (await bankDirectory?.compare?.([bank])) ?? { kind: 'nothing' }
}

function accounts({ monnify, orders, newMonnify }: Bench, kind: Kind): CallKind[] {
  const counted = (ask: () => ReturnType<Call['ask']> | undefined): Promise<Call> => {
    const before = monnify.accounts.made()
    return ready(ask, () => monnify.accounts.made() - before)
  }
  const reserve = (): Promise<Call> => {
    const order = orders.staticAccount()
    const customer = { ...order.customer, bvn: '22222222222' }
    return counted(() => newMonnify().virtualAccounts?.createStatic({ ...order, bank: null, customer }))
  }
  const invoice = (): Promise<Call> => {
    const order = orders.dynamicAccount()
    return counted(() => newMonnify().virtualAccounts?.createDynamic(order))
  }
  const known = (open: () => Promise<Call>) => async () => {
    const call = await open()
    await call.ask()
    return call
  }
  const creating = { 'other-payment': nothing, duplicate: ['created'], 'duplicate-untrue': nothing }
  return [
    kind('an account of a customer', /^POST .*\/reserved-accounts$/, ['created'], reserve, creating),
    kind('an account that it has', /^GET .*\/reserved-accounts\//, ['created'], known(reserve), {
      'other-payment': nothing,
    }),
    kind('an account for one payment', /^POST .*\/invoice\/create$/, ['created'], invoice, {
      ...creating,
      'other-amount': nothing,
    }),
    kind('an invoice that it has', /^GET .*\/details$/, ['created'], known(invoice), {
      'other-payment': nothing,
      'other-amount': nothing,
    }),
    kind(
      'a closing',
      /^DELETE /,
      ['closed'],
      async () => {
        const [order, port] = [orders.dynamicAccount(), newMonnify().virtualAccounts]
        const opened = await port?.createDynamic(order)
        if (opened?.kind !== 'created') throw new Error('an account is there to be closed')
        return ready(() => port?.close({ ...opened, railReference: order.railReference }))
      },
      { missing: ['closed'] },
    ),
  ]
}

function refunds(bench: Bench, kind: Kind): CallKind[] {
  const { clock, monnify, newMonnify } = bench
  return [
    kind(
      'a refund',
      /^POST .*\/initiate-refund$/,
      ['pending'],
      () => {
        const order = refundOf(bench, `MNFY|${newNumber()}`)
        const made = () => monnify.refunds.made().filter(({ reference }) => reference === order.railReference).length
        return ready(() => refundPatiently(newMonnify().refunds, order), made)
      },
      { ...aboutMoney, duplicate: ['pending'], 'duplicate-untrue': ['pending'], missing: nothing },
    ),
    kind(
      'the status of a refund',
      /^GET .*\/refunds\//,
      ['refunded'],
      async () => {
        const order = refundOf(bench, `MNFY|${newNumber()}`)
        await newMonnify().refunds.refund(order)
        clock.advance(20 * 60_000)
        return { ask: () => newMonnify().refunds.status(order) }
      },
      { ...aboutMoney, missing: ['not-found'] },
    ),
  ]
}
