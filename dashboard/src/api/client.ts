// All calls to the server. Each call that changes something carries a header that no other site can send along.

import { challenge, type Challenge } from './challenge.ts'
import { ApiFailure } from './failure.ts'
import type { FieldError, Pagination } from './schema.ts'

export type Environment = 'staging' | 'production'
/**
 * The business and environment of a call. Each key of the cache begins with both, so no answer crosses from one
 * environment to another.
 */
export type Place = { businessId: string; environment: Environment }

export type Query = Readonly<Record<string, string | number | boolean | undefined>>
export type Answer<Data> = { data: Data; pagination: Pagination | undefined }

export type Ask = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** For calls of the sign-in: a 401 does not ask the person to sign in again. */
  isSigningIn?: boolean
}

const root = '/dashboard/api'

export function under({ businessId, environment }: Place, path: string): string {
  return `${underBusiness(businessId, environment)}/${path}`
}

export function underBusiness(businessId: string, path: string): string {
  return `${root}/b/${encodeURIComponent(businessId)}/${path}`
}

/** `path` is absolute: it begins with `/dashboard/api`. Throws an `ApiFailure`. */
export async function ask<Data>(path: string, options: Ask = {}): Promise<Answer<Data>> {
  try {
    return await askOnce<Data>(path, options)
  } catch (error) {
    const kind = challengeOf(error, options)
    if (kind === undefined || !(await challenge(kind))) throw error
    return askOnce<Data>(path, options)
  }
}

function challengeOf(error: unknown, { isSigningIn = false }: Ask): Challenge | undefined {
  if (!(error instanceof ApiFailure)) return undefined
  if (error.status === 401 && !isSigningIn) return 'sign-in'
  return error.code === 'STEP_UP_REQUIRED' ? 'step-up' : undefined
}

async function askOnce<Data>(path: string, options: Ask): Promise<Answer<Data>> {
  const { method = 'GET', query, body, headers, signal } = options
  const isReading = method === 'GET'
  const response = await fetch(addressOf(path, query), {
    method,
    headers: isReading ? {} : { 'X-Manilla-Dashboard': '1', 'Content-Type': 'application/json', ...headers },
    ...(isReading ? {} : { body: JSON.stringify(body ?? {}) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiFailure({ status: 0, code: 'NO_ANSWER', message: 'The server could not be reached.' })
  })
  return readAnswer<Data>(response)
}

/** The address of a path with its query. Empty values are left out. */
export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

type Envelope<Data> =
  | { success: true; data: Data; meta?: { pagination?: Pagination } }
  | { success: false; error: { code: string; message: string; details?: unknown }; requestId?: string }

async function readAnswer<Data>(response: Response): Promise<Answer<Data>> {
  const envelope = (await response.json().catch(() => undefined)) as Envelope<Data> | undefined
  if (envelope?.success === true) return { data: envelope.data, pagination: envelope.meta?.pagination }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw new ApiFailure({
    status: response.status,
    code: envelope?.error.code ?? 'UNREADABLE',
    message: envelope?.error.message ?? `The server answered ${response.status} without a message.`,
    details: faultsOf(envelope?.error.details),
    requestId: envelope?.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: Number.isNaN(seconds) ? undefined : seconds * 1000,
  })
}

function faultsOf(details: unknown): FieldError[] {
  const all: unknown[] = Array.isArray(details) ? details : [details]
  return all.filter((fault): fault is FieldError => {
    const candidate = fault as Partial<FieldError> | null | undefined
    return typeof candidate?.field === 'string' && typeof candidate.message === 'string'
  })
}
