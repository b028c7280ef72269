// Traces that follow a request across companies (https://www.w3.org/TR/trace-context/). Their spans are sent to a
// collector. This module is loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set (app.ts). A trace begins with the request
// of a caller or continues the `traceparent` of that request, with the caller's decision whether it is sampled; a trace
// that begins here always is. The context is stored with the payment or event that the request creates, so that any
// process continues the trace. Rails and webhook receivers get the context.
//
// The header `traceparent` is version, trace, span and flags; `tracestate` is vendor data, which is passed on
// unchanged.

import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AsyncLocalStorage } from 'node:async_hooks'
import { finishesWithin } from '#platform/concurrency.ts'
import type { ReceivedSpan, Tracing } from '#platform/context.ts'
import type { Metrics } from './metrics.ts'

type SpanContext = { traceId: string; spanId: string; sampled: boolean; state: string }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const traceparentCharactersMax = 256
/** The W3C recommendation asks to pass on at least this much. */
const tracestateCharactersMax = 512
const stateMember = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,256}$/

/** Undefined if the header is invalid; then a new trace begins. Ignores the further fields of a later version. */
export function parseTraceparent(unchecked: unknown, uncheckedState?: unknown): SpanContext | undefined {
  if (typeof unchecked !== 'string' || unchecked.length > traceparentCharactersMax) return undefined
  const [, version = '', traceId = '', spanId = '', flags = '', more] = form.exec(unchecked) ?? []
  const known = version !== '' && version !== 'ff' && (version !== '00' || more === undefined)
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, sampled, state: parseTracestate(uncheckedState) }
}

/** Empty if the header is invalid; the trace goes on without it. */
function parseTracestate(unchecked: unknown): string {
  if (typeof unchecked !== 'string' || unchecked.length > tracestateCharactersMax) return ''
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

export function traceTextOf(context: SpanContext): string {
  return `${traceparentOf(context)} ${context.state}`.trimEnd()
}

export function parseTraceText(text: string | null): SpanContext | undefined {
  if (text === null) return undefined
  const [traceparent, ...state] = text.split(' ')
  return parseTraceparent(traceparent, state.join(' '))
}

export function nextContext(parent: SpanContext | undefined): SpanContext {
  const spanId = randomBytes(8).toString('hex')
  return parent === undefined
    ? { traceId: randomBytes(16).toString('hex'), spanId, sampled: true, state: '' }
    : { ...parent, spanId }
}

// Queues spans for a collector: OTLP over HTTP, as JSON. Spans that the collector does not accept are dropped and
// counted. No request and no payment waits for the collector.

type EndedSpan = SpanContext & {
  parentSpanId: string | undefined
  kind: 'server' | 'client'
  name: string
  attributes: Record<string, string | number>
  failed: boolean
  startedAtMs: number
  endedAtMs: number
}

type SpanQueue = { add(span: EndedSpan): void; close(): Promise<void> }

type SpanQueueOptions = {
  endpoint: string
  headers?: Record<string, string> | undefined
  onDropped: (spans: number) => void
  everyMs?: number | undefined
  requestMs?: number | undefined
}

const everyMsUsual = 2_000
const spansPerRequestMax = 512
/** About 10 MB. */
const spansWaitingMax = 8_192
/** One request is under way at a time, so a slow one delays the others. */
const requestMsMax = 5_000
const closeMsMax = 2_000

function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { endpoint, headers = {}, onDropped, everyMs = everyMsUsual, requestMs = requestMsMax } = options
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/v1/traces`)
  const waiting: EndedSpan[] = []
  let sending: Promise<void> | undefined

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, spansPerRequestMax)
      const status = await post(url, { headers, requestMs }, JSON.stringify(documentOf(batch)))
      if (status >= 200 && status < 300) continue
      onDropped(batch.length)
      return
    }
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => (sending = undefined))
    return sending
  }

  const timer = setInterval(() => void flush(), everyMs)
  timer.unref()
  return {
    add(span) {
      if (waiting.length >= spansWaitingMax) return onDropped(1)
      waiting.push(span)
      if (waiting.length === spansPerRequestMax) void flush()
    },
    async close() {
      clearInterval(timer)
      await finishesWithin(closeMsMax, flush().then(flush))
      if (waiting.length > 0) onDropped(waiting.length)
    },
  }
}

function post(url: URL, given: { headers: Record<string, string>; requestMs: number }, body: string): Promise<number> {
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const length = Buffer.byteLength(body)
    const headers = { ...given.headers, 'Content-Type': 'application/json', 'Content-Length': length }
    // The option `timeout` would limit only the silence between two bytes.
    const signal = AbortSignal.timeout(given.requestMs)
    const asking = send(url, { method: 'POST', headers, signal }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(0))
    })
    asking.on('error', () => resolve(0))
    asking.end(body)
  })
}

const kinds = { server: 2, client: 3 }
const failedCode = 2

function documentOf(spans: EndedSpan[]): object {
  const attributes = attributesOf({ 'service.name': 'manilla' })
  const scopeSpans = [{ scope: { name: 'manilla' }, spans: spans.map(wireOf) }]
  return { resourceSpans: [{ resource: { attributes }, scopeSpans }] }
}

function wireOf(span: EndedSpan): object {
  const { traceId, spanId, parentSpanId, kind, name, attributes, failed, startedAtMs, endedAtMs } = span
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanosOf(startedAtMs),
    endTimeUnixNano: nanosOf(endedAtMs),
    attributes: attributesOf(attributes),
    status: failed ? { code: failedCode } : {},
  }
}

function attributesOf(attributes: Record<string, string | number>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}

/** As text, because nanoseconds since 1970 exceed what a double holds exactly. */
function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

type TracingOptions = Omit<SpanQueueOptions, 'onDropped'> & { metrics: Metrics }

export function createTracing({ metrics, ...toCollector }: TracingOptions): Tracing {
  const queue = createSpanQueue({ ...toCollector, onDropped: (spans) => metrics.spansDropped.inc(spans) })
  const inside = new AsyncLocalStorage<SpanContext>()
  return {
    receive(uncheckedHeaders): ReceivedSpan {
      const { traceparent, tracestate } = uncheckedHeaders
      const end = begin(queue, 'server', parseTraceparent(traceparent, tracestate))
      return { run: (work) => inside.run(end.context, work), end }
    },
    async follow({ name, trace, attributes }, work) {
      // A batch runs in the trace context of its first caller, so the stored context must be used.
      const end = begin(queue, 'client', parseTraceText(trace))
      let failed = true
      try {
        const value = await inside.run(end.context, work)
        failed = false
        return value
      } finally {
        end({ name, attributes, failed })
      }
    },
    current() {
      const context = inside.getStore()
      return context === undefined ? undefined : traceTextOf(context)
    },
    headers() {
      const context = inside.getStore()
      return context === undefined ? undefined : traceHeadersOf(context)
    },
    close: () => queue.close(),
  }
}

type SpanEnd = Parameters<ReceivedSpan['end']>[0]

function begin(
  queue: SpanQueue,
  kind: EndedSpan['kind'],
  parent: SpanContext | undefined,
): ((outcome: SpanEnd) => void) & { context: SpanContext } {
  const context = nextContext(parent)
  const startedAtMs = nowMs()
  const end = (outcome: SpanEnd): void => {
    if (!context.sampled) return
    queue.add({ ...context, parentSpanId: parent?.spanId, kind, ...outcome, startedAtMs, endedAtMs: nowMs() })
  }
  return Object.assign(end, { context })
}

/** Milliseconds since 1970, with fractions, by the monotonic clock: a span never ends before it starts. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
