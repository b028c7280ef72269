// The types of fields that several endpoints share. Each defines its rule once: the check, the error message, and the
// schema in the API reference. Also turns failed checks into the errors of a response.

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
const parameterMax = 2 ** 31

/** Spelled out because the pattern is in the API reference too, and some of its readers do not know `\p{Cc}`. */
const disruptive = String.raw`\u007F-\u009F\u2028-\u202E\u2066-\u2069`
/**
 * Allows no control characters, line breaks or marks that change the text direction: in a bank's file, on a terminal or
 * in a statement they change how the text next to them is read.
 */
const plain = new RegExp(String.raw`^[^\u0000-\u001F${disruptive}]*$`, 'u')
/** Like `plain`, but allows tabs and line breaks. */
const plainLines = new RegExp(String.raw`^[^\u0000-\u0008\u000B\u000C\u000E-\u001F${disruptive}]*$`, 'u')
const plainSentence = 'must be plain text: no line breaks, control characters or marks that change the text direction'
const plainLinesSentence =
  'must be plain text: no marks that change the text direction, and of control characters only tabs and line breaks'

/** A line of text that is stored, shown, and passed on to banks and receivers. */
export function text(max: number, min = 1) {
  return freeText(max, min).regex(plain, plainSentence)
}

/** Text that may have several lines: only the business that sent it and its own receivers see it. */
function note(max: number) {
  return freeText(max, 0).regex(plainLines, plainLinesSentence)
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

export const reference = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters')
  .regex(referenceForm, 'must begin with a letter or digit and hold only letters, digits and . _ : = -')

export const wholeKobo = 'amount is an integer in kobo: ₦1,500.00 is 150000'

/**
 * Returns the error text `wholeKobo`, or its counterpart for the currency that the request names. Without a currency, a
 * request is in naira if it has a Nigerian phone number, or neither a phone number nor an operator.
 */
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

/** A currency in a query or a body. Default: naira. */
export const currencyField = z.enum(currencies, currencySentence).default('NGN')

export const currencyName = z.enum(currencies, currencySentence)

/** A whole number in a query, which arrives as text. */
function integerParameter(name: string, fallback: number, transform: (value: number) => number = (value) => value) {
  return z
    .string('must be a string')
    .regex(/^\d+$/, `${name} must be a whole number of at least 1`)
    .transform((digits) => Number(digits))
    .refine((value) => value >= 1, coded(`${name} must be at least 1`, 'below_minimum', { min: 1 }))
    .refine(
      (value) => value <= parameterMax,
      coded(`${name} must be at most ${parameterMax}`, 'above_maximum', { max: parameterMax }),
    )
    .transform(transform)
    .default(fallback)
}

export const pageParameter = integerParameter('page', 1).meta({
  wire: { type: 'integer', minimum: 1, maximum: parameterMax, default: 1, description: 'Page number.' },
})

export const limitParameter = integerParameter('limit', pageLimitDefault, (value) =>
  Math.min(value, pageLimitMax),
).meta({
  wire: {
    type: 'integer',
    minimum: 1,
    maximum: parameterMax,
    default: pageLimitDefault,
    description: `Results per page. A value above ${pageLimitMax} is taken as ${pageLimitMax}.`,
  },
})

export const noParams = z.object({})
export const noQuery = z.object({})

const minorUnit = 'Amount in the minor unit of its currency: kobo in NGN.'

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
  ranges: z.array(amountRange).optional().describe('Replaces `min` and `max` if several ranges are allowed.'),
  step: exact.optional(),
  required: exact.optional(),
  available: exact.optional(),
  currency: currencyName.optional().describe('The other amounts are in its minor unit.'),
  resetsAt: timeData.optional(),
}).describe('The limits and amounts that belong to `code`.')

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
    .describe('The wrong fields.'),
})

/** The reference in the path. Any text is allowed; if it is not a valid reference, no record is found. */
export const referenceParams = z.object({ reference: z.string() })

/** Parses the id in the path. Throws `notFound` if it is not an id of this kind. */
export function requireId(kind: IdKind, unchecked: string, notFound: () => ApiError): Uuid {
  const id = parseId(kind, unchecked)
  if (id === undefined) throw notFound()
  return id
}

/** A date, or a time with its offset. `timeText` also refuses days that do not exist. */
const timeForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/
const timeSentence = 'must be a date (2026-01-31) or a time (2026-01-31T12:00:00Z)'

/** The error if a value of the query would be right with a `+` in place of its space. */
export const plusAsSpace = 'has a space in place of +: in a query, write + as %2B'

