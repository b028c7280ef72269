// Every kind of call of both adapters meets every act that a machine can do to any call. A question that ends badly answers
// nothing, and a request that ends badly is neither failed nor missing; asked again patiently, it was done once.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { toKobo } from '#base/money.ts'
import { createNet } from '#base/net.ts'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import type { Rail } from '#rails/rail.ts'
import type { RefundOrder } from '#rails/rail-refunds.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { acts, type Act, type FakeServer } from '#tests/support/fakes/provider.ts'
import { misbehaviours, noticeMisbehaviours, otherMutations } from './misbehaviour.ts'
import { bank, createOrderMaker } from './orders.ts'

// Longer than what comes late, shorter than for ever.
const limits = { submitMs: 2_000, readMs: 2_000, resolveMs: 2_000 }

/** Each kind of call has a clock and two providers to itself, so that none waits for another. */
async function startBench() {
  const [clock, net] = [createFakeClock(), createNet()]
  const [paystack, monnify] = [await startFakePaystack(clock), await startFakeMonnify(clock)]
  const common = { emailDomain: 'pay.example.com', net, clock, limits }
  return {
    clock,
    paystack,
    monnify,
    close: () => Promise.all([net.close(), paystack.close(), monnify.close()]),
    orders: createOrderMaker(clock),
    newPaystack: () =>
      createPaystack({ ...common, name: 'paystack', secretKey: paystackTestKey, baseUrl: paystack.url }),
    newMonnify: () =>
      createMonnify({
        ...common,
        ...monnifyKeys,
        name: 'monnify',
        contractCode: monnifyContract,
        trust: 'signed',
        baseUrl: monnify.url,
      }),
  }
}

type Bench = Awaited<ReturnType<typeof startBench>>

type Kinded = { kind: string }
/** A call of an adapter, ready to be made, as often as one likes, and how often it was done. */
type Call = { ask: () => Promise<Kinded>; made?: () => number }
type CallKind = { title: string; fake: FakeServer; call: RegExp; prepare: () => Promise<Call>; right: string[] }

/** Calls that move money: of these only, that nothing was sent is a word that lets a payment be sent again. */
const moving = ['a transfer', 'a refund']
const notDone: Act[] = ['too-many', 'too-many-silent']

let used = 2_000_000_000
const newNumber = (): string => String((used += 1))
const refundOf = ({ orders, clock }: Bench, providerId: string): RefundOrder => ({
  railReference: orders.dynamicAccount().railReference,
  providerId,
  amount: toKobo(250_000),
  currency: 'NGN',
  reason: 'overpaid',
  submittedAtMs: clock.now(),
})
const ready = (ask: () => Promise<Kinded>, made?: () => number): Promise<Call> =>
  Promise.resolve(made === undefined ? { ask } : { ask, made })

async function compare({ bankDirectory }: Pick<Rail, 'bankDirectory'>): Promise<Kinded> {
  return (await bankDirectory?.compare?.([bank])) ?? { kind: 'nothing' }
}

