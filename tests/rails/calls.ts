// Every kind of call of the adapters, each with its own clock and providers, so that no call waits for another.

import { toMoney } from '#platform/money.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import type { RefundOrder, Refunds } from '#rails/ports.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyContract } from '#tests/support/fakes/monnify-accounts.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import type { Act, FakeServer } from '#tests/support/fakes/provider.ts'
import { createOrderMaker } from './orders.ts'

// Longer than a late answer takes, so that only a missing one runs into it.
const limits = { submitMs: 2_000, readMs: 2_000, resolveMs: 2_000 }

export async function startBench() {
  const [clock, net] = [createFakeClock(), createNet()]
  const [paystack, monnify] = [await startFakePaystack(clock), await startFakeMonnify(clock)]
  const pawapay = await startFakePawapay(clock)
  const common = { emailDomain: 'pay.example.com', net, clock, limits }
  return {
    clock,
    paystack,
    monnify,
    pawapay,
    close: () => Promise.all([net.close(), paystack.close(), monnify.close(), pawapay.close()]),
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
    newPawapay: () =>
      createPawapay({
        net,
        clock,
        limits,
        name: 'pawapay',
        apiToken: pawapayToken,
        callbacks: 'signed',
        baseUrl: pawapay.url,
      }),
  }
}

export type Bench = Awaited<ReturnType<typeof startBench>>

type Kinded = { kind: string }

/** A prepared call, which a test may repeat, and how often the provider did its work. */
export type Call = { ask: () => Promise<Kinded>; made?: () => number }

/** Acts in which the provider itself answers this call, rightly or not. Their results differ from call to call. */
export const spokenActs = [
  'other-payment',
  'other-amount',
  'odd-word',
  'duplicate',
  'duplicate-untrue',
  'missing',
  'no-money',
  'key-refused',
] as const satisfies Act[]
export type SpokenAct = (typeof spokenActs)[number]

/** The possible results of each act; null if the act makes no sense for this call. */
export type Words = Record<SpokenAct, readonly string[] | null>

export type CallKind = {
  title: string
  fake: FakeServer
  call: RegExp
  prepare: () => Promise<Call>
  right: readonly string[]
  words: Words
}

/** The answer proves nothing. */
export const nothing = ['unknown', 'unavailable'] as const

/** For a call whose answer contains no identifier and so cannot be about another payment. */
export const plainWords: Words = {
  'other-payment': null,
  'other-amount': null,
  'odd-word': null,
  duplicate: null,
  'duplicate-untrue': null,
  missing: nothing,
  'no-money': null,
  'key-refused': nothing,
}

let used = 2_000_000_000
export const newNumber = (): string => String((used += 1))

/** Asks first, as the service does: a refund that the provider already has is not requested again. */
export async function refundPatiently(refunds: Refunds, order: RefundOrder): Promise<{ kind: string }> {
  const state = await refunds.status(order)
  return state.kind === 'not-found' ? refunds.refund(order) : state
}

export const refundOf = ({ orders, clock }: Bench, providerId: string): RefundOrder => ({
  railReference: orders.dynamicAccount().railReference,
  providerId,
  amount: toMoney(250_000),
  currency: 'NGN',
  reason: 'overpaid',
  submittedAtMs: clock.now(),
})

export const ready = (ask: () => Promise<Kinded> | undefined, made?: () => number): Promise<Call> => {
  const asked = () => ask() ?? Promise.reject(new Error('the adapter has no such port'))
  return Promise.resolve(made === undefined ? { ask: asked } : { ask: asked, made })
}
