// Defines an endpoint as one value: its path, input, output and handler. The router, the validation and the OpenAPI
// document are all made from it, so they cannot disagree.

import type { z } from 'zod'
import type { Actor, Tenant } from '#platform/context.ts'
import type { Scope } from '#businesses/keyring.ts'
import type { ErrorCode } from '#platform/errors.ts'
import type { Asker } from '#payments/service.ts'
import { bodyBytesMax } from './input.ts'
import type { LoggedFault } from './exchange.ts'
import { noParams, noQuery } from './fields.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Pagination = {
  page: number
  limit: number
  total: number
  totalPage: number
  hasNext: boolean
  hasPrev: boolean
}

/** The result of an endpoint: `data`, the pagination of a list, and whether it is a replay. */
export type Reply<D = Record<string, unknown>> = {
  data: D
  pagination?: Pagination
  /** True when an earlier request with this reference did the work. */
  replayed?: boolean
  /** Why items of the request were refused, for the log of requests. */
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
  /** The caller, as the audit log names it. */
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
  /**
   * The scope that a key needs. `any`: the endpoint neither reads nor changes data of a business, so any valid key
   * will do.
   */
  scope: Scope | 'any'
  tag: string
  summary: string
  description: string
  /** Absent if the path has no parameters. */
  params?: Params
  query?: Query
  /** Absent on reads. */
  body?: Body
  /** A POST whose body is optional. */
  bodyOptional?: boolean
  /** Set if a body may be larger than usual. */
  bodyBytesMax?: number
  /**
   * The field whose items `handle` validates one by one, so that an error in one item, even a NUL, refuses only that
   * item. The API reference shows `bodyShown`, because `body` only says that the items are an array.
   */
  items?: { field: string; bodyShown: z.ZodType }
  /** The number of requests that a request with this body counts as against the quota. Default: one. */
  countsAs?: (body: z.output<Body>) => number
  /** A control of the simulator: in production it answers 403. */
  stagingOnly?: boolean
  /** The same reference again returns the first response, with `Idempotent-Replayed: true`. */
  idempotent?: boolean
  /**
   * A path that ends after its last slash selects this endpoint with an empty last parameter, not the list above it.
   */
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
