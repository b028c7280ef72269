// What an endpoint is: one value that says where it stands, what it takes, what it gives and what it does. The router,
// the validation and the OpenAPI document are all made from it, so they cannot disagree.

import type { z } from 'zod'
import type { Actor, Tenant } from '#platform/context.ts'
import type { Scope } from '#businesses/keyring.ts'
import type { ErrorCode } from '#platform/errors.ts'
import type { Asker } from '#payments/service.ts'
import { bodyBytesMax } from './input.ts'
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

/** What an endpoint answers: `data`, perhaps a page's place in its list, perhaps the mark of a replay. */
export type Reply<D = Record<string, unknown>> = {
  data: D
  pagination?: Pagination
  /** True when an earlier request with this reference did the work. */
  replayed?: boolean
}

type Input<Params, Query, Body> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  /** Whose rows they are, and the key that asks. Null: a person in the dashboard does. */
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
  /** What clients that are made from the API description call it. A verb first; it never changes. */
  operationId: string
  method: Method
  path: `/v1/${string}`
  /** What a key must be allowed to do; `any`: nothing of a business is read or changed, so whoever has a key may ask. */
  scope: Scope | 'any'
  tag: string
  summary: string
  description: string
  /** Absent where the path names nothing. */
  params?: Params
  query?: Query
  /** Absent on reads. */
  body?: Body
  /** A POST that may come without any body. */
  bodyOptional?: boolean
  /** Where a body may be larger than usual. */
  bodyBytesMax?: number
  /**
   * The field whose items `handle` judges one by one, with what the API reference shows in place of `body`, which knows of
   * items only that they are many. What is wrong with an item, be it a NUL, then refuses that item alone.
   */
  items?: { field: string; bodyShown: z.ZodType }
  /** As how many requests one with this body counts against the quota; as one when absent. */
  countsAs?: (body: z.output<Body>) => number
  /** A control of the simulator: in production it answers 403. */
  stagingOnly?: boolean
  /** The same reference again is answered as it was first, with `Idempotent-Replayed: true`. */
  idempotent?: boolean
  /** A path that ends after its last slash means this endpoint with an empty last parameter, not the list above it. */
  emptyReference?: boolean
  data: Data
  paginated?: boolean
  /** The error codes that this endpoint can answer beside the common ones (see openapi/failures.ts). */
  errors?: ErrorCode[]
  handle: (input: Input<Params, Query, Body>) => Promise<Reply<z.input<Data> & Record<string, unknown>>>
}

/** An endpoint whose types are checked already: what the pipeline runs. */
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
