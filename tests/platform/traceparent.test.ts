import { describe, expect, it } from 'vitest'
import {
  nextContext,
  parseTraceparent,
  parseTraceText,
  traceHeadersOf,
  traceTextOf,
} from '#platform/observability/tracing.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('traceparent', () => {
  it('is parsed, and the next context is in the same trace', () => {
    const parent = parseTraceparent(`00-${traceId}-${spanId}-01`)
    expect(parent).toEqual({ traceId, spanId, sampled: true, state: '' })
    const next = nextContext(parent)
    expect(next).toMatchObject({ traceId, sampled: true })
    expect(next.spanId).not.toBe(spanId)
    expect(parseTraceText(traceTextOf(next))).toEqual(next)
    expect(traceHeadersOf(next)).toEqual({ traceparent: traceTextOf(next) })
  })

  it('says that it is not recorded', () => {
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

describe('tracestate', () => {
  const traceparent = `00-${traceId}-${spanId}-01`
  const longest = `a=${'x'.repeat(254)},b=${'y'.repeat(253)}`

  it.each([
    'congo=t61rcWkgMzE',
    'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE',
    'ab12@vendor=a value',
    'a=1,,b=2',
    longest,
  ])('%s is handed on as it came, on the wire and in a row', (state) => {
    const next = nextContext(parseTraceparent(traceparent, state))
    expect(traceHeadersOf(next)).toMatchObject({ tracestate: state })
    expect(parseTraceText(traceTextOf(next))).toEqual(next)
  })

  it.each(['nonsense', 'A=1', 'a=b=c', 'a=\u0000', 'a=é', `${longest},c=1`])(
    '%j is none, which does not harm the trace',
    (state) => {
      expect(parseTraceparent(traceparent, state)).toEqual({ traceId, spanId, sampled: true, state: '' })
    },
  )

  it('is nothing without a traceparent', () => {
    expect(parseTraceparent(undefined, 'a=1')).toBeUndefined()
    expect(nextContext(undefined).state).toBe('')
  })
})
