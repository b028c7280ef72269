import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { institutionCodeOf, isNuban, nubanCheckDigit } from '#rails/formats.ts'
import vectors from './fixtures/nuban-vectors.json' with { type: 'json' }

describe('NUBAN', () => {
  it.each(vectors.valid)('$accountNumber at $code is the number of serial $serial ($origin)', (vector) => {
    expect(institutionCodeOf(vector.code)).toBe(vector.sixDigitCode)
    expect(nubanCheckDigit(vector.sixDigitCode, vector.serial)).toBe(vector.checkDigit)
    expect(isNuban(vector.sixDigitCode, vector.accountNumber)).toBe(true)
  })

  it.each(vectors.providerSamples)('$accountNumber at $code, printed by a provider, passes: $passesCheck', (sample) => {
    expect(isNuban(institutionCodeOf(sample.code) ?? '', sample.accountNumber)).toBe(sample.passesCheck)
  })

  it('has exactly one right check digit for every serial', () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
    fc.assert(
      fc.property(digits(6), digits(9), (institution, serial) => {
        const right = Array.from({ length: 10 }, (_, digit) => `${serial}${digit}`).filter((number) =>
          isNuban(institution, number),
        )
        expect(right).toEqual([`${serial}${nubanCheckDigit(institution, serial)}`])
      }),
    )
  })

  it.each(['', '000000001', '00000000018', '000000001x', ' 000000018', '٠٠٠٠٠٠٠٠٠٠'])('%j is none', (text) => {
    expect(isNuban('000058', text)).toBe(false)
  })

  it.each(['', '58', '0058', '035A', 'MFB50094', '1000042'])('%j is no institution code', (code) => {
    expect(institutionCodeOf(code)).toBeUndefined()
  })
})
