// Examples of an operation in the API reference. They tell one story, of a business on staging that has just been
// created; tests/openapi/story.test.ts plays it on a running service, so each example is true.

import type { ErrorCode, FieldError } from '#platform/errors.ts'
import type { Json } from './schemas.ts'

export type Refusal = { message: string; details?: FieldError[] }

export type Example = {
  params?: Record<string, string>
  query?: Record<string, string | number>
  request?: Json
  /** The `data` of the response. */
  answer: Json
  /** Alternative responses by name. */
  others?: Record<string, Json>
  /** Refusals with a message of this operation; shared ones are in examples/refusals.ts. */
  refusals?: Partial<Record<ErrorCode, Refusal>>
}

/** A sandbox call that makes a payment of any kind fail. */
export function completion(
  noun: 'transfer' | 'collection',
  failed: { reference: string; failureReason: string },
): Example {
  return {
    params: { reference: failed.reference },
    request: { status: 'FAILED', failureReason: failed.failureReason },
    answer: failed,
    refusals: { CONFLICT: { message: `The ${noun} is FAILED: it can no longer become SUCCESS.` } },
  }
}
