// Fields that are missing or wrong, all of them at once, each with a sentence that says what to send instead.

import type { z } from 'zod'
import { ApiError, type FieldError } from '#base/error.ts'

const detailsMax = 50

/** What this part of a request holds; what is wrong with it is added to `details`, and then nothing is returned. */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  part: 'path' | 'query' | 'body' | 'item',
  details: FieldError[],
): z.output<S> | undefined {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    if (details.length >= detailsMax) break
    const detail = fieldError(issue, value, part)
    // One sentence for each field: what else is wrong with it is likely to follow from the first.
    if (details.at(-1)?.field !== detail.field) details.push(detail)
  }
  return undefined
}

/** What a business has and what is under way to it must stay within what a JSON integer carries. */
export const beyondTheBooks: FieldError = {
  field: 'amount',
  message: 'amount would take the balance beyond what JSON can show exactly',
}

export function validationError(details: FieldError[]): ApiError {
  return new ApiError('VALIDATION_ERROR', summary(details), { details })
}

function summary(details: FieldError[]): string {
  const [first] = details
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  return first === undefined ? 'The request is not valid.' : `${first.message}${more}`
}

function fieldError(issue: z.core.$ZodIssue, value: unknown, part: string): FieldError {
  const field = issue.path.map(String).join('.')
  const name = field === '' ? part : field
  const missing = issue.code === 'invalid_type' && valueAt(value, issue.path) === undefined
  const message = missing ? 'is required' : issue.message
  // A message that is a whole sentence about the field already names it.
  return { field: name, message: message.startsWith(`${name} `) ? message : `${name} ${message}` }
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<PropertyKey, unknown>)[key]
  }
  return current
}