export function timeText(typeSentence: string, formSentence: (value: string) => string) {
  return z
    .string(typeSentence)
    .regex(timeForm, { error: ({ input }) => formSentence(String(input)) })
    .refine(isRealDay, coded(daySentence, 'wrong_format'))
}

const daySentence = 'must be a day that exists'

/** JavaScript reads 2026-06-31 as July 1, so a range to the end of June would have a day too many. */
function isRealDay(value: string): boolean {
  return new Date(value.slice(0, 10)).getUTCDate() === Number(value.slice(8, 10))
}

/**
 * Earlier times become this one, which selects the same records. A time such as 0001-01-01T00:00:00+01:00 is in the
 * year 0 in UTC, which PostgreSQL does not have.
 */
const firstTimeMs = Date.parse('1970-01-01T00:00:00Z')
/** Later times become this one. A year of five digits cannot be read back from the database. */
const lastTimeMs = Date.parse('9999-12-31T00:00:00Z')

function timeParameter(description: string, ofDate: (date: Date) => Date, ofTime: (time: Date) => Date) {
  return timeText('must be a string', (value) => (timeForm.test(value.replace(' ', '+')) ? plusAsSpace : timeSentence))
    .transform((value) => {
      const time = new Date(Math.min(Math.max(Date.parse(value), firstTimeMs), lastTimeMs))
      return value.includes('T') ? ofTime(time) : ofDate(time)
    })
    .optional()
    .meta({ description })
}

/**
 * The time range of a list, both ends included; a date means its whole day in UTC. `to` is parsed into the first
 * millisecond after the range.
 */
export const fromParameter = timeParameter(
  'Only records made at or after this time; a date means the start of that day in UTC.',
  (date) => date,
  (time) => time,
)
export const toParameter = timeParameter(
  'Only records made at or before this time; a date means the end of that day in UTC.',
  (date) => new Date(date.getTime() + dayMs),
  (time) => new Date(time.getTime() + 1),
)

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

export const metadata = z
  .preprocess(refuseKeys, z.record(text(100), note(500), 'must be an object of texts'))
  .meta({ maxProperties: metadataKeysMax, description: 'Texts of your own, under any name but `__proto__`.' })

/**
 * Runs before the texts are validated, because validating all keys of a large body could block the process for most of
 * a second. `__proto__` is refused because assigning it to a plain object adds no key, so its value would be lost.
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
 * Validates one part of a request. If it is wrong, adds the first error of each field to `details`, up to 50 errors in
 * all, and returns undefined.
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

/** Error if the balance, including expected money, would exceed the largest integer that JSON represents exactly. */
export const beyondTheBooks: FieldError = {
  field: 'amount',
  message: `amount would take the balance above ${amountMax}, the largest amount`,
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
  const sent = valueAt(value, issue.path)
  if (part === 'query' && Array.isArray(sent))
    return { field: name, message: `${name} must be given once`, code: 'wrong_type' }
  if (issue.code === 'invalid_key') return nameError(issue)
  const isAbsent = sent === undefined
  // Zod does not report which type of field failed, so an amount is recognized by its error message.
  const said = issue.message === wholeKobo ? wholeUnits(value) : issue.message
  const message = isAbsent && issue.code === 'invalid_type' ? 'is required' : said
  // Some messages already begin with the name of the field.
  const sentence = message.startsWith(`${name} `) ? message : `${name} ${message}`
  return { field: name, message: sentence, ...codeOf(issue, isAbsent) }
}

/** Names the object, not the name in it that is wrong: that one may be long, or not even Unicode. */
function nameError({ path, issues }: z.core.$ZodIssueInvalidKey): FieldError {
  const field = path.slice(0, -1).map(String).join('.')
  const [first] = issues
  const fault = first === undefined ? { code: 'invalid' as const } : codeOf(first, false)
  return { field, message: `each name in ${field} ${first?.message ?? 'must be a text'}`, ...fault }
}

type Coded = Required<Pick<FieldError, 'code'>> & Pick<FieldError, 'params'>

/** The options of a check of our own: its message, and the code and params of the field error. */
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

// Error if a request needs ledger entries that were moved to archive files. It names the time since which all entries
// are in the database.

export function archivedError({ field, until }: InArchive): ApiError {
  const since = until.toISOString()
  const message = `${field} needs entries from before ${since}, which were archived: send from=${since} or later. Ask the operator of this service for older entries`
  return validationError([{ field, message }])
}
