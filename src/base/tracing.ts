// Traces. Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set (app.ts). A trace begins with a caller's request or is that of
// its traceparent. Where the request stands in it is noted with the payment or the event that it leads to, so that whichever
// process goes on with them goes on with the trace, and rails and receivers are told.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReceivedSpan, Tracing } from './context.ts'
import type { Metrics } from './metrics.ts'
import { createSpanQueue, type Span, type SpanQueue, type SpanQueueOptions } from './spans.ts'
import {
  nextContext,
  parseTraceparent,
  parseTraceText,
  traceHeadersOf,
  traceTextOf,
  type SpanContext,
} from './traceparent.ts'

export type TracingOptions = Omit<SpanQueueOptions, 'onDropped'> & { metrics: Metrics }

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
      // Not what happens to go on: a batch is carried by whoever came first.
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

type End = Parameters<ReceivedSpan['end']>[0]

function begin(
  queue: SpanQueue,
  kind: Span['kind'],
  parent: SpanContext | undefined,
): ((outcome: End) => void) & { context: SpanContext } {
  const context = nextContext(parent)
  const startedAtMs = nowMs()
  const end = (outcome: End): void => {
    if (!context.sampled) return
    queue.add({ ...context, parentSpanId: parent?.spanId, kind, ...outcome, startedAtMs, endedAtMs: nowMs() })
  }
  return Object.assign(end, { context })
}

/** Finer than a clock of milliseconds, and it never goes back. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
