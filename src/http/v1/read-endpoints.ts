// What is read of a business: one thing by what its path names, or a page of a list.

import { z } from 'zod'
import type { Tenant } from '#base/context.ts'
import type { ApiError } from '#base/error.ts'
import type { PageQuestion } from '#base/ordinal.ts'
import { endpoint, type Endpoint, type EndpointOptions } from '#http/endpoint.ts'
import { paginationOf } from '#http/paging.ts'

type Fields = Record<string, unknown>

type Described = 'operationId' | 'path' | 'tag' | 'summary' | 'description' | 'emptyReference'

export type ReadOptions<Params extends z.ZodType, Data extends z.ZodType<Fields, Fields>, Found> = Pick<
  EndpointOptions<Params, z.ZodType, z.ZodType, Data>,
  Described
> & {
  params: Params
  data: Data
  find: (tenant: Tenant, params: z.output<Params>) => Promise<Found | undefined>
  show: (found: Found, tenant: Tenant) => z.input<Data>
  notFound: () => ApiError
}

/** 404 where there is none. */
export function readEndpoint<Params extends z.ZodType, Data extends z.ZodType<Fields, Fields>, Found>({
  find,
  show,
  notFound,
  ...described
}: ReadOptions<Params, Data, Found>): Endpoint {
  return endpoint({
    ...described,
    method: 'GET',
    scope: 'read',
    errors: [notFound().code],
    handle: async ({ caller: { tenant }, params }) => {
      const found = await find(tenant, params)
      if (found === undefined) throw notFound()
      return { data: show(found, tenant) }
    },
  })
}

export type ListOptions<Query extends z.ZodType<PageQuestion>, Item extends z.ZodType<Fields, Fields>> = Pick<
  EndpointOptions<z.ZodType, Query, z.ZodType, z.ZodType>,
  Exclude<Described, 'emptyReference'>
> & {
  /** What the answer calls the list. */
  name: string
  item: Item
  query: Query
  list: (tenant: Tenant, query: z.output<Query>) => Promise<{ items: z.input<Item>[]; total: number }>
}

/** A page of a list, the latest first. */
export function listEndpoint<Query extends z.ZodType<PageQuestion>, Item extends z.ZodType<Fields, Fields>>({
  name,
  item,
  list,
  ...described
}: ListOptions<Query, Item>): Endpoint {
  return endpoint({
    ...described,
    method: 'GET',
    scope: 'read',
    data: z.object({ [name]: z.array(item) }),
    paginated: true,
    handle: async ({ caller, query }) => {
      const { items, total } = await list(caller.tenant, query)
      return { data: { [name]: items }, pagination: paginationOf(query.page, query.limit, total) }
    },
  })
}
