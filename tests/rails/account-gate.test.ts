// No call reaches a provider before its key is confirmed to belong to the rail's account.

import { describe, expect, it } from 'vitest'
import { accountGate, type AccountVerdict } from '#rails/account-gate.ts'
import { createFakeClock } from '#tests/support/clock.ts'

const minuteMs = 60_000
const confirmed: AccountVerdict = { kind: 'confirmed' }

/** A gate whose confirmations come in this order; the last one is repeated. */
function newGate(...verdicts: (AccountVerdict | Error)[]) {
  const clock = createFakeClock()
  const made: string[] = []
  let confirmations = 0
  const call = accountGate<string, { kind: 'answer' }>({
    call: (question) => {
      made.push(question)
      return Promise.resolve({ kind: 'answer' })
    },
    ask: () => Promise.resolve({ kind: 'none' }),
    confirm: () => {
      confirmations += 1
      const verdict = verdicts.length > 1 ? verdicts.shift() : verdicts[0]
      return verdict instanceof Error ? Promise.reject(verdict) : Promise.resolve(verdict ?? confirmed)
    },
    clock,
  })
  return { call, clock, made, confirmations: () => confirmations }
}

describe('a call to a provider', () => {
  it.each<[string, AccountVerdict | Error]>([
    ['does not answer', { kind: 'unknown', detail: 'balance: no answer' }],
    ['refuses us', { kind: 'unknown', detail: 'balance: refused us with 401', why: 'misconfigured' }],
    ['cannot be looked up', new Error('the database is away')],
  ])('is not made while the account %s, and is certain not to have left', async (_, verdict) => {
    const { call, made, confirmations } = newGate(verdict, confirmed)
    expect(await call('transfer')).toMatchObject({ kind: 'unknown', sent: false })
    expect(made).toEqual([])
    expect(await call('transfer')).toEqual({ kind: 'answer' })
    await call('verify')
    expect([made, confirmations()]).toEqual([['transfer', 'verify'], 2])
  })

  it('is not made to the account of another rail, which is looked at again after a minute', async () => {
    const { call, clock, made, confirmations } = newGate({ kind: 'other-account', why: 'its key belongs to another' })
    const refused = { kind: 'unknown', detail: 'its key belongs to another', sent: false, why: 'misconfigured' }
    expect(await call('transfer')).toEqual(refused)
    clock.advance(minuteMs - 1)
    expect(await call('transfer')).toEqual(refused)
    expect(confirmations()).toBe(1)
    clock.advance(1)
    expect(await call('transfer')).toEqual(refused)
    expect([made, confirmations()]).toEqual([[], 2])
  })

  it('is made to an account that nothing names yet, which is looked at again after an hour', async () => {
    const { call, clock, made, confirmations } = newGate({ kind: 'unnamed' }, { kind: 'other-account', why: 'named' })
    expect(await call('transfer')).toEqual({ kind: 'answer' })
    clock.advance(60 * minuteMs - 1)
    expect(await call('transfer')).toEqual({ kind: 'answer' })
    clock.advance(1)
    expect(await call('transfer')).toMatchObject({ kind: 'unknown', sent: false })
    expect([made, confirmations()]).toEqual([['transfer', 'transfer'], 2])
  })

  it('is refused for no longer because the database clock was set back by an hour', async () => {
    const { call, clock, confirmations } = newGate({ kind: 'other-account', why: 'its key belongs to another account' })
    await call('transfer')
    clock.set(-60 * minuteMs)
    clock.advance(minuteMs)
    await call('transfer')
    expect(confirmations()).toBe(2)
  })

  it('shares its confirmation with those that are made at the same time', async () => {
    const { call, made, confirmations } = newGate(confirmed)
    await Promise.all(['a', 'b', 'c'].map((question) => call(question)))
    expect([made, confirmations()]).toEqual([['a', 'b', 'c'], 1])
  })
})
