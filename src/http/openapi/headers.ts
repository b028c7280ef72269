// The headers that requests may and answers do carry, each described once.

import type { Json } from './schemas.ts'

export const requestHeaders: Record<string, Json> = {
  'X-Request-ID': {
    name: 'X-Request-ID',
    in: 'header',
    description:
      'Your own identifier of this request: 1 to 128 visible ASCII characters. Anything else is replaced by a UUID.',
    schema: { type: 'string' },
  },
  'X-API-Version': {
    name: 'X-API-Version',
    in: 'header',
    description: 'The version that is asked for; left out, it is `v1`.',
    schema: { type: 'string', enum: ['v1'] },
  },
}

type Header = { description: string; required?: boolean; schema: Json }

export const responseHeaders: Record<string, Header> = {
  'X-Request-ID': {
    description: 'Identifier of this request: yours, or one that was made.',
    required: true,
    schema: { type: 'string' },
  },
  'X-API-Version': { description: 'Version that served the answer.', required: true, schema: { const: 'v1' } },
  'X-RateLimit-Limit': {
    description: 'Requests allowed in the current window.',
    required: true,
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current window.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'Unix time, in seconds, at which the window ends.',
    required: true,
    schema: { type: 'integer' },
  },
  'Idempotent-Replayed': {
    description: '`true` when an earlier request with this reference did the work, and this is its answer.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'After how many seconds to try the same request again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
}

const common = Object.keys(responseHeaders).filter((name) => !['Idempotent-Replayed', 'Retry-After'].includes(name))

/** References to the headers that every answer carries, and to these. */
export function headersWith(...more: ('Idempotent-Replayed' | 'Retry-After')[]): Json {
  return Object.fromEntries([...common, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** References to the headers that every request may carry. */
export const requestHeaderReferences: Json[] = Object.keys(requestHeaders).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))
