// The dependencies of every use case, and the actor for which it runs. They are passed as one of the first two
// arguments and never imported as a value.

import type { Clock } from './clock.ts'
import type { Db } from './db/db.ts'
import type { Uuid } from './ids.ts'
import type { Log } from './observability/log.ts'
import type { Metrics } from './observability/metrics.ts'

export type Context = {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  tracing?: Tracing | undefined
  /** True if a mail server is set. Otherwise no letter is written. */
  sendsMail?: boolean
  /** The actor of the work, unless a call names another one. */
  by: Actor
}

/** An operator at a terminal, a user of the dashboard, a program with an API key, or the service itself. */
export type Actor = {
  kind: 'terminal' | 'person' | 'key' | 'service'
  name: string
  address?: string | undefined
  /** Present for a user of the dashboard. */
  person?: PersonActing | undefined
}

export type PersonActing = {
  id: Uuid
  /** The role in the business at that time; absent if the action concerned no business. */
  role?: string | undefined
  /** The user agent of the browser. */
  device: string
  requestId: string
}

export const theService: Actor = { kind: 'service', name: 'manilla' }

export const environments = ['staging', 'production'] as const
export type Environment = (typeof environments)[number]

/** A business in one environment. All of its rows are in one lane, which never changes. */
export type Tenant = { lane: number; id: Uuid; environment: Environment }

/** The first columns of every row of a tenant. */
export type OfTenant = { lane: number; tenantId: Uuid }

/** Present if OTEL_EXPORTER_OTLP_ENDPOINT is set: W3C traces, which follow a request across companies. */
export type Tracing = {
  /** Starts the span of an incoming request from the headers of the caller. */
  receive(uncheckedHeaders: Record<string, unknown>): ReceivedSpan
  /** Runs work within the stored trace, or in a new one if none is stored. Requests that the work sends include it. */
  follow<T>(step: TraceStep, work: () => Promise<T>): Promise<T>
  /** The current trace context, to be stored with what the work creates. */
  current(): string | undefined
  /** The current trace context as headers of an outgoing request. */
  headers(): Record<string, string> | undefined
  /** Sends the remaining spans, within a short time limit. */
  close(): Promise<void>
}

type Attributes = Record<string, string | number>

type TraceStep = { name: string; trace: string | null; attributes: Attributes }

export type ReceivedSpan = {
  run<T>(work: () => T): T
  end(outcome: { name: string; attributes: Attributes; failed: boolean }): void
}

export function traceStep<T>(
  { tracing }: Pick<Context, 'tracing'>,
  step: TraceStep,
  work: () => Promise<T>,
): Promise<T> {
  return tracing === undefined ? work() : tracing.follow(step, work)
}

/** The current trace context for a row that is created now; null if tracing is off. */
export function traceOf({ tracing }: Pick<Context, 'tracing'>): string | null {
  return tracing?.current() ?? null
}
