// A rail behind its breakers: after a pause one call that moves no money shows whether the rail works, whether or not a
// payment waits.

import { expect, it } from 'vitest'
import { findOperator } from '#directory/operators.ts'
import { present } from '#platform/assert.ts'
import { toMoney } from '#platform/money.ts'
import { guardRail } from '#rails/breaker.ts'
import type { Float, MomoOrder, MomoPayoutState, PayoutState, Rail } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createScriptedPayout, succeeded, timesOf, unknown } from '#tests/support/scripted-rail.ts'
import { createOrderMaker } from './orders.ts'

type Balance = Awaited<ReturnType<Float['balance']>>

const restMs = 30_000
const heldBack = { kind: 'unknown', sent: false, askAgainAfterMs: 5_000, why: 'resting' }
const unreached = { ...unknown, sent: false as const }
const known: Balance = { kind: 'known', wallets: [{ currency: 'NGN', amount: toMoney(0) }] }

/** A rail whose breaker these answers have opened, and whose balance a test sets. */
async function opened(answers: PayoutState[], ports: Pick<Rail, 'momoPayout'> = {}) {
  const clock = createFakeClock()
  const payout = createScriptedPayout(clock)
  const questions: PromiseWithResolvers<Balance>[] = []
  const balance = (): Promise<Balance> => {
    const question = Promise.withResolvers<Balance>()
    questions.push(question)
    return question.promise
  }
  const changes: string[] = []
  const guarded = guardRail({ name: 'bank', payout, float: { balance }, ...ports }, clock, (port) => {
    changes.push(`${port} ${guarded.state(port)}`)
  })
  const orders = createOrderMaker(clock)
  let payees = 0
  const submit = () => guarded.rail.payout?.submit(orders.payout(String((payees += 1)).padStart(10, '0')))
  for (const answer of answers) {
    payout.onSubmit = () => answer
    await submit()
  }
  payout.onSubmit = () => succeeded
  expect([guarded.state('payout'), questions.length]).toEqual(['open', 0])
  return { ...guarded, clock, submit, questions, payout, changes, state: () => guarded.state('payout') }
}

const failing = Array.from({ length: 5 }, () => unreached)

it('is closed by its balance when its machine had failed, while no payment is there', async () => {
  const { probe, clock, questions, state, changes, submit } = await opened(failing)
  await probe()
  expect(questions).toHaveLength(0)
  clock.advance(restMs)
  const probing = probe()
  await probe()
  expect(questions).toHaveLength(1)
  expect(await submit()).toMatchObject(heldBack)
  questions[0]?.resolve(known)
  await probing
  expect([state(), changes]).toEqual(['closed', ['payout open', 'payout closed']])
  expect(await submit()).toEqual(succeeded)
})

it.each([
  [
    'is not well',
    (question: PromiseWithResolvers<Balance>) => question.resolve({ kind: 'unavailable', detail: 'down' }),
  ],
  ['breaks its promise', (question: PromiseWithResolvers<Balance>) => question.reject(new Error('socket hang up'))],
])('rests again when the rail %s', async (_what, answer) => {
  const { probe, clock, submit, questions, payout, state } = await opened(failing)
  clock.advance(restMs)
  const probing = probe()
  for (const question of questions) answer(question)
  await probing
  expect(state()).toBe('open')
  expect(await submit()).toMatchObject(heldBack)
  expect([questions.length, timesOf(payout).length]).toEqual([1, 5])
})

it('is one call for all ports of a rail, and a rail that tells no balance needs none', async () => {
  const momo = { submitLeaseMs: 1_000, submit: async () => unreached, status: async () => unreached }
  const both = await opened(failing, { momoPayout: momo })
  const order = createOrderMaker(both.clock).collection('+2348030000000')
  for (let count = 0; count < 5; count++) await both.rail.momoPayout?.submit(order)
  both.clock.advance(restMs)
  const probing = both.probe()
  for (const question of both.questions) question.resolve(known)
  await probing
  expect([both.questions.length, both.state(), both.changes.at(-1)]).toEqual([1, 'closed', 'momoPayout closed'])
  const without = await opened(failing)
  const silent = guardRail({ name: 'silent', momoPayout: momo }, without.clock)
  for (let count = 0; count < 5; count++) await silent.rail.momoPayout?.submit(order)
  without.clock.advance(restMs)
  await silent.probe()
  expect(silent.state('momoPayout')).toBe('closed')
})

