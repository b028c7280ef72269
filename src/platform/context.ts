// The ground under a room: what every use case may reach, and for whom. Passed as the first two arguments, never
// imported as values.

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
  /** Whose acts these are, unless somebody else is named. */
  by: Actor
}

/** Who did something: somebody at a terminal or in the dashboard, a program with a key, or the service of itself. */
export type Actor = {
  kind: 'terminal' | 'person' | 'key' | 'service'
  name: string
  address?: string | undefined
  /** Of one in the dashboard. */
  person?: PersonActing | undefined
}

export type PersonActing = {
  id: Uuid
  /** What they were in the business then; absent where it concerned none. */
  role?: string | undefined
  /** As the browser calls itself. */
  device: string
  requestId: string
}

export const theService: Actor = { kind: 'service', name: 'manilla' }

export const environments = ['staging', 'production'] as const
export type Environment = (typeof environments)[number]

/** A business in one environment: the owner of every row. Its rows live in one lane, for ever. */
export type Tenant = { lane: number; id: Uuid; environment: Environment }

/** What each row of a tenant begins with. */
export type OfTenant = { lane: number; tenantId: Uuid }

/** Where OTEL_EXPORTER_OTLP_ENDPOINT is set: who called for what, so that one request can be followed through companies. */
export type Tracing = {
  /** Of a caller's request; the headers are what it sent. */
  receive(uncheckedHeaders: Record<string, unknown>): ReceivedSpan
  /** Work that belongs to a trace that was noted before, or else begins one: what it asks of others carries the trace. */
  follow<T>(step: Step, work: () => Promise<T>): Promise<T>
  /** Where the work stands that goes on now, to be noted with what it leads to. */
  current(): string | undefined
  /** The same, as headers of an outgoing request. */
  headers(): Record<string, string> | undefined
  /** Sends what is left, for a moment. */
  close(): Promise<void>
}

type Attributes = Record<string, string | number>

type Step = { name: string; trace: string | null; attributes: Attributes }

export type ReceivedSpan = {
  run<T>(work: () => T): T
  end(outcome: { name: string; attributes: Attributes; failed: boolean }): void
}

export function traced<T>({ tracing }: Pick<Context, 'tracing'>, step: Step, work: () => Promise<T>): Promise<T> {
  return tracing === undefined ? work() : tracing.follow(step, work)
}

/** Where the work stands that goes on now, for the row of what it leads to; null: nobody follows it. */
export function traceOf({ tracing }: Pick<Context, 'tracing'>): string | null {
  return tracing?.current() ?? null
}
