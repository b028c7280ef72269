import { describe, expect, it } from 'vitest'
import { sessionIdOf } from '#rails/nip.ts'
import { bankFailureReasons } from '#rails/rail.ts'
import { nipCodes, nipOutcome } from '#tests/support/nip-codes.ts'

describe('NIP response codes', () => {
  it('00 alone is success, on a submission and on a status query', () => {
    for (const heardOn of ['submit', 'status'] as const) {
      const successes = [...nipCodes.keys()].filter((code) => nipOutcome(code, heardOn).kind === 'succeeded')
      expect(successes).toEqual(['00'])
    }
  })

  it.each(['01', '02', '09', '25', '26', '68', '94', '96', '97', '98'])('%s never fails a transfer', (code) => {
    expect(nipOutcome(code, 'submit').kind).toBe('unknown')
    expect(nipOutcome(code, 'status').kind).toBe('unknown')
  })

  it.each([
    ['34', 'SUSPECTED_FRAUD'],
    ['35', 'ACCOUNT_RESTRICTED'],
    ['63', 'SUSPECTED_FRAUD'],
    ['91', 'BANK_UNAVAILABLE'],
  ])('%s fails a transfer (%s) only when a status query confirms it', (code, reason) => {
    expect(nipOutcome(code, 'submit').kind).toBe('unknown')
    expect(nipOutcome(code, 'status')).toEqual({ kind: 'failed', reason })
  })

  it.each([
    ['03', 'PROVIDER_ERROR'],
    ['05', 'DO_NOT_HONOR'],
    ['06', 'DORMANT_ACCOUNT'],
    ['07', 'INVALID_ACCOUNT'],
    ['08', 'ACCOUNT_NAME_MISMATCH'],
    ['12', 'INVALID_TRANSACTION'],
    ['13', 'INVALID_TRANSACTION'],
    ['16', 'BANK_NOT_FOUND'],
    ['51', 'INSUFFICIENT_BALANCE'],
    ['57', 'INVALID_TRANSACTION'],
    ['61', 'LIMIT_EXCEEDED'],
    ['65', 'LIMIT_EXCEEDED'],
    ['99', 'PROVIDER_ERROR'],
  ])('%s fails a transfer with %s at once', (code, reason) => {
    expect(nipOutcome(code, 'submit')).toEqual({ kind: 'failed', reason })
    expect(nipOutcome(code, 'status')).toEqual({ kind: 'failed', reason })
  })

  it.each(['', '0', '000', '7', '10', '95', 'XX', '00 ', null, undefined])(
    '%j, which no list has, is unknown',
    (code) => {
      expect(nipOutcome(code, 'submit').kind).toBe('unknown')
      expect(nipOutcome(code, 'status').kind).toBe('unknown')
    },
  )

  it('fails only with reasons that callers know', () => {
    const known: readonly string[] = ['succeeded', 'unknown', ...bankFailureReasons]
    for (const { onSubmit, onStatus } of nipCodes.values())
      expect(known).toEqual(expect.arrayContaining([onSubmit, onStatus]))
  })
})

describe('a session id', () => {
  it('is the sender, the time in Lagos and twelve digits of the sender, thirty in all', () => {
    const atMs = Date.parse('2026-12-31T23:00:05.678Z')
    expect(sessionIdOf({ sender: '000013', atMs, digits: '000000000042' })).toBe('000013270101000005000000000042')
  })
})
