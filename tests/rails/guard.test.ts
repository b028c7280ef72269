// What a rail's breaker does with payments after its rest: one call that moves no money comes first, and no payment waits
// for it. A payment that did could leave when its lease is over, and another process has sent it.

import { expect, it } from 'vitest'
import { guard } from '#rails/guard.ts'
import type { Float } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createScriptedPayout, succeeded, timesOf, unknown } from '#tests/support/scripted-rail.ts'
import { createOrderMaker } from './orders.ts'

type Balance = Awaited<ReturnType<Float['balance']>>

const restSeconds = 30
const heldBack = { kind: 'unknown', sent: false, askAgainAfterMs: 5_000 }

/** A rail that has rested since its provider refused us, and whose balance nobody tells before the test does. */
async function rested() {
  const clock = createFakeClock()
  const payout = createScriptedPayout(clock)
  const questions: PromiseWithResolvers<Balance>[] = []
  const balance = (): Promise<Balance> => {
    const question = Promise.withResolvers<Balance>()
    questions.push(question)
    return question.promise
  }
  const { rail, state } = guard({ name: 'bank', payout, float: { balance } }, clock)
  const orders = createOrderMaker(clock)
  const submit = () => rail.payout?.submit(orders.payout('0123456789'))
  payout.onSubmit = () => ({ ...unknown, why: 'misconfigured' })
  await submit()
  payout.onSubmit = () => succeeded
  clock.advance(restSeconds * 1_000)
  return { submit, questions, payout, state: () => state('payout') }
}

it('holds payments back while one call tells whether the rail is well, and hands on those that come after it', async () => {
  const { submit, questions, payout, state } = await rested()
  expect(await Promise.all([submit(), submit()])).toMatchObject([heldBack, heldBack])
  expect(questions).toHaveLength(1)
  questions[0]?.resolve({ kind: 'known', amount: 0n as never })
  await expect.poll(state).toBe('closed')
  expect(await submit()).toEqual(succeeded)
  expect(timesOf(payout)).toEqual(['submit 0', `submit ${restSeconds}`])
})

it.each([
  ['is not', (question: PromiseWithResolvers<Balance>) => question.resolve({ kind: 'unavailable', detail: 'down' })],
  ['breaks its promise', (question: PromiseWithResolvers<Balance>) => question.reject(new Error('socket hang up'))],
])('rests again when the rail %s', async (_what, answer) => {
  const { submit, questions, payout, state } = await rested()
  await submit()
  for (const question of questions) answer(question)
  await expect.poll(state).toBe('open')
  expect(await submit()).toMatchObject(heldBack)
  expect([questions.length, timesOf(payout)]).toEqual([1, ['submit 0']])
})
