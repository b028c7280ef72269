// Defines an endpoint as one value: its path, input, output and handler. The router, the validation and the OpenAPI
// document are all made from it, so they cannot disagree.

import type { z } from 'zod'
import type { Actor, Tenant } from '#platform/context.ts'
import type { Scope, Caller } from '#businesses/keyring.ts'
import { type ErrorCode, ApiError, Unavailable, type FieldError } from '#platform/errors.ts'
import type { Asker } from '#payments/service.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { Turns } from '#platform/concurrency.ts'
import { bodyBytesMax, hasBody, parseBody, readJsonBody, readQuery } from './input.ts'
import type { LoggedFault, Exchange } from './exchange.ts'
import { noParams, noQuery, check, validationError } from './fields.ts'
import { answer, successBody } from './answer.ts'
import type { FoundRoute } from './pipeline.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Unread } from './connections.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Pagination = {
  page: number
  limit: number
  total: number
  totalPage: number
  hasNext: boolean
  hasPrev: boolean
}

export type Reply<D = Record<string, unknown>> = {
  data: D
  pagination?: Pagination
  /** True if an earlier request with this reference did the work; sent as `Idempotent-Replayed: true`. */
  replayed?: boolean
  /** The wrong fields of refused items of a bulk request, for the request log. */
  faults?: LoggedFault[]
}

type Input<Params, Query, Body> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  /**
   * The tenant and the key that the request was made with. The key is null if a user of the dashboard made the
   * request.
   */
  caller: { tenant: Tenant } & Asker
  requestId: string
  by: () => Actor
}

export type EndpointOptions<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Data extends z.ZodType,
> = {
  /** The method's name in generated clients. It begins with a verb and never changes. */
  operationId: string
  method: Method
  path: `/v1/${string}`
  /** The scope that a key needs. `any`: any valid key, because the endpoint shows and changes no data of a business. */
  scope: Scope | 'any'
  tag: string
  summary: string
  description: string
  params?: Params
  query?: Query
  /** Absent if the endpoint takes no body: on reads, and on `POST …/test` for example. A body that is sent is ignored. */
  body?: Body
  /** True if the caller may leave the body out; it is then taken as `{}`. */
  bodyOptional?: boolean
  /** Default: 100 KiB. */
  bodyBytesMax?: number
  /**
   * The array whose items `handle` validates one by one, so that an error in an item, even a NUL, refuses only that
   * item. `body` does not describe the items; the API reference shows `bodyShown` instead.
   */
  items?: { field: string; bodyShown: z.ZodType }
  /** Returns the number of requests that a call counts as in the quota. Default: one. */
  countsAs?: (body: z.output<Body>) => number
  /** True if the endpoint controls the simulator. In production it answers 403. */
  stagingOnly?: boolean
  /** True if a second request with the same reference gets the first response, with `Idempotent-Replayed: true`. */
  idempotent?: boolean
  /** True if a path without the last parameter (`/v1/deposits/`) selects this endpoint and not the list above it. */
  emptyReference?: boolean
  data: Data
  paginated?: boolean
  /** Error codes of this endpoint, in addition to the common ones (see openapi/document.ts). */
  errors?: ErrorCode[]
  handle: (input: Input<Params, Query, Body>) => Promise<Reply<z.input<Data> & Record<string, unknown>>>
}

/** An endpoint without its type parameters, as the pipeline runs it. */
export type Endpoint = {
  operationId: string
  method: Method
  path: string
  scope: Scope | 'any'
  tag: string
  summary: string
  description: string
  params: z.ZodType
  query: z.ZodType
  body: z.ZodType | undefined
  bodyOptional: boolean
  bodyBytesMax: number
  items: { field: string; bodyShown: z.ZodType } | undefined
  countsAs: ((body: unknown) => number) | undefined
  stagingOnly: boolean
  idempotent: boolean
  emptyReference: boolean
  data: z.ZodType
  paginated: boolean
  errors: ErrorCode[]
  handle: (input: Input<z.ZodType, z.ZodType, z.ZodType>) => Promise<Reply>
}

export function endpoint<
  Data extends z.ZodType,
  Params extends z.ZodType = typeof noParams,
  Query extends z.ZodType = typeof noQuery,
  Body extends z.ZodType = z.ZodType,
