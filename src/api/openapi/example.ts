// What the API description shows of an operation beside its shape. The examples tell one story, of a business on staging
// that has just been made; tests/openapi/story.test.ts plays it on a running service, so each is true.

import type { ErrorCode, FieldError } from '#platform/errors.ts'
import type { Json } from './document.ts'

export type Refusal = { message: string; details?: FieldError[] }

export type Example = {
  params?: Record<string, string>
  query?: Record<string, string | number>
  request?: Json
  /** The `data` of the answer. */
  answer: Json
  /** What it can also look like, by name. */
  others?: Record<string, Json>
  /** In words of its own; what is refused in the same words everywhere stands in examples/refusals.ts. */
  refusals?: Partial<Record<ErrorCode, Refusal>>
}
