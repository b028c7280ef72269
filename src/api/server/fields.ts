// The field types of requests. Each defines its rule once: the check, the error message, and the schema in the API
// reference.

import { z } from 'zod'
import type { InArchive } from '#ledger/archived.ts'
import { dayMs } from '#platform/durations.ts'
import {
  ApiError,
  apiErrorStatus,
  type ErrorCode,
  type FieldError,
  type FieldErrorCode,
  fieldErrorCodes,
  type FieldErrorParams,
} from '#platform/errors.ts'
import { type IdKind, parseId, type Uuid } from '#platform/ids.ts'
import { amountMax, currencies, decimalsOf, formatMoney, isCurrency, toMoney } from '#platform/money.ts'
import type { Pagination } from './endpoint.ts'

const pageLimitMax = 100
export const pageLimitDefault = 20
const int32Max = 2 ** 31

/** Written for the API reference too, which is read by tools that do not know `\p{Cc}`. */
const disruptive = String.raw`\u007F-\u009F\u2028-\u202E\u2066-\u2069`
/**
 * No control characters, line ends and marks that turn the text direction. In a bank's file, on a terminal or in a
 * statement they change how the text next to them is read.
 */
const plain = new RegExp(String.raw`^[^\u0000-\u001F${disruptive}]*$`, 'u')
/** The same with tabs and line breaks. */
const plainLines = new RegExp(String.raw`^[^\u0000-\u0008\u000B\u000C\u000E-\u001F${disruptive}]*$`, 'u')
const plainSentence = 'must be plain text: no line breaks, control characters or marks that turn its direction'

/** A line of text that is stored, shown, and passed on to banks and receivers. */
export function text(max: number, min = 1) {
  return freeText(max, min).regex(plain, plainSentence)
}

/** Text of several lines, which only the business that sent it and its own receivers see. */
function note(max: number) {
  return freeText(max, 0).regex(plainLines, plainSentence)
}

