// The endpoints that search payments and deposits by filters that the API's lists do not have, and that find records and
// customers by a pasted text. Exports use the same filters.

import { z } from 'zod'
import { judge, type Permission } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { currencyName, validationError, fromParameter, limitParameter, toParameter } from '#api/server/fields.ts'
import { findTenant } from '#businesses/business.ts'
import { findRequests } from '#businesses/request-log.ts'
import { depositData, depositReference } from '#deposits/deposit.ts'
import { type EndedFilter, searchEndedDeposits } from '#deposits/list.ts'
import { type PaymentFilter, searchPayments } from '#payments/list.ts'
import { collectionStatuses, transferStatuses, type PaymentKind, type PaymentStatus } from '#payments/payment.ts'
import { bankFailureReasonNames, momoFailureReasonNames, paymentData } from '#payments/wire.ts'
import { type Context, environments, type Environment, type Tenant } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { amountMax, toMoney, toWire } from '#platform/money.ts'
import { queryLengthMax, shapeOf, type EndedSum, type Hit } from '#reporting/reporting.ts'
import type { UserRole } from '#users/service.ts'
import { customerData } from '#virtual-accounts/account.ts'

/** The kinds of payments by the names that the dashboard's addresses use, with the values that filters may have. */
export const paymentNouns = {
  transfers: { kind: 'bank_transfer', statuses: transferStatuses, reasons: bankFailureReasonNames },
  'momo-transfers': { kind: 'momo_transfer', statuses: transferStatuses, reasons: momoFailureReasonNames },
  collections: { kind: 'momo_collection', statuses: collectionStatuses, reasons: momoFailureReasonNames },
} as const satisfies Record<string, { kind: PaymentKind; statuses: readonly string[]; reasons: readonly string[] }>

export type PaymentNoun = keyof typeof paymentNouns

const word = z.string('must be a string').max(100, 'must have at most 100 characters').optional()
const kobo = z
  .string('must be a string')
  .regex(/^\d{1,16}$/, 'must be a whole number of the minor unit of the currency')
  .transform(BigInt)
  .refine((amount) => amount <= amountMax, `must be at most ${amountMax}`)
  .transform(toMoney)
  .optional()

const toHour = (round: (hours: number) => number) => (time: Date | undefined) =>
  time === undefined ? undefined : new Date(round(time.getTime() / hourMs) * hourMs)

/** The time in which a record ended, widened to whole hours because figures count by the hour. `endedTo` is excluded. */
export const endedParameters = {
  endedFrom: fromParameter.transform(toHour(Math.floor)),
  endedTo: toParameter.transform(toHour(Math.ceil)),
  currency: currencyName.optional(),
}

export const paymentFilterParameters = {
  ...endedParameters,
  status: word,
  amountFrom: kobo,
  amountTo: kobo,
  bankSlug: word,
  operator: word,
  failureReason: word,
  payee: word,
  metadata: z.string('must be a string').max(500, 'must have at most 500 characters').optional(),
}

type SearchedList = Omit<PaymentFilter, 'status' | 'endedBefore'> & {
  status?: string | undefined
  endedTo?: Date | undefined
}

/** Throws if this kind of payment has no such status or failure reason: an empty list would look like an answer. */
export function paymentFilterOf(noun: PaymentNoun, asked: SearchedList): PaymentFilter {
  const { statuses, reasons } = paymentNouns[noun]
  const { status, failureReason, amountFrom, amountTo, bankSlug, operator, payee, metadata } = asked
  const { endedFrom, endedTo, currency } = asked
  requireOneOf('status', status, statuses)
  requireOneOf('failureReason', failureReason, reasons)
  return {
    status: status as PaymentStatus | undefined,
    failureReason,
    amountFrom,
    amountTo,
    bankSlug,
    operator,
    payee,
    metadata,
    endedFrom,
    endedBefore: endedTo,
    currency,
  }
}

