// The two ends of a period, where both must be named.

import type { fromParameter } from '#http/fields.ts'

/** Parsed as [from, to), as in the lists of the API. */
export function requiredTime(end: typeof fromParameter) {
  return end.refine((time): time is Date => time !== undefined, 'is required').transform((time) => time)
}
