// One batch moves a payment away from its rail and gets an answer of that rail: the payment has left by the time of the
// answer.

import { expect, it } from 'vitest'
import type { RailChange, Result } from '#payments/payment.ts'
import type { Source } from '#payments/settle.ts'
import { useSettling } from './settling.ts'

const { openWithFour } = await useSettling()
const by = (rail: string): Source => ({ kind: 'rail', environment: 'production', rail })
const succeeded: Result = { kind: 'succeeded' }

it.each([
  ['a', ['settled', 'impossible'], 'queued'],
  ['b', ['settled', 'settled'], 'SUCCESS'],
] as const)('the word of %s', async (rail, outcomes, status) => {
  const { four, settle, allRows } = await openWithFour()
  const [one] = four
  if (one === undefined) throw new Error('there are four')
  const { tenant, reference, leaseEnd } = one
  const change: RailChange = { kind: 'rail-changed', from: 'a', to: 'b', why: 'float', leaseEnd, railReference: null }
  const said = await Promise.all([
    settle(tenant, reference, { result: change }),
    settle(tenant, reference, { result: succeeded, source: by(rail) }),
  ])
  expect(said.map(({ kind }) => kind)).toEqual(outcomes)
  expect((await allRows())[0]).toMatchObject({ rail: 'b', attempts: 2, status })
})