function requireOneOf(field: string, asked: string | undefined, words: readonly string[]): void {
  if (asked === undefined || words.includes(asked)) return
  throw validationError([{ field, message: `${field} must be one of ${words.join(', ')}`, code: 'not_allowed' }])
}

/**
 * `next` of the previous response: the number of the row in its list after which this page continues, and the number of
 * rows found so far.
 */
const position = z
  .string('must be a string')
  .regex(/^[1-9]\d{0,17}-\d{1,9}$/, 'must be the value of next in the response before')
  .transform((text) => {
    const [behind = '', found = ''] = text.split('-')
    return { behind: BigInt(behind), foundBefore: Number(found) }
  })
  .optional()

type Answered = {
  looked: number
  next: bigint | undefined
  lookedBackTo: Date | undefined
  sums?: EndedSum[] | undefined
}

type ShownTo = { role: UserRole; tenant: Tenant; foundBefore: number | undefined }

/**
 * How far the search has come. `found` includes the rows of earlier pages. `total` comes from the hourly figures; it is
 * null if they do not count by these filters.
 */
function searchProgress(
  { looked, next, lookedBackTo, sums }: Answered,
  rows: readonly unknown[],
  { role, tenant, foundBefore = 0 }: ShownTo,
) {
  const found = foundBefore + rows.length
  const seesBalance = judge('balance.see', role, tenant.environment) === 'yes'
  return {
    looked,
    found,
    next: next === undefined ? null : `${next}-${found}`,
    lookedBackTo: lookedBackTo?.toISOString() ?? null,
    total: sums === undefined ? null : sums.reduce((sum, { count }) => sum + Number(count), 0),
    sums: seesBalance ? (sums?.map(({ currency, amount }) => ({ currency, amount: toWire(amount) })) ?? []) : [],
  }
}

/**
 * Searches payments by filters that no index supports, so a request reads only a part of the list. The response says how
 * far back it has searched, and where the next request continues.
 */
export function searchEndpoint(ctx: Pick<Context, 'db'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/search/:noun',
    permission: 'payments.see',
    params: z.object({ noun: z.string() }),
    query: z.object({
      ...paymentFilterParameters,
      from: fromParameter,
      to: toParameter,
      limit: limitParameter,
      behind: position,
    }),
    handle: async ({ role, tenant, params, query: { from, to: before, limit, behind, ...asked } }) => {
      const noun = nounOf(params.noun)
      const question = { from, before, limit, ...behind, filter: paymentFilterOf(noun, asked) }
      const answer = await searchPayments(ctx, tenant, paymentNouns[noun].kind, question)
      const progress = searchProgress(answer, answer.payments, { role, tenant, foundBefore: behind?.foundBefore })
      return { data: { payments: answer.payments.map(paymentData), ...progress } }
    },
  })
}

export function endedDepositsEndpoint(ctx: Pick<Context, 'db'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/ended-deposits',
    permission: 'payments.see',
    query: z.object({
      ...endedParameters,
      status: z.enum(['SUCCESSFUL', 'FAILED'], 'must be SUCCESSFUL or FAILED').optional(),
      limit: limitParameter,
      behind: position,
    }),
    handle: async ({ role, tenant, query: { limit, behind, ...asked } }) => {
      const answer = await searchEndedDeposits(ctx, tenant, { ...endedDepositsOf(asked), limit, ...behind })
      const progress = searchProgress(answer, answer.deposits, { role, tenant, foundBefore: behind?.foundBefore })
      return { data: { deposits: answer.deposits.map(depositData), ...progress } }
    },
  })
}

type AskedDeposits = Pick<EndedFilter, 'status' | 'currency'> & {
  endedFrom?: Date | undefined
  endedTo?: Date | undefined
}

export function endedDepositsOf({ endedFrom, endedTo, ...others }: AskedDeposits): EndedFilter {
  if (endedFrom === undefined) throw required('endedFrom')
  if (endedTo === undefined) throw required('endedTo')
  return { ...others, endedFrom, endedBefore: endedTo }
}