/** Text that the database can store: well-formed Unicode without NUL. */
function freeText(max: number, min: number) {
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

export const wholeKobo = 'amount is an integer in kobo: ₦1,500.00 is 150000'

/** The same sentence in the currency that the request names, or whose country its phone number names. A till has no phone. */
function wholeUnits(request: unknown): string {
  const { currency, phoneNumber, operator } = (request ?? {}) as Record<string, unknown>
  if (typeof currency === 'string' && isCurrency(currency)) {
    if (currency === 'NGN') return wholeKobo
    const unit = decimalsOf(currency) === 0 ? `whole ${currency}` : `the minor unit of ${currency}`
    const example = toMoney(1_500 * 10 ** decimalsOf(currency))
    return `amount is an integer in ${unit}: ${formatMoney(example, currency)} is ${example}`
  }
  const isNaira = typeof phoneNumber === 'string' ? /^(\+?234|0)/.test(phoneNumber) : typeof operator !== 'string'
  if (isNaira) return wholeKobo
  return 'amount is an integer in the minor unit of its currency: GHS 12.50 is 1250, and XOF 1,500 is 1500'
}

/**
 * An amount that a caller sends. It is never coerced, because a caller who sends "1500" or 1500.5 may well mean
 * naira.
 */
export const amount = z
  .int({ error: ({ code }) => (code === 'too_big' ? `must be at most ${amountMax}` : wholeKobo) })
  .min(1, 'must be at least 1')
  .meta({ format: 'int64', description: 'Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.' })
  .transform(toMoney)

const currencySentence = `must be one of ${currencies.join(', ')}`

/** A currency in a query or a body. Left out, it is naira. */
export const currencyField = z.enum(currencies, currencySentence).default('NGN')

/** The currency that a caller may name. */
export const currencyName = z.enum(currencies, currencySentence)

/** A whole number in a query, which arrives as text. */
function integerParameter(name: string, fallback: number, transform: (value: number) => number = (value) => value) {
  return z
    .string(`${name} must be given once`)
    .regex(/^\d+$/, `${name} must be a whole number of at least 1`)
    .transform((digits) => Number(digits))
    .refine((value) => value >= 1, coded(`${name} must be at least 1`, 'below_minimum', { min: 1 }))
    .refine(
      (value) => value <= int32Max,
      coded(`${name} must be at most ${int32Max}`, 'above_maximum', { max: int32Max }),
    )
    .transform(transform)
    .default(fallback)
}

export const pageParameter = integerParameter('page', 1).meta({
  wire: { type: 'integer', minimum: 1, maximum: int32Max, default: 1, description: 'Page number.' },
})

export const limitParameter = integerParameter('limit', pageLimitDefault, (value) =>
  Math.min(value, pageLimitMax),
).meta({
  wire: {
    type: 'integer',
    minimum: 1,
    maximum: int32Max,
    default: pageLimitDefault,
    description: `Results per page; more than ${pageLimitMax} is taken as ${pageLimitMax}.`,
  },
})

export const noParams = z.object({})
export const noQuery = z.object({})

const minorUnit = 'Amount in the minor unit of its currency: kobo in NGN.'

/** An amount as a response shows it. */
export const koboData = z.int().min(0).meta({ id: 'Kobo', format: 'int64', description: minorUnit })
export const signedKoboData = z.int().meta({ id: 'SignedKobo', format: 'int64', description: minorUnit })
export const timeData = z
  .string()
  .meta({ id: 'Time', format: 'date-time', description: 'ISO 8601, in UTC, with milliseconds.' })

/** An object that the API reference shows once, under its own name, wherever requests and responses use it. */
export function record<Shape extends z.ZodRawShape>(name: string, shape: Shape, error?: string) {
  return z.object(shape, error).meta({ id: name })
}

const exact = z.int().meta({ format: 'int64' })

const amountRange = record('AmountRange', { min: exact, max: exact })

const fieldErrorParams = record('FieldErrorParams', {
  min: exact.optional(),
  max: exact.optional(),
  ranges: z.array(amountRange).optional().describe('In place of `min` and `max` where several apply.'),
  step: exact.optional(),
  required: exact.optional(),
  available: exact.optional(),
  currency: currencyName.optional().describe('Amounts are in its minor unit.'),
  resetsAt: timeData.optional(),
}).describe('The limits and sums that the code speaks of.')

/** An error, either of a whole response or of one item of many. */
export const errorDetail = record('ErrorDetail', {
  code: z.enum(Object.keys(apiErrorStatus) as ErrorCode[]).describe('For programs; the list is closed.'),
  message: z.string().describe('For people: what to do next. May change.'),
  details: z
    .array(
      record('FieldError', {
        field: z.string(),
        message: z.string(),
        code: z.enum(Object.keys(fieldErrorCodes) as FieldErrorCode[]).describe('The kind of fault, for programs.'),
        params: fieldErrorParams.optional(),
      }),
    )
    .optional()
    .describe('The fields that are to blame.'),
})

/** The reference in the path. Any text is allowed; a text that is not a valid reference is simply not found. */
export const referenceParams = z.object({ reference: z.string() })

/** Parses the id in the path. A text that is not an id of this kind is simply not found. */
export function requireId(kind: IdKind, unchecked: string, notFound: () => ApiError): Uuid {
  const id = parseId(kind, unchecked)
  if (id === undefined) throw notFound()
  return id
}

/** A date, or a time with its offset. `timeText` also refuses days that do not exist. */
const timeForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/
const timeSentence = 'must be a date (2026-01-31) or a time (2026-01-31T12:00:00Z)'

export function timeText(typeSentence: string, formSentence: string) {
  return z.string(typeSentence).regex(timeForm, formSentence).refine(isRealDay, coded(daySentence, 'wrong_format'))
}

const daySentence = 'must be a day that exists'

/** JavaScript reads 2026-06-31 as July 1, so a range to the end of June would have a day too many. */
function isRealDay(value: string): boolean {
  return new Date(value.slice(0, 10)).getUTCDate() === Number(value.slice(8, 10))
}

/**
 * Earlier times become this one, which finds the same records. Go's empty time, in a zone ahead of UTC, is in year 0,
 * which PostgreSQL does not have.
 */
const firstTimeMs = Date.parse('1970-01-01T00:00:00Z')

function timeParameter(description: string, ofDate: (date: Date) => Date, ofTime: (time: Date) => Date) {
  return timeText('must be given once', timeSentence)
    .transform((value) => {
      const time = new Date(Math.max(Date.parse(value), firstTimeMs))
      return value.includes('T') ? ofTime(time) : ofDate(time)
    })
    .optional()
    .meta({ description })
}

/** The time range of a list, both ends included; a date means its whole day in UTC. Parsed as [from, to). */
export const fromParameter = timeParameter(
  'Made at or after: a time, or a date from its start.',
  (date) => date,
  (time) => time,
)
export const toParameter = timeParameter(
  'Made at or before: a time, or a date to its end.',
  (date) => new Date(date.getTime() + dayMs),
  (time) => new Date(time.getTime() + 1),
)

/** The parameters of a list that can be filtered by status and time. */
export function listParameters<const Status extends string>(statuses: readonly Status[]) {
  return {
    page: pageParameter,
    limit: limitParameter,
    status: z.enum(statuses, `must be one of ${statuses.join(', ')}`).optional(),
    from: fromParameter,
    to: toParameter,
  }
}

const metadataKeysMax = 20

/** Up to 20 texts that are returned as they were sent. */
export const metadata = z
  .preprocess(refuseKeys, z.record(text(100), note(500), 'must be an object of texts'))
  .meta({ maxProperties: metadataKeysMax, description: 'Any name but `__proto__`.' })

/**
 * Runs before the texts are validated. A large body could contain enough keys to block the process for most of a
 * second. `__proto__` is refused because a plain object cannot have it as a key, so its value would be lost.
 */
function refuseKeys(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (Object.keys(value).length > metadataKeysMax)
    context.addIssue({
      code: 'custom',
      ...coded(`must have at most ${metadataKeysMax} keys`, 'too_many', { max: metadataKeysMax }),
    })
  if (Object.hasOwn(value, '__proto__'))
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'cannot be kept: choose another name' })
  return value
}

