// The header by which companies follow one request (https://www.w3.org/TR/trace-context/): version, trace, span, flags.

import { randomBytes } from 'node:crypto'

export type SpanContext = { traceId: string; spanId: string; sampled: boolean }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const longest = 256

/** Undefined for what is none: then a trace begins here. A later version may have more behind what this one knows. */
export function parseTraceparent(unchecked: string | undefined): SpanContext | undefined {
  if (unchecked === undefined || unchecked.length > longest) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', more] = form.exec(unchecked) ?? []
  const known = version !== '' && version !== 'ff' && (version !== '00' || more === undefined)
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function traceparentOf({ traceId, spanId, sampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** Below `parent`, in its trace; the first of a new one without. */
export function nextContext(parent: SpanContext | undefined): SpanContext {
  const spanId = randomBytes(8).toString('hex')
  return parent === undefined
    ? { traceId: randomBytes(16).toString('hex'), spanId, sampled: true }
    : { ...parent, spanId }
}
