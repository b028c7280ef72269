// A submission that stalled until its lease was over sends nothing when it goes on, because another process may already
// be timing the payment's absence. The monotonic clock decides.

import { describe, expect, it } from 'vitest'
import { createMonnify } from '#rails/monnify/monnify.ts'
import { createPaystack } from '#rails/paystack/paystack.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { monnifyKeys, startFakeMonnify } from '#tests/support/fakes/monnify.ts'
import { paystackTestKey, startFakePaystack } from '#tests/support/fakes/paystack.ts'
import { useProvider } from './provider.ts'

const clock = createFakeClock()
const fakes = { paystack: await startFakePaystack(), monnify: await startFakeMonnify(clock) }
const behind = { paystack: useProvider(fakes.paystack, clock), monnify: useProvider(fakes.monnify, clock) }
const rails = {
  paystack: createPaystack({
    ...behind.paystack,
    name: 'paystack',
    secretKey: paystackTestKey,
    baseUrl: fakes.paystack.url,
    clock,
  }),
  monnify: createMonnify({
    ...behind.monnify,
    ...monnifyKeys,
    name: 'monnify',
    contractCode: '7059707855',
    baseUrl: fakes.monnify.url,
    trust: 'signed',
    clock,
  }),
}

describe.each(['paystack', 'monnify'] as const)('%s', (name) => {
  it('is sent nothing from the end of the lease on, and everything before', async () => {
    const { payout } = rails[name]
    const order = behind[name].newOrder({})
    const arrived = () => fakes[name].transfersTo(order.accountNumber).length
    const late = { ...order, leaveBeforeMs: clock.monotonicMs() }
    expect(await payout?.submit(late)).toMatchObject({ kind: 'unknown', sent: false })
    expect(arrived()).toBe(0)
    await payout?.submit({ ...order, leaveBeforeMs: clock.monotonicMs() + 1 })
    expect(arrived()).toBe(1)
  })
})
