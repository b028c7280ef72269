import { describe, expect, it } from 'vitest'
import {
  codeAt,
  hashOfRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  stepOfCode,
  textOfTotpSecret,
  totpUri,
} from '#users/factor-codes.ts'
import { bytesOf } from './room.ts'

const rfcSecret = Buffer.from('12345678901234567890')

describe('codes', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(codeAt(rfcSecret, Math.floor(seconds / 30))).toBe(code)
  })

  it('are accepted one step early or late, and not two', () => {
    const nowMs = 1_000 * 30_000
    const stepsOf = (...offs: number[]) =>
      offs.map((off) => stepOfCode(rfcSecret, codeAt(rfcSecret, 1_000 + off), nowMs, 0n))
    expect(stepsOf(-2, -1, 0, 1, 2)).toEqual([undefined, 999, 1_000, 1_001, undefined])
  })

  it('are refused for a step that was used, and for earlier ones', () => {
    const at = (off: number, last: bigint) => stepOfCode(rfcSecret, codeAt(rfcSecret, 1_000 + off), 30_000_000, last)
    expect([at(0, 1_000n), at(-1, 1_000n), at(1, 1_000n)]).toEqual([undefined, undefined, 1_001])
  })

  it.each(['', '12345', '1234567', '28708２'])('have six digits: %j is refused', (code) => {
    expect(stepOfCode(rfcSecret, code, 59_000, 0n)).toBeUndefined()
  })
})

describe('a secret', () => {
  it('is 20 random bytes, in the letters that apps read', () => {
    const secret = newTotpSecret()
    expect(secret).toHaveLength(20)
    expect(bytesOf(textOfTotpSecret(secret))).toEqual(secret)
    expect(textOfTotpSecret(Buffer.from('Hello!\xDE\xAD\xBE\xEF', 'latin1'))).toBe('JBSWY3DPEHPK3PXP')
  })

  it('is part of the QR code', () => {
    const uri = new URL(totpUri(rfcSecret, 'ada+1@example.com'))
    expect([uri.protocol, uri.host, uri.pathname]).toEqual(['otpauth:', 'totp', '/Manilla:ada%2B1%40example.com'])
    expect(Object.fromEntries(uri.searchParams)).toEqual({ issuer: 'Manilla', secret: textOfTotpSecret(rfcSecret) })
  })
})

it('recovery codes are ten, all different, and found however they are typed', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes.map(({ text }) => text)).size).toBe(10)
  for (const { text, hash } of codes) {
    expect(text).toMatch(/^([0-9a-z]{4}-){3}[0-9a-z]{4}$/)
    expect(hashOfRecoveryCode(` ${text.toUpperCase().replaceAll('-', ' ')} `)).toEqual(hash)
  }
})