function ofPaystack(bench: Bench): CallKind[] {
  const { clock, paystack, orders, newPaystack } = bench
  const kind = (title: string, call: RegExp, right: string[], prepare: () => Promise<Call>): CallKind => ({
    title: `Paystack: ${title}`,
    fake: paystack,
    call,
    right,
    prepare,
  })
  return [
    kind('a transfer', /^POST \/transfer$/, ['pending'], () => {
      const [rail, order] = [newPaystack(), orders.payout(newNumber())]
      return ready(
        () => rail.payout.submit(order),
        () => paystack.transfersTo(order.accountNumber).length,
      )
    }),
    kind('a recipient', /^POST \/transferrecipient$/, ['pending'], () => {
      const [rail, order] = [newPaystack(), orders.payout(newNumber())]
      return ready(
        () => rail.payout.submit(order),
        () => paystack.transfersTo(order.accountNumber).length,
      )
    }),
    kind('the status of a transfer', /^GET \/transfer\/verify/, ['succeeded'], async () => {
      const [rail, order] = [newPaystack(), orders.payout(newNumber())]
      await rail.payout.submit(order)
      clock.advance(20 * 60_000)
      return { ask: () => rail.payout.status(order) }
    }),
    kind('a name enquiry', /^GET \/bank\/resolve/, ['resolved'], () =>
      ready(() => newPaystack().bankDirectory.resolve({ bank, accountNumber: newNumber() })),
    ),
    kind('the banks', /^GET \/bank$/, ['compared'], () => ready(() => compare(newPaystack()))),
    kind('the balance', /^GET \/balance/, ['known'], () => ready(() => newPaystack().float.balance())),
    kind('a deposit', /^GET \/transaction\/verify/, ['notices'], () => {
      const reference = `T-${newNumber()}`
      paystack.pay({ reference, id: newNumber(), amount: 100, accountNumber: '8000000001' })
      const body = Buffer.from(
        JSON.stringify({ event: 'charge.success', data: { reference, channel: 'dedicated_nuban' } }),
      )
      return ready(() => newPaystack().inbound.read(body))
    }),
    ...['POST \\/customer', 'GET \\/dedicated_account', 'POST \\/dedicated_account'].map((call) =>
      kind(`an account of a customer (${call.replace('\\', '')})`, new RegExp(`^${call}$`), ['created'], () => {
        const order = orders.staticAccount()
        const customer = { ...order.customer, phoneNumber: '+2348030000000' }
        const before = paystack.accounts.made()
        const ask = () => newPaystack().virtualAccounts?.createStatic({ ...order, bank: null, customer })
        return ready(
          () => ask() ?? Promise.reject(new Error('no accounts')),
          () => paystack.accounts.made() - before,
        )
      }),
    ),
    kind('an account for one payment', /^POST \/charge$/, ['created'], () => {
      const order = orders.dynamicAccount()
      const ask = () => newPaystack().virtualAccounts?.createDynamic(order)
      const made = () => paystack.charges.made().filter(({ reference }) => reference === order.railReference).length
      return ready(() => ask() ?? Promise.reject(new Error('no accounts')), made)
    }),
    kind('a closing', /^DELETE \/dedicated_account/, ['closed'], async () => {
      const [order, accounts] = [orders.staticAccount(), newPaystack().virtualAccounts]
      const customer = { ...order.customer, phoneNumber: '+2348030000000' }
      const opened = await accounts?.createStatic({ ...order, bank: null, customer })
      if (opened?.kind !== 'created') throw new Error('an account is there to be closed')
      const ask = () => accounts?.close({ ...opened, railReference: order.railReference })
      return { ask: () => ask() ?? Promise.reject(new Error('no accounts')) }
    }),
    kind('a refund', /^POST \/refund$/, ['pending', 'refunded'], () => {
      const order = refundOf(bench, newNumber())
      const made = () => paystack.refunds.made().filter(({ transaction }) => transaction === order.providerId).length
      return ready(() => newPaystack().refunds.refund(order), made)
    }),
    kind('the status of a refund', /^GET \/refund/, ['refunded'], async () => {
      const order = refundOf(bench, newNumber())
      await newPaystack().refunds.refund(order)
      clock.advance(20 * 60_000)
      return { ask: () => newPaystack().refunds.status(order) }
    }),
  ]
}

