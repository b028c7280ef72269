// The dependencies of the use cases, and the actor for whom a use case runs. They are passed as arguments and not
// imported.

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
  /** True if a mail server is set. Otherwise no e-mail is written. */
  sendsMail?: boolean
  by: Actor
}

export type Actor = {
  kind: 'terminal' | 'person' | 'key' | 'service'
  name: string
  address?: string | undefined
  person?: PersonActing | undefined
}

export type PersonActing = {
  id: Uuid
  /** The role in the business at that time. Absent if the action concerned no business. */
  role?: string | undefined
  device: string
  requestId: string
}

export const theService: Actor = { kind: 'service', name: 'manilla' }

export const environments = ['staging', 'production'] as const
export type Environment = (typeof environments)[number]

/** A business in one environment. Its lane never changes. */
export type Tenant = { lane: number; id: Uuid; environment: Environment }

export type OfTenant = { lane: number; tenantId: Uuid }

export type Tracing = {
  receive(uncheckedHeaders: Record<string, unknown>): ReceivedSpan
  /**
   * Runs work within the stored trace, or in a new one if none is stored. Requests that the work sends carry the trace.
   */
  follow<T>(step: TraceStep, work: () => Promise<T>): Promise<T>
  /** The current trace context as text, to be stored with what the work creates. */
  current(): string | undefined
  headers(): Record<string, string> | undefined
  /** Sends the remaining spans, within two seconds. */
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

export function traceOf({ tracing }: Pick<Context, 'tracing'>): string | null {
  return tracing?.current() ?? null
}