export const accountNumber = z
  .string('must be a string of 10 digits: as a number it would lose its leading zeros')
  .regex(/^\d{10}$/, 'must be the 10 digits of the account number, leading zeros included')

export function paginationOf(page: number, limit: number, total: number): Pagination {
  const totalPage = Math.ceil(total / limit)
  return { page, limit, total, totalPage, hasNext: page < totalPage, hasPrev: page > 1 && total > 0 }
}

const detailsMax = 50

/**
 * Validates one part of a request. Adds all errors to `details`, each with a message that says what to send instead,
 * and returns undefined if there are any.
 */
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
    // One message for each field, because its other errors usually follow from the first.
    if (details.at(-1)?.field !== detail.field) details.push(detail)
  }
  return undefined
}

/** Error when the balance, including expected money, would exceed what a JSON integer can represent exactly. */
export const beyondTheBooks: FieldError = {
  field: 'amount',
  message: 'amount would take the balance beyond what JSON can show exactly',
  code: 'above_maximum',
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
  const isAbsent = valueAt(value, issue.path) === undefined
  const said = issue.message === wholeKobo ? wholeUnits(value) : issue.message
  const message = isAbsent && issue.code === 'invalid_type' ? 'is required' : said
  // A message that is a whole sentence already names the field.
  const sentence = message.startsWith(`${name} `) ? message : `${name} ${message}`
  return { field: name, message: sentence, ...codeOf(issue, isAbsent) }
}

type Coded = Required<Pick<FieldError, 'code'>> & Pick<FieldError, 'params'>

/** For a check that zod does not have: its message, and its code for the caller. */
export function coded(message: string, code: FieldErrorCode, params?: FieldErrorParams) {
  const about: Coded = params === undefined ? { code } : { code, params }
  return { message, params: about }
}

function codeOf(issue: z.core.$ZodIssue, isAbsent: boolean): Coded {
  switch (issue.code) {
    case 'invalid_type':
      return { code: isAbsent ? 'required' : issue.expected === 'int' ? 'not_a_whole_number' : 'wrong_type' }
    case 'invalid_value':
      return { code: isAbsent ? 'required' : 'not_allowed' }
    case 'invalid_format':
      return { code: 'wrong_format' }
    case 'too_small':
      return { code: tooSmall[issue.origin] ?? 'below_minimum', params: { min: Number(issue.minimum) } }
    case 'too_big':
      return { code: tooBig[issue.origin] ?? 'above_maximum', params: { max: Number(issue.maximum) } }
    case 'custom':
      return (issue.params as Coded | undefined) ?? { code: 'invalid' }
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return { code: 'invalid' }
  }
}

const tooSmall: Record<string, FieldErrorCode> = { string: 'too_short', array: 'too_few' }
const tooBig: Record<string, FieldErrorCode> = { string: 'too_long', array: 'too_many' }

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<PropertyKey, unknown>)[key]
  }
  return current
}

// Error for a request for entries that were archived to files. It names the time from which entries are available
// here.

export function archivedError({ field, until }: InArchive): ApiError {
  const since = until.toISOString()
  const message = `${field} leads to entries before ${since}, which are in the archive: ask from=${since} on, and for older ones ask the people who run this service`
  return validationError([{ field, message }])
}
