// Paystack's adapter against its fake, for tests of accounts.

import { createPaystack } from '#rails/paystack/paystack.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { useFake } from './provider.ts'

/** For the top of a test file. */
export async function usePaystackAccounts() {
  const clock = createFakeClock()
  const paystack = await startFakePaystack(clock)
  const { net, orders } = useFake(paystack, clock)
  const options = {
    name: 'paystack',
    secretKey: paystackTestKey,
    emailDomain: 'pay.example.com',
    baseUrl: paystack.url,
    net,
    clock,
    limits: { readMs: 1_000 },
  }
  const { virtualAccounts: accounts } = createPaystack(options)
  if (accounts === undefined) throw new Error('a rail with an address for customers opens accounts')
  return { clock, paystack, orders, options, accounts }
}
