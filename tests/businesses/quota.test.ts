import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQuotaCounter } from '#businesses/quota.ts'

const minuteMs = 60_000
const startMs = Date.parse('2026-01-15T09:30:00.000Z')

describe('a window', () => {
  it('is a minute of the clock, from its first millisecond to its last', () => {
    const quotas = createQuotaCounter({ limit: 2 })
    const resetAtSeconds = startMs / 1000 + 60
    expect(quotas.take('a', startMs)).toEqual({ limit: 2, remaining: 1, resetAtSeconds, exceeded: false })
    expect(quotas.take('a', startMs + minuteMs - 1)).toEqual({
      limit: 2,
      remaining: 0,
      resetAtSeconds,
      exceeded: false,
    })
    expect(quotas.take('a', startMs + minuteMs - 1)).toEqual({ limit: 2, remaining: 0, resetAtSeconds, exceeded: true })
    const next = { limit: 2, remaining: 1, resetAtSeconds: resetAtSeconds + 60, exceeded: false }
    expect(quotas.take('a', startMs + minuteMs)).toEqual(next)
  })

  it('counts each bucket for itself', () => {
    const quotas = createQuotaCounter({ limit: 1 })
    expect(quotas.take('a', startMs).exceeded).toBe(false)
    expect(quotas.take('b', startMs).exceeded).toBe(false)
    expect(quotas.take('a', startMs).exceeded).toBe(true)
  })

  it('is not changed by peek', () => {
    const quotas = createQuotaCounter({ limit: 1 })
    for (let look = 0; look < 5; look++)
      expect(quotas.peek('a', startMs)).toMatchObject({ remaining: 1, exceeded: false })
    quotas.take('a', startMs)
    expect(quotas.peek('a', startMs)).toMatchObject({ remaining: 0, exceeded: false })
    expect(quotas.peek('a', startMs + minuteMs)).toMatchObject({ remaining: 1 })
  })

  it('counts as a simple model does, for any requests', () => {
    const request = fc.record({ bucket: fc.constantFrom('a', 'b', 'c'), afterMs: fc.integer({ min: 0, max: 20_000 }) })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (requests, limit) => {
        const quotas = createQuotaCounter({ limit })
        const counts = new Map<string, number>()
        let nowMs = startMs
        for (const { bucket, afterMs } of requests) {
          nowMs += afterMs
          const window = `${bucket} ${new Date(nowMs).toISOString().slice(0, 16)}`
          const count = (counts.get(window) ?? 0) + 1
          counts.set(window, count)
          const { remaining, exceeded } = quotas.take(bucket, nowMs)
          expect({ remaining, exceeded }).toEqual({ remaining: Math.max(0, limit - count), exceeded: count > limit })
        }
      }),
    )
  })
})

describe('a counter with a limit of buckets', () => {
  it('lets new buckets above the limit share one, and earlier ones keep their own', () => {
    const quotas = createQuotaCounter({ limit: 2, bucketsMax: 3 })
    for (const bucket of ['a', 'b', 'c']) quotas.take(bucket, startMs)
    expect(quotas.take('d', startMs).exceeded).toBe(false)
    expect(quotas.take('e', startMs).exceeded).toBe(false)
    expect(quotas.peek('f', startMs)).toMatchObject({ remaining: 0 })
    expect(quotas.take('f', startMs).exceeded).toBe(true)
    expect(quotas.take('a', startMs).exceeded).toBe(false)
    expect(quotas.take('f', startMs + minuteMs).exceeded).toBe(false)
  })
})
