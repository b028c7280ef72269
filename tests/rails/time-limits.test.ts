// A rail that breaks its promise to end every call.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { present } from '#platform/assert.ts'
import type { Rail } from '#rails/rail.ts'
import { answerMsMax, submitSlackMs, withTimeLimits, type EndedCall, type LateCall } from '#rails/time-limits.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createOrderMaker } from './orders.ts'

const orders = createOrderMaker(createFakeClock())
const payout = orders.payout('0123456789')
const wallet = orders.collection('+2348030000000')
const submitLeaseMs = 3_000
const never = (): Promise<never> => new Promise(() => undefined)
const hanging = { submitLeaseMs, submit: never, status: never }
const hangs: Rail = {
  name: 'hangs',
  payout: hanging,
  momoPayout: hanging,
  momoCollection: { ...hanging, approval: () => ({ kind: 'handset' }), submitOtp: never },
  virtualAccounts: {
    defaultBankSlug: 'wema-bank',
    createStatic: never,
    createDynamic: never,
    close: never,
    offered: never,
  },
  float: { balance: never },
}
let late: LateCall[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  late = []
})
afterEach(() => vi.useRealTimers())

type Limited = Required<Pick<Rail, 'name' | 'payout' | 'momoPayout' | 'momoCollection' | 'virtualAccounts' | 'float'>>

const limited = (rail: Rail): Limited => withTimeLimits(rail, (call) => late.push(call)) as Limited

const calls: [string, LateCall['call'], number, (rail: Limited) => Promise<{ kind: string }>, string][] = [
  ['a payout', 'submit', submitLeaseMs + submitSlackMs, (rail) => rail.payout.submit(payout), 'unknown'],
  ['what became of a payout', 'status', answerMsMax, (rail) => rail.payout.status(payout), 'unknown'],
  ['a transfer', 'submit', submitLeaseMs + submitSlackMs, (rail) => rail.momoPayout.submit(wallet), 'unknown'],
  ['what became of a transfer', 'status', answerMsMax, (rail) => rail.momoPayout.status(wallet), 'unknown'],
  ['a collection', 'submit', submitLeaseMs + submitSlackMs, (rail) => rail.momoCollection.submit(wallet), 'unknown'],
  ['what became of a collection', 'status', answerMsMax, (rail) => rail.momoCollection.status(wallet), 'unknown'],
  ['a code', 'code', answerMsMax, (rail) => rail.momoCollection.submitOtp(wallet, '123456'), 'unknown'],
  ['a static account', 'account', answerMsMax, createStatic, 'unavailable'],
  ['a dynamic account', 'account', answerMsMax, createDynamic, 'unavailable'],
  ['the end of an account', 'account', answerMsMax, closeAccount, 'unavailable'],
  ['where accounts are offered', 'account', answerMsMax, askOffered, 'unavailable'],
  ['a balance', 'balance', answerMsMax, (rail) => rail.float.balance(), 'unavailable'],
]

function createStatic({ virtualAccounts }: Limited) {
  return virtualAccounts.createStatic(orders.staticAccount())
}

function createDynamic({ virtualAccounts }: Limited) {
  return virtualAccounts.createDynamic(orders.dynamicAccount())
}

function askOffered({ virtualAccounts }: Limited) {
  return present(virtualAccounts.offered, 'the rail tells where')()
}

function closeAccount({ virtualAccounts }: Limited) {
  return virtualAccounts.close({ railReference: payout.railReference, accountNumber: '0123456789', handle: null })
}

describe('a call that ended', () => {
  it('is counted with its result: an answer, or none in time', async () => {
    const ended: EndedCall[] = []
    const answers: Rail = { ...hangs, payout: { ...hanging, status: () => Promise.resolve({ kind: 'pending' }) } }
    const rail = withTimeLimits(
      answers,
      () => undefined,
      (call) => ended.push(call),
    ) as Limited
    await rail.payout.status(payout)
    const asked = rail.payout.submit(payout)
    await vi.advanceTimersByTimeAsync(submitLeaseMs + submitSlackMs)
    await asked
    expect(ended).toEqual([
      { rail: rail.name, call: 'status', outcome: 'pending', seconds: expect.any(Number) },
      { rail: rail.name, call: 'submit', outcome: 'late', seconds: expect.any(Number) },
    ])
  })
})

describe('a rail that never answers', () => {
  it.each(calls)('counts as unanswered after its time: %s', async (_what, call, limitMs, ask, kind) => {
    let answer: { kind: string } | undefined
    const asked = ask(limited(hangs)).then((given) => (answer = given))
    await vi.advanceTimersByTimeAsync(limitMs - 1)
    expect(answer).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await asked
    expect(answer).toEqual({ kind, detail: 'the rail did not answer in time' })
    expect(late).toEqual([{ rail: 'hangs', call }])
  })
})

describe('a rail within its time', () => {
  it('passes its answer on, leaves no timer behind and is not counted', async () => {
    const submit = (): Promise<{ kind: 'pending' }> => Promise.resolve({ kind: 'pending' })
    const rail = limited({ ...hangs, payout: { ...hanging, submit } })
    expect(await rail.payout.submit(payout)).toEqual({ kind: 'pending' })
    expect(vi.getTimerCount()).toBe(0)
    expect(late).toEqual([])
  })

  it('that throws, throws', async () => {
    const submit = (): Promise<never> => Promise.reject(new Error('a bug of the rail'))
    const rail = limited({ ...hangs, payout: { ...hanging, submit } })
    await expect(rail.payout.submit(payout)).rejects.toThrow('a bug of the rail')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps its name, its other ports and the facts that need no call', () => {
    const resolve = never
    const rail = withTimeLimits({ ...hangs, bankDirectory: { resolve } }, () => undefined)
    expect(rail).toMatchObject({ name: 'hangs', bankDirectory: { resolve }, payout: { submitLeaseMs } })
    expect(rail.momoCollection?.approval(wallet)).toEqual({ kind: 'handset' })
    expect(rail.virtualAccounts?.defaultBankSlug).toBe('wema-bank')
    const { offered: _, ...silent } = present(hangs.virtualAccounts, 'the rail opens accounts')
    expect(limited({ ...hangs, virtualAccounts: silent }).virtualAccounts).not.toHaveProperty('offered')
    expect(Object.keys(withTimeLimits({ name: 'empty' }, () => undefined))).toEqual(['name'])
  })
})
