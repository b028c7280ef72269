// The one shape of every answer, and the headers that every answer carries, refusals too.

import { errorStatus, type ErrorCode, type FieldError } from '#base/error.ts'
import type { Quota } from '#businesses/quota.ts'
import type { Reply } from './endpoint.ts'

export const apiVersion = 'v1'

export const acceptedHeaders = ['Origin', 'Content-Type', 'Accept', 'Authorization', 'X-Request-ID', 'X-API-Version']

const exposedHeaders = [
  'X-Request-ID',
  'X-API-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
].join(', ')

/** Name, value, name, value: the form that Node writes without building an object. */
export function commonHeaders(requestId: string, quota: Quota): string[] {
  return [
    'X-Request-ID',
    requestId,
    'X-API-Version',
    apiVersion,
    'X-RateLimit-Limit',
    String(quota.limit),
    'X-RateLimit-Remaining',
    String(quota.remaining),
    'X-RateLimit-Reset',
    String(quota.resetAtSeconds),
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
  ]
}

/** The API is for every origin. A key in a browser is its owner's risk; there are no cookies to abuse. */
export const crossOriginHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposedHeaders]

export function successBody(requestId: string, reply: Reply): string {
  const meta = reply.pagination === undefined ? undefined : { pagination: reply.pagination }
  return JSON.stringify({ success: true, data: reply.data, meta, requestId })
}

export type Failure = {
  code: ErrorCode
  message: string
  details?: FieldError[] | undefined
  headers: Record<string, string>
}

export function failureStatus(failure: Failure): number {
  return errorStatus[failure.code]
}

export function failureBody(requestId: string, failure: Failure, nowMs: number): string {
  const { code, message, details } = failure
  const error = { code, message, details }
  return JSON.stringify({ success: false, error, requestId, timestamp: new Date(nowMs).toISOString() })
}
