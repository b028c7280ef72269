// Traces. Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set (app.ts). A trace begins with a caller's request or is that of
// its traceparent; what a payment or a deposit leads to in this process belongs to it, and rails and receivers are told.
//
// What is remembered of a request is in this process alone: a delivery that another process sends begins a trace of its own.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReceivedSpan, Tracing } from './context.ts'
import type { Metrics } from './metrics.ts'
import { createSpanQueue, type Span, type SpanQueue } from './spans.ts'
import { nextContext, parseTraceparent, traceparentOf, type SpanContext } from './traceparent.ts'

export type TracingOptions = { endpoint: string; metrics: Metrics; everyMs?: number }

/** The references of a few minutes, on a busy day. */
const rememberedMax = 50_000

export function createTracing({ endpoint, metrics, everyMs }: TracingOptions): Tracing {
  const queue = createSpanQueue({ endpoint, everyMs, onDropped: (spans) => metrics.spansDropped.inc(spans) })
  const inside = new AsyncLocalStorage<SpanContext>()
  const remembered = new Map<string, SpanContext>()

  function remember(about: string, context: SpanContext): void {
    remembered.delete(about)
    if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value ?? '')
    remembered.set(about, context)
  }

  return {
    receive: (traceparent) => receive(queue, parseTraceparent(traceparent), { inside, remember }),
    async follow({ name, about, attributes }, work) {
      // Not what happens to go on: a batch is carried by whoever came first.
      const parent = remembered.get(about)
      const end = begin(queue, 'client', parent)
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
      return context === undefined ? undefined : traceparentOf(context)
    },
    close: () => queue.close(),
  }
}

type Here = { inside: AsyncLocalStorage<SpanContext>; remember: (about: string, context: SpanContext) => void }

function receive(queue: SpanQueue, parent: SpanContext | undefined, { inside, remember }: Here): ReceivedSpan {
  const end = begin(queue, 'server', parent)
  return {
    run: (work) => inside.run(end.context, work),
    remember: (about) => remember(about, end.context),
    end,
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
