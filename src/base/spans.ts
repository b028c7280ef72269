// Spans on their way to a collector: OTLP over HTTP, as JSON. They are gathered, sent many at once, and dropped and counted
// when the collector does not take them; nothing else waits for it.

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { within } from './clock.ts'
import type { SpanContext } from './traceparent.ts'

export type Span = SpanContext & {
  parentSpanId: string | undefined
  kind: 'server' | 'client'
  name: string
  attributes: Record<string, string | number>
  failed: boolean
  startedAtMs: number
  endedAtMs: number
}

export type SpanQueue = { add(span: Span): void; close(): Promise<void> }

export type SpanQueueOptions = {
  endpoint: string
  /** For the collector, a key among them. */
  headers?: Record<string, string> | undefined
  onDropped: (spans: number) => void
  everyMs?: number | undefined
}

const everyMsUsual = 2_000
const spansPerRequestMax = 512
/** About 10 MB. */
const spansWaitingMax = 8_192
const requestMsMax = 5_000
const closeMsMax = 2_000

export function createSpanQueue({
  endpoint,
  headers = {},
  onDropped,
  everyMs = everyMsUsual,
}: SpanQueueOptions): SpanQueue {
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/v1/traces`)
  const waiting: Span[] = []
  let sending: Promise<void> | undefined

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, spansPerRequestMax)
      const status = await post(url, headers, JSON.stringify(documentOf(batch)))
      if (status >= 200 && status < 300) continue
      onDropped(batch.length)
      return // It is tried again when the next ones are due.
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
      await within(closeMsMax, flush().then(flush))
      if (waiting.length > 0) onDropped(waiting.length)
    },
  }
}

/** Resolves with the status, 0 when there was none. */
function post(url: URL, given: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = { ...given, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const asking = send(url, { method: 'POST', headers, timeout: requestMsMax }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(0))
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(0))
    asking.end(body)
  })
}

const kinds = { server: 2, client: 3 }
const failedCode = 2

function documentOf(spans: Span[]): object {
  const attributes = attributesOf({ 'service.name': 'manilla' })
  const scopeSpans = [{ scope: { name: 'manilla' }, spans: spans.map(wireOf) }]
  return { resourceSpans: [{ resource: { attributes }, scopeSpans }] }
}

function wireOf(span: Span): object {
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

/** Beyond what a double carries. */
function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}