function ofMonnify(bench: Bench): CallKind[] {
  const { clock, monnify, orders, newMonnify } = bench
  const kind = (title: string, call: RegExp, right: string[], prepare: () => Promise<Call>): CallKind => ({
    title: `Monnify: ${title}`,
    fake: monnify,
    call,
    right,
    prepare,
  })
  const transfer = (): Promise<Call> => {
    const [rail, order] = [newMonnify(), orders.payout(newNumber())]
    return ready(
      () => rail.payout.submit(order),
      () => monnify.transfersTo(order.accountNumber).length,
    )
  }
  return [
    kind('a login', /^POST \/api\/v1\/auth/, ['pending'], transfer),
    kind('the name for a transfer', /^GET .*\/validate/, ['pending'], transfer),
    kind('a transfer', /^POST .*\/single$/, ['pending'], transfer),
    kind('the status of a transfer', /^GET .*\/summary/, ['succeeded'], async () => {
      const [rail, order] = [newMonnify(), orders.payout(newNumber())]
      await rail.payout.submit(order)
      clock.advance(20 * 60_000)
      return { ask: () => rail.payout.status(order) }
    }),
    kind('a name enquiry', /^GET .*\/validate/, ['resolved'], () =>
      ready(() => newMonnify().bankDirectory.resolve({ bank, accountNumber: newNumber() })),
    ),
    kind('the banks', /^GET .*\/banks$/, ['compared'], () => ready(() => compare(newMonnify()))),
    kind('the balance', /^GET .*\/wallet-balance/, ['known'], () => ready(() => newMonnify().float.balance())),
    kind('a deposit', /^GET .*\/transactions\//, ['notices'], () => {
      const reference = `MNFY|${newNumber()}`
      monnify.pay({ reference, naira: '1.00' })
      const eventData = {
        transactionReference: reference,
        paymentMethod: 'ACCOUNT_TRANSFER',
        destinationAccountInformation: { accountNumber: '6000140770' },
      }
      const body = Buffer.from(JSON.stringify({ eventType: 'SUCCESSFUL_TRANSACTION', eventData }))
      return ready(() => newMonnify().inbound.read(body))
    }),
    kind('an account of a customer', /^POST .*\/reserved-accounts$/, ['created'], () => {
      const order = orders.staticAccount()
      const before = monnify.accounts.made()
      const customer = { ...order.customer, bvn: '22222222222' }
      const ask = () => newMonnify().virtualAccounts?.createStatic({ ...order, bank: null, customer })
      return ready(
        () => ask() ?? Promise.reject(new Error('no accounts')),
        () => monnify.accounts.made() - before,
      )
    }),
    kind('an account for one payment', /^POST .*\/invoice\/create$/, ['created'], () => {
      const [order, before] = [orders.dynamicAccount(), monnify.accounts.made()]
      const ask = () => newMonnify().virtualAccounts?.createDynamic(order)
      return ready(
        () => ask() ?? Promise.reject(new Error('no accounts')),
        () => monnify.accounts.made() - before,
      )
    }),
    kind('a closing', /^DELETE /, ['closed'], async () => {
      const [order, accounts] = [orders.dynamicAccount(), newMonnify().virtualAccounts]
      const opened = await accounts?.createDynamic(order)
      if (opened?.kind !== 'created') throw new Error('an account is there to be closed')
      const ask = () => accounts?.close({ ...opened, railReference: order.railReference })
      return { ask: () => ask() ?? Promise.reject(new Error('no accounts')) }
    }),
    kind('a refund', /^POST .*\/initiate-refund$/, ['pending'], () => {
      const order = refundOf(bench, `MNFY|${newNumber()}`)
      const made = () => monnify.refunds.made().filter(({ reference }) => reference === order.railReference).length
      return ready(() => newMonnify().refunds.refund(order), made)
    }),
    kind('the status of a refund', /^GET .*\/refunds\//, ['refunded'], async () => {
      const order = refundOf(bench, `MNFY|${newNumber()}`)
      await newMonnify().refunds.refund(order)
      clock.advance(20 * 60_000)
      return { ask: () => newMonnify().refunds.status(order) }
    }),
  ]
}

const nothing = ['unknown', 'unavailable']
const swept = acts.filter(
  (act): act is Exclude<Act, 'answer'> => act !== 'answer' && misbehaviours[act].sweep !== undefined,
)

async function expectSafe(bench: Bench, { title, fake, call, prepare, right }: CallKind): Promise<void> {
  for (const act of swept) {
    const about = `${title} that is answered with ${act}`
    bench.clock.advance(60_000)
    const { ask, made } = await prepare()
    fake.meet(call, act)
    const answer = await ask()
    expect(misbehaviours[act].sweep === 'answers' ? right : nothing, about).toContain(answer.kind)
    const mayHaveLeft = moving.some((one) => title.endsWith(`: ${one}`)) && !notDone.includes(act)
    expect(mayHaveLeft && 'sent' in answer, `${about}: sent`).toBe(false)
    bench.clock.advance(60_000)
    // As a caller does who was told nothing; who may ask a second time is the rooms' business.
    const again = await ask()
    expect([...right, 'pending', 'refunded'], `${about}, and asked again`).toContain(again.kind)
    expect(made?.() ?? 1, about).toBe(1)
  }
  expect(fake.faults).toEqual([])
}

const kindsOf = (bench: Bench): CallKind[] => [...ofPaystack(bench), ...ofMonnify(bench)]
const first = await startBench()
const titles = kindsOf(first).map(({ title }) => title)
await first.close()

it.concurrent.each(titles)('%s', async (title) => {
  const bench = await startBench()
  const kind = kindsOf(bench).find((one) => one.title === title)
  if (kind === undefined) throw new Error(title)
  try {
    await expectSafe(bench, kind)
  } finally {
    await bench.close()
  }
})

it('knows for each act which mutation it kills', () => {
  expect(Object.keys(misbehaviours).toSorted()).toEqual(acts.filter((act) => act !== 'answer').toSorted())
})

it.each([...Object.entries(otherMutations), ...Object.entries(noticeMisbehaviours)])(
  'a mutation or a notice: %s',
  async (_act, { file, title }) => {
    expect(await readFile(path.join(import.meta.dirname, '../..', file), 'utf8')).toContain(title)
  },
)
