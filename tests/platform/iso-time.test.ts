import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoTime } from '#platform/clock.ts'

describe('the text of a time', () => {
  it('equals toISOString for any valid time', () => {
    const anyTime = fc.date({ noInvalidDate: true })
    const anyRecent = fc.date({ noInvalidDate: true, min: new Date('2026-01-01'), max: new Date('2036-01-01') })
    fc.assert(
      fc.property(fc.oneof(anyTime, anyRecent), (at) => {
        expect(isoTime(at)).toBe(at.toISOString())
        expect(isoTime(at)).toBe(at.toISOString())
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '2028-02-29T23:59:59.999Z',
    '+010000-01-01T00:00:00.000Z',
  ])('is right at the edge %s', (text) => {
    expect(isoTime(new Date(text))).toBe(text)
  })

  it('throws for an invalid time, also when it is formatted again', () => {
    const none = new Date(Number.NaN)
    expect(() => isoTime(none)).toThrow(RangeError)
    expect(() => isoTime(none)).toThrow(RangeError)
  })
})
