// The kinds of field that requests are made of. Each states its rule once: the check, the sentence for a caller who
// breaks it, and the form that the API reference shows.

import { z } from 'zod'

export const pageLimitMax = 100
export const pageLimitDefault = 20
const int32Max = 2 ** 31

/** Text that can be stored and shown: well-formed Unicode, no NUL. */
export function text(max: number, min = 1) {
  return z
    .string('must be a string')
    .min(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be valid Unicode without NUL')
}

const referenceForm = /^[A-Za-z0-9][A-Za-z0-9._:=-]*$/

/** A caller's own key for a record. */
export const reference = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .regex(referenceForm, 'must begin with a letter or digit and hold only letters, digits and . _ : = -')

/** A whole number in a query, which arrives as text. */
function integerParameter(name: string, fallback: number, transform: (value: number) => number = (value) => value) {
  return z
    .string(`${name} must be given once`)
    .regex(/^\d+$/, `${name} must be a whole number of at least 1`)
    .transform((digits) => Number(digits))
    .refine((value) => value >= 1, `${name} must be at least 1`)
    .refine((value) => value <= int32Max, `${name} must be at most ${int32Max}`)
    .transform(transform)
    .default(fallback)
}

export const pageParameter = integerParameter('page', 1).meta({
  wire: { type: 'integer', minimum: 1, default: 1, description: 'Page number.' },
})

export const limitParameter = integerParameter('limit', pageLimitDefault, (value) => Math.min(value, pageLimitMax)).meta({
  wire: {
    type: 'integer',
    minimum: 1,
    default: pageLimitDefault,
    description: `Results per page; more than ${pageLimitMax} is taken as ${pageLimitMax}.`,
  },
})

export const noParams = z.object({})
export const noQuery = z.object({})

/** Kobo on the wire, as an answer shows it. */
export const koboData = z.int().meta({ description: 'Amount in kobo.' })
export const timeData = z.string().meta({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds.' })
