// The OpenAPI 3.1 document, made from the same schemas that check requests. Nothing in it is written by hand that the
// code could contradict.

import { z } from 'zod'
import { errorStatus, type ErrorCode } from '#base/error.ts'
import type { Entrance } from '#config.ts'
import type { Endpoint } from './endpoint.ts'

type Json = Record<string, unknown>

/** Every endpoint behind a key can answer with these. */
const commonErrors: ErrorCode[] = [
  'UNAUTHORIZED',
  'UNSUPPORTED_API_VERSION',
  'VALIDATION_ERROR',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]
const bodyErrors: ErrorCode[] = ['PARSE_ERROR', 'PAYLOAD_TOO_LARGE']

export function openApiDocument(endpoints: Endpoint[], entrances: Entrance[]): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Manilla',
      version: '1',
      summary: 'Payments in naira and mobile money.',
      description:
        'Amounts are integers in kobo. Times are ISO 8601 in UTC. Call it from a backend only: a key in a browser is a key given away.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: entrances.map(({ baseUrl, environment }) => ({ url: baseUrl, description: environment })),
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'sk_test_… on staging, sk_live_… in production.' },
      },
      schemas: { Error: errorSchema(), Pagination: paginationSchema() },
      headers: responseHeaders(),
    },
  }
}

function operation(endpoint: Endpoint): Json {
  const parameters = [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')]
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: requestBody(endpoint.items?.bodyShown ?? endpoint.body, !endpoint.bodyOptional) }),
    responses: { '200': success(endpoint), ...failures(endpoint) },
  }
}

/** `GET /v1/deposits/:reference` → `getDepositsByReference`. */
function operationId(endpoint: Endpoint): string {
  const words = endpoint.path
    .split('/')
    .slice(2)
    .flatMap((part) => part.replace(':', 'by-').split('-'))
  return endpoint.method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // A field may say how it looks on the wire, where that differs from what the check works on.
    override: ({ zodSchema, jsonSchema }) => {
      const { wire } = (z.globalRegistry.get(zodSchema) ?? {}) as { wire?: Json }
      if (wire === undefined) return
      for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Json)[key]
      Object.assign(jsonSchema, wire)
    },
  }) as Json
  delete made['$schema']
  return made
}

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    const about = description === undefined ? {} : { description }
    return { name, in: place, required: place === 'path' || required.includes(name), ...about, schema: rest }
  })
}

function requestBody(schema: z.ZodType, required: boolean): Json {
  return { required, content: { 'application/json': { schema: schemaOf(schema, 'input') } } }
}

const headerNames = ['X-Request-ID', 'X-API-Version', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

function headerReferences(): Json {
  return Object.fromEntries(headerNames.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function success(endpoint: Endpoint): Json {
  const meta = {
    type: 'object',
    properties: { pagination: { $ref: '#/components/schemas/Pagination' } },
    required: ['pagination'],
  }
  const properties = {
    success: { type: 'boolean', const: true },
    data: schemaOf(endpoint.data, 'output'),
    ...(endpoint.paginated ? { meta } : {}),
    requestId: { type: 'string' },
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  return { description: 'Done.', headers: headerReferences(), content: { 'application/json': { schema } } }
}

function failures(endpoint: Endpoint): Json {
  const codes = [...endpoint.errors, ...commonErrors, ...(endpoint.body === undefined ? [] : bodyErrors)]
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) byStatus.set(errorStatus[code], [...(byStatus.get(errorStatus[code]) ?? []), code])
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  const answers = [...byStatus].map(([status, list]): [string, Json] => [
    String(status),
    { description: list.map((code) => `\`${code}\``).join(', '), headers: headerReferences(), content },
  ])
  return Object.fromEntries(answers)
}

function errorSchema(): Json {
  const detail = {
    type: 'object',
    properties: { field: { type: 'string' }, message: { type: 'string' } },
    required: ['field', 'message'],
  }
  const error = {
    type: 'object',
    properties: {
      code: { type: 'string', enum: Object.keys(errorStatus) },
      message: { type: 'string' },
      details: { type: 'array', items: detail },
    },
    required: ['code', 'message'],
  }
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      error,
      requestId: { type: 'string' },
      timestamp: { type: 'string', format: 'date-time' },
    },
    required: ['success', 'error', 'requestId', 'timestamp'],
  }
}

function paginationSchema(): Json {
  const integer = { type: 'integer', minimum: 0 }
  const boolean = { type: 'boolean' }
  const properties = {
    page: integer,
    limit: integer,
    total: integer,
    totalPage: integer,
    hasNext: boolean,
    hasPrev: boolean,
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}

function responseHeaders(): Json {
  const header = (description: string, type: string): Json => ({ description, required: true, schema: { type } })
  return {
    'X-Request-ID': header('Identifier of this request.', 'string'),
    'X-API-Version': header('Version that served the response.', 'string'),
    'X-RateLimit-Limit': header('Requests allowed in the current window.', 'integer'),
    'X-RateLimit-Remaining': header('Requests left in the current window.', 'integer'),
    'X-RateLimit-Reset': header('Unix time at which the window ends.', 'integer'),
  }
}
