// The headers by which companies follow one request (https://www.w3.org/TR/trace-context/): `traceparent` is version, trace,
// span and flags; `tracestate` is what tracing systems say to each other, and is handed on as it came.

import { randomBytes } from 'node:crypto'

export type SpanContext = { traceId: string; spanId: string; sampled: boolean; state: string }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const longest = 256
/** What the recommendation asks everybody to hand on at least. */
const stateLongest = 512
const stateMember = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,256}$/

/** Undefined for what is none: then a trace begins here. A later version may have more behind what this one knows. */
export function parseTraceparent(unchecked: unknown, uncheckedState?: unknown): SpanContext | undefined {
  if (typeof unchecked !== 'string' || unchecked.length > longest) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', more] = form.exec(unchecked) ?? []
  const known = version !== '' && version !== 'ff' && (version !== '00' || more === undefined)
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, sampled, state: parseTracestate(uncheckedState) }
}

/** Empty for what is none, without harm to the trace. */
function parseTracestate(unchecked: unknown): string {
  if (typeof unchecked !== 'string' || unchecked.length > stateLongest) return ''
  const members = unchecked.split(',').map((member) => member.trim())
  return members.every((member) => member === '' || stateMember.test(member)) ? unchecked.trim() : ''
}

export function traceHeadersOf(context: SpanContext): Record<string, string> {
  const traceparent = traceparentOf(context)
  return context.state === '' ? { traceparent } : { traceparent, tracestate: context.state }
}

function traceparentOf({ traceId, spanId, sampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

/** Both in one line, to be kept with a payment or an event. */
export function traceTextOf(context: SpanContext): string {
  return `${traceparentOf(context)} ${context.state}`.trimEnd()
}

export function parseTraceText(text: string | null): SpanContext | undefined {
  if (text === null) return undefined
  const [traceparent, ...state] = text.split(' ')
  return parseTraceparent(traceparent, state.join(' '))
}

/** Below `parent`, in its trace; the first of a new one without. */
export function nextContext(parent: SpanContext | undefined): SpanContext {
  const spanId = randomBytes(8).toString('hex')
  return parent === undefined
    ? { traceId: randomBytes(16).toString('hex'), spanId, sampled: true, state: '' }
    : { ...parent, spanId }
}