>(options: EndpointOptions<Params, Query, Body, Data>): Endpoint {
  return {
    params: noParams,
    query: noQuery,
    body: undefined,
    bodyOptional: false,
    bodyBytesMax,
    items: undefined,
    stagingOnly: false,
    idempotent: false,
    emptyReference: false,
    paginated: false,
    errors: [],
    ...options,
    countsAs: options.countsAs as Endpoint['countsAs'],
    handle: options.handle,
  }
}

const replayedHeader = ['Idempotent-Replayed', 'true']

/** Limits that keep one business from using up the database connections and the memory that all share. */
export type EndpointLimits = { rateLimit: RateLimit; listTurns: Turns; unread: Unread }

export async function runEndpoint(
  exchange: Exchange,
  { endpoint: target, params }: FoundRoute,
  caller: Caller,
  { rateLimit, listTurns, unread }: EndpointLimits,
): Promise<void> {
  const { id: tenantId } = caller.tenant
  unread.check(tenantId)
  const fields = await readInput(exchange, target, params)
  const by = (): Actor => ({ kind: 'key', name: formatId('key', caller.keyId), address: exchange.callerAddress })
  const input = { ...fields, caller, requestId: exchange.requestId, by }
  if (target.countsAs !== undefined) rateLimit.countAs(exchange, caller, target.countsAs(input.body))
  const handle = (): ReturnType<Endpoint['handle']> => target.handle(input)
  const reply = await (target.paginated ? listTurns.run(tenantId, unlessLeft(exchange, handle)) : handle())
  answerReply(exchange, target, reply, { unread, owner: tenantId })
}

type Reads = Pick<Endpoint, 'params' | 'query' | 'body' | 'bodyOptional' | 'bodyBytesMax' | 'items'>

type Fields = { params: unknown; query: unknown; body: unknown }

/** Reads and validates path, query and body. One error lists the wrong fields of all three. */
export async function readInput(exchange: Exchange, reads: Reads, params: FoundRoute['params']): Promise<Fields> {
  const { request, response } = exchange
  const takesBody = reads.body !== undefined && hasBody(request)
  const sent = takesBody ? await readJsonBody(request, response, reads.bodyBytesMax) : undefined
  exchange.sent = sent
  const uncheckedBody = readFields(exchange, reads, sent)
  if (exchange.badAddress !== undefined) throw validationError([exchange.badAddress])
  const details: FieldError[] = []
  const fields = {
    params: check(reads.params, params, 'path', details),
    query: check(reads.query, readQuery(exchange.rawQuery), 'query', details),
    body: reads.body === undefined ? undefined : check(reads.body, uncheckedBody, 'body', details),
  }
  exchange.reference = referenceIn(fields.params) ?? referenceIn(uncheckedBody)
  if (details.length > 0) throw validationError(details)
  return fields
}

/**
 * `counted` names the owner of the response for the limit on unread responses. It is undefined for callers who are not
 * signed in, because their responses are small.
 */
export function answerReply(
  exchange: Exchange,
  { method }: Pick<Endpoint, 'method'>,
  reply: Reply,
  counted: { unread: Unread; owner: Uuid } | undefined,
  headers: string[] = [],
): void {
  exchange.reference ??= referenceIn(reply.data)
  exchange.faults = reply.faults
  const body = successBody(exchange.requestId, reply)
  // A read that is refused here can be repeated. A write was already carried out, so its result is always sent.
  if (method === 'GET') counted?.unread.check(counted.owner)
  counted?.unread.add(counted.owner, exchange.response, body)
  answer(exchange, 200, body, reply.replayed === true ? [...headers, ...replayedHeader] : headers)
}

/** Skips the work if the caller disconnected while the request waited in line. */
function unlessLeft<T>({ request }: Exchange, work: () => Promise<T>): () => Promise<T> {
  return () => (request.socket.destroyed ? Promise.reject(new Unavailable('The caller disconnected.')) : work())
}

const referenceForm = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,99}$/

/** The reference for the log, also for a request whose other fields are wrong. */
function referenceIn(fields: unknown): string | undefined {
  const { reference } = (fields ?? {}) as { reference?: unknown }
  return typeof reference === 'string' && referenceForm.test(reference) ? reference : undefined
}

function readFields(
  { request }: Exchange,
  { body, bodyOptional, items }: Reads,
  sent: Buffer | undefined,
): Record<string, unknown> | undefined {
  if (body === undefined) return undefined
  // A chunked body of zero bytes counts as no body.
  if (sent !== undefined && sent.length > 0) return parseBody(request, sent, items?.field)
  if (bodyOptional) return {}
  throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is empty; send a JSON object.')
}
