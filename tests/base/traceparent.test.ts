import { describe, expect, it } from 'vitest'
import { nextContext, parseTraceparent, traceparentOf } from '#base/traceparent.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('traceparent', () => {
  it('is read, and what comes next is in the same trace', () => {
    const parent = parseTraceparent(`00-${traceId}-${spanId}-01`)
    expect(parent).toEqual({ traceId, spanId, sampled: true })
    const next = nextContext(parent)
    expect(next).toMatchObject({ traceId, sampled: true })
    expect(next.spanId).not.toBe(spanId)
    expect(parseTraceparent(traceparentOf(next))).toEqual(next)
  })

  it('says that nobody records it', () => {
    expect(nextContext(parseTraceparent(`00-${traceId}-${spanId}-00`)).sampled).toBe(false)
  })

  it('of a later version may be longer', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)).toMatchObject({ traceId })
  })

  it.each([
    '',
    'nonsense',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `01-${traceId}-${spanId}-01-${'x'.repeat(300)}`,
  ])('%j is none, and a trace begins here', (text) => {
    expect(parseTraceparent(text)).toBeUndefined()
    expect(nextContext(parseTraceparent(text)).traceId).toMatch(/^[0-9a-f]{32}$/)
  })
})