it.each<[string, PayoutState[], string]>([
  [
    'five payees are refused in words of no list',
    Array.from({ length: 5 }, () => ({ ...unknown, why: 'refused' as const })),
    '5 payees in a row were refused: no answer',
  ],
  ['its provider refuses us', [{ ...unknown, sent: false, why: 'misconfigured' }], 'no answer'],
  [
    'it asks for a code, although the payment may be there',
    [{ kind: 'unknown', detail: 'transfer: waits for a code; switch off OTP', why: 'misconfigured' }],
    'transfer: waits for a code; switch off OTP',
  ],
])('hands over one payment when %s, and the others when that one is accepted', async (_which, answers, detail) => {
  const { probe, clock, submit, questions, payout, state, opening } = await opened(answers)
  expect(opening('payout')).toMatchObject({ cause: 'misconfigured', detail })
  clock.advance(restMs)
  const probing = probe()
  questions[0]?.resolve(known)
  await probing
  expect(state()).toBe('half-open')
  const answer = Promise.withResolvers<PayoutState>()
  payout.onSubmit = () => answer.promise
  const trying = submit()
  expect(await submit()).toMatchObject(heldBack)
  answer.resolve(succeeded)
  await trying
  expect([state(), opening('payout')]).toEqual(['closed', undefined])
})

it('learns nothing from its own limit of calls', async () => {
  const clock = createFakeClock()
  const payout = createScriptedPayout(clock)
  const guarded = guardRail({ name: 'bank', payout }, clock)
  payout.onSubmit = () => ({ ...unreached, askAgainAfterMs: 1_000 })
  for (let count = 0; count < 30; count++)
    await guarded.rail.payout?.submit(createOrderMaker(clock).payout('0123456789'))
  expect([guarded.state('payout'), payout.asked.length]).toEqual(['closed', 30])
})

/** A rail with two operators, whose answer a test gives by the operator. */
function newWallets(answerTo: (operator: string, phoneNumber: string) => MomoPayoutState) {
  const clock = createFakeClock()
  const submit = ({ operator, phoneNumber }: MomoOrder) => Promise.resolve(answerTo(operator.slug, phoneNumber))
  const momoPayout = { submitLeaseMs: 1_000, submit, status: submit }
  const changes: string[] = []
  const guarded = guardRail({ name: 'wallets', momoPayout }, clock, (port, operator = 'all') => {
    changes.push(`${port} ${operator}`)
  })
  const orders = createOrderMaker(clock)
  let payees = 0
  const pay = (slug: string): Promise<MomoPayoutState> | undefined => {
    const operator = present(findOperator(slug), 'it is in the directory')
    const order = orders.collection(`+2332000${String((payees += 1)).padStart(5, '0')}`)
    return guarded.rail.momoPayout?.submit({ ...order, operator })
  }
  return { ...guarded, clock, pay, changes }
}

const paid = { kind: 'succeeded' as const, operatorReference: null }
const refusedUs: MomoPayoutState = { kind: 'unknown', detail: 'no such operator', sent: false, why: 'misconfigured' }

it('holds back the payments of an operator that its provider refuses, and no others, until one is accepted', async () => {
  let answer: MomoPayoutState = { ...refusedUs, concerns: 'operator' }
  const wallets = newWallets((slug) => (slug === 'mtn-gh' ? answer : paid))
  await wallets.pay('mtn-gh')
  expect(await wallets.pay('mtn-gh')).toMatchObject(heldBack)
  expect(await wallets.pay('mpesa-ke')).toEqual(paid)
  expect(['mtn-gh', 'mpesa-ke', undefined].map((slug) => wallets.isWell('momoPayout', slug))).toEqual([
    false,
    true,
    true,
  ])
  expect(wallets.state('momoPayout')).toBe('closed')
  expect(wallets.ofOperators()).toMatchObject([{ port: 'momoPayout', operator: 'mtn-gh', state: 'open' }])
  answer = paid
  wallets.clock.advance(restMs)
  await wallets.probe()
  expect(await wallets.pay('mtn-gh')).toEqual(paid)
  expect([wallets.ofOperators(), wallets.changes]).toEqual([[], ['momoPayout mtn-gh', 'momoPayout mtn-gh']])
})

it('takes refusals of payees of one operator for its fault, and those of several for the rail', async () => {
  const refused: MomoPayoutState = { kind: 'unknown', detail: 'refused with X', why: 'refused' }
  const one = newWallets((slug) => (slug === 'mtn-gh' ? refused : paid))
  for (let count = 0; count < 5; count++) await one.pay('mtn-gh')
  expect([one.state('momoPayout'), one.isWell('momoPayout', 'mtn-gh')]).toEqual(['closed', false])
  expect(await one.pay('mpesa-ke')).toEqual(paid)
  const several = newWallets(() => refused)
  for (const slug of ['mtn-gh', 'mpesa-ke', 'mtn-gh', 'mpesa-ke', 'mtn-gh']) await several.pay(slug)
  expect([several.state('momoPayout'), several.ofOperators()]).toEqual(['open', []])
})

it('is refused as a whole when the provider refuses our account', async () => {
  const wallets = newWallets(() => refusedUs)
  await wallets.pay('mtn-gh')
  expect(await wallets.pay('mpesa-ke')).toMatchObject(heldBack)
  expect([wallets.state('momoPayout'), wallets.ofOperators()]).toEqual(['open', []])
  wallets.reset()
  expect(wallets.state('momoPayout')).toBe('closed')
})
