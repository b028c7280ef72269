// Endpoints for tests, made as the product's are, one of each kind: a list, a read, writes with and without a body, and
// some that fail on purpose.

import { z } from 'zod'
import { ApiError, Unavailable } from '#platform/errors.ts'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import {
  amount,
  limitParameter,
  noParams,
  noQuery,
  pageParameter,
  reference,
  text,
  paginationOf,
} from '#api/server/fields.ts'

export type TestEndpoints = {
  list: Endpoint[]
  /** The requests that reached a handler. No other was executed. */
  handled: unknown[]
  /** How many notes the list claims to have. */
  total: { notes: number }
  /** Requests to GET /v1/slow that wait for the test to release them. */
  gates: (() => void)[]
}

const note = z.object({
  reference,
  amount,
  title: text(20),
  labels: z.record(text(20), text(40)).nullable().default(null),
})
const anyData = z.record(z.string(), z.unknown())

export function createTestEndpoints(): TestEndpoints {
  const handled: unknown[] = []
  const gates: (() => void)[] = []
  const total = { notes: 45 }
  const common = { scope: 'any' as const, tag: 'Test', summary: 'For tests', description: 'For tests', data: anyData }
  const see = (what: Record<string, unknown>): { data: Record<string, unknown> } => {
    handled.push(what)
    return { data: what }
  }
  const list = [
    endpoint({
      ...common,
      operationId: 'createNote',
      method: 'POST',
      path: '/v1/notes',
      scope: 'collect',
      params: noParams,
      query: noQuery,
      body: note,
      handle: async ({ body }) => ({
        ...see({ ...body, amount: Number(body.amount), kind: typeof body.amount }),
        replayed: body.title === 'again',
      }),
    }),
    endpoint({
      ...common,
      operationId: 'listNotes',
      method: 'GET',
      path: '/v1/notes',
      paginated: true,
      params: noParams,
      query: z.object({ page: pageParameter, limit: limitParameter }),
      handle: async ({ query }) => {
        const first = (query.page - 1) * query.limit
        const notes = Array.from(
          { length: Math.max(0, Math.min(query.limit, total.notes - first)) },
          (_, index) => first + index,
        )
        return { ...see({ notes }), pagination: paginationOf(query.page, query.limit, total.notes) }
      },
    }),
    endpoint({
      ...common,
      operationId: 'getNote',
      method: 'GET',
      path: '/v1/notes/:reference',
      params: z.object({ reference }),
      query: noQuery,
      handle: async ({ params }) => see({ reference: params.reference }),
    }),
    endpoint({
      ...common,
      operationId: 'updateNote',
      method: 'PATCH',
      path: '/v1/notes/:reference',
      params: z.object({ reference }),
      query: z.object({ page: pageParameter }),
      body: z.object({ title: text(20).optional() }),
      handle: async ({ params, body }) => see({ ...params, ...body }),
    }),
    endpoint({
      ...common,
      operationId: 'nudge',
      method: 'POST',
      path: '/v1/nudges',
      params: noParams,
      query: noQuery,
      body: z.object({ force: z.boolean('must be true or false').default(false) }),
      bodyOptional: true,
      handle: async ({ body }) => see(body),
    }),
    endpoint({
      ...common,
      operationId: 'waitForNote',
      method: 'GET',
      path: '/v1/slow',
      params: noParams,
      query: noQuery,
      handle: async ({ requestId }) => {
        await new Promise<void>((resolve) => gates.push(resolve))
        return see({ slow: requestId })
      },
    }),
    ...failing(common),
  ]
  return { list, handled, total, gates }
}

function failing(common: {
  scope: 'any'
  tag: string
  summary: string
  description: string
  data: typeof anyData
}): Endpoint[] {
  const failingWith = (path: `/v1/${string}`, make: () => unknown): Endpoint =>
    endpoint({
      ...common,
      operationId: `fail${path.replaceAll(/\W/g, '-')}`,
      method: 'GET',
      path,
      params: noParams,
      query: noQuery,
      handle: () => Promise.reject(make()),
    })
  return [
    failingWith('/v1/broken', () =>
      Object.assign(new Error('a bug of ours'), { detail: 'Failing row contains (0123456789)' }),
    ),
    failingWith('/v1/thrown-text', () => 'not an Error at all'),
    failingWith(
      '/v1/unwritable',
      () => new ApiError('CONFLICT', 'a header that no answer can carry', { headers: { Allow: 'a\r\nb' } }),
    ),
    failingWith('/v1/full', () => new Unavailable('Too many requests are waiting. Try again shortly.')),
    failingWith('/v1/conflict', () => new ApiError('CONFLICT', 'It exists already.', { internal: 'the whole truth' })),
  ]
}
