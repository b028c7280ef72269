// The conformance suite of rails that refund: money goes back once, a missing answer is never taken for a refusal, and
// an absence proves nothing before the grace period is over.

import { describe, expect, it } from 'vitest'
import type { RefundOrder, Refunds } from '#rails/ports.ts'
import type { FakeClock } from '#tests/support/clock.ts'
import type { Act } from '#tests/support/fakes/provider.ts'

export type RefundsBench = {
  refunds: Refunds
  clock: FakeClock
  newOrder: () => RefundOrder
  /** The next request or question is handled by this act. */
  script: (call: 'request' | 'question', act: Act) => void
  refuseNext: () => void
  /** 2 for a rail that asks again with a new token after the first one is refused. */
  keysTried: 1 | 2
  made: (order: RefundOrder) => number
}

const graceMs = 15 * 60_000

export function describeRefunds(name: string, bench: RefundsBench): void {
  const { refunds, clock, newOrder, made } = bench
  const unknown = { kind: 'unknown', detail: expect.any(String) }

  describe(`${name}: refunds`, () => {
    it('sends money back, and says so when it is there', async () => {
      const order = newOrder()
      expect((await refunds.refund(order)).kind).toBe('pending')
      expect(await refunds.status(order)).toEqual({ kind: 'refunded' })
      expect(made(order)).toBe(1)
    })

    it.each([
      'late',
      'never',
      'cut-after',
      'error-done',
      'half',
      'page',
      'missing-page',
      'odd-word',
      'other-payment',
    ] as const)(
      'does not take a request that was done and ended with %s for refused, and sends nothing twice',
      async (act) => {
        const order = newOrder()
        bench.script('request', act)
        const state = await refunds.refund(order)
        expect(state).toMatchObject(unknown)
        expect(state).not.toHaveProperty('sent')
        expect((await refunds.status(order)).kind).toBe('refunded')
        expect(made(order)).toBe(1)
      },
    )

    it.each(['cut-before', 'error-not-done', 'gateway-page', 'redirect'] as const)(
      'says not-found of a request that came to nothing (%s)',
      async (act) => {
        const order = newOrder()
        bench.script('request', act)
        expect(await refunds.refund(order)).toMatchObject(unknown)
        expect(await refunds.status(order)).toEqual({ kind: 'not-found' })
        expect(made(order)).toBe(0)
      },
    )

    it.each(['too-many', 'too-many-silent', 'key-refused'] as const)(
      'waits, having done nothing, after %s',
      async (act) => {
        const order = newOrder()
        const times = act === 'key-refused' ? bench.keysTried : 1
        for (let time = 0; time < times; time++) bench.script('request', act)
        expect(await refunds.refund(order)).toMatchObject({
          ...unknown,
          sent: false,
          askAgainAfterMs: expect.any(Number),
        })
        expect(made(order)).toBe(0)
      },
    )

    it('that is asked for twice is one', async () => {
      const order = newOrder()
      bench.script('request', 'duplicate')
      expect((await refunds.refund(order)).kind).not.toBe('failed')
      expect((await refunds.refund(order)).kind).not.toBe('failed')
      expect(made(order)).toBe(1)
    })

    it('takes no refusal that is not listed for the end', async () => {
      const order = newOrder()
      bench.refuseNext()
      expect(await refunds.refund(order)).toMatchObject({ ...unknown, why: 'refused' })
      expect(await refunds.status(order)).toEqual({ kind: 'not-found' })
      expect(made(order)).toBe(0)
    })

    it.each(['never', 'cut-before', 'error-not-done', 'half', 'page', 'missing-page', 'too-many'] as const)(
      'learns nothing from a question that ends with %s, whatever was long ago',
      async (act) => {
        const order = newOrder()
        await refunds.refund(order)
        clock.advance(2 * graceMs)
        bench.script('question', act)
        const state = await refunds.status(order)
        expect(state).toMatchObject(unknown)
        expect(state).not.toHaveProperty('sent')
      },
    )
  })
}