function required(field: string): ApiError {
  return validationError([{ field, message: `${field} is required`, code: 'required' }])
}

function nounOf(unchecked: string): PaymentNoun {
  const noun = (Object.keys(paymentNouns) as PaymentNoun[]).find((name) => name === unchecked)
  if (noun !== undefined) return noun
  throw new ApiError('NOT_FOUND', `There is no such search. There are ${Object.keys(paymentNouns).join(', ')}.`)
}

const searched = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(queryLengthMax, `must have at most ${queryLengthMax} characters`)

/** Finds records by a pasted text in this environment. `elsewhere` has the hits in the other one. */
export function findEndpoint({ ctx, rooms: { insights } }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/find',
    permission: 'payments.see',
    query: z.object({ q: searched }),
    handle: async ({ business, role, tenant, query: { q } }) => {
      const shape = shapeOf(q)
      const looksLike = shape.kind === 'text' ? null : shape.kind === 'id' ? shape.of : shape.kind
      // A pasted secret key is not used for a search, so that it reaches no query.
      if (shape.kind === 'secret-key') return { data: { hits: [], elsewhere: [], looksLike } }
      const findIn = async (where: Tenant | undefined): Promise<unknown[]> => {
        if (where === undefined) return []
        const [hits, requests] = await Promise.all([insights.find(where, shape), findRequestHits(ctx, where, role, q)])
        if (requests.length > 0) return requests
        return hits.filter((hit) => maySee(hit, role, where.environment)).map((hit) => shown(hit, where.environment))
      }
      const other = environments.find((name) => name !== tenant.environment) ?? tenant.environment
      const [hits, elsewhere] = await Promise.all([findIn(tenant), findIn(await findTenant(ctx, business, other))])
      return { data: { hits, elsewhere, looksLike } }
    },
  })
}

export function customersEndpoint({ rooms: { insights } }: Pick<EndpointParts, 'rooms'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/customers',
    permission: 'payments.see',
    query: z.object({ search: searched }),
    handle: async ({ tenant, query: { search } }) => {
      const shape = shapeOf(search)
      const customers = shape.kind === 'secret-key' ? [] : await insights.customers(tenant, shape)
      return { data: { customers: customers.map(customerData) } }
    },
  })
}

/** The API request with this id. If several have it, one hit stands for all: they share a page. */
async function findRequestHits(ctx: Context, tenant: Tenant, role: UserRole, q: string): Promise<unknown[]> {
  const { environment } = tenant
  if (judge('requests.see', role, environment) === 'no') return []
  const [request] = await findRequests(ctx, tenant, q.trim())
  if (request === undefined) return []
  const { requestId: reference, method, route, status, at } = request
  const title = `${method} ${route}`
  return [
    { kind: 'request', reference, title, status: String(status), amount: null, at: at.toISOString(), environment },
  ]
}

const needs: Record<string, Permission> = { key: 'keys.list', event: 'webhooks.see', subscription: 'webhooks.see' }

function maySee({ kind }: Hit, role: UserRole, environment: Environment): boolean {
  return judge(needs[kind] ?? 'payments.see', role, environment) !== 'no'
}

const kinds: Record<string, string> = {
  bank_transfer: 'transfer',
  momo_transfer: 'momo-transfer',
  momo_collection: 'collection',
}

function shown(hit: Hit, environment: Environment): Record<string, unknown> {
  const { kind, title, status, amount, currency, at } = hit
  return {
    kind: kinds[kind] ?? kind,
    reference: referenceOf(hit),
    title,
    status,
    amount: amount === null ? null : toWire(amount),
    currency,
    at: at.toISOString(),
    environment,
  }
}

/** The identifier in the address of the hit's page. */
function referenceOf({ kind, id, reference }: Hit): string {
  if (kind === 'deposit') return depositReference(id)
  if (kind === 'key' || kind === 'event') return formatId(kind, id)
  return kind === 'subscription' ? formatId('webhook', id) : reference
}
