// Builds the OpenAPI 3.1 document from the same values that route, validate and answer requests, so the code cannot
// contradict it. The examples and the descriptions are written by hand; a test plays the examples on a running service,
// and compares their fields with those of release 0.2.0 (tests/openapi/released-fields.ts).

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Endpoint } from '#api/server/endpoint.ts'
import {
  errorDetail,
  record,
  timeData,
  check,
  validationError,
  pageLimitDefault,
  paginationOf,
} from '#api/server/fields.ts'
import { payloads } from '#api/v1/webhook-fields.ts'
import type { Entrance } from '#config.ts'
import { assert } from '#platform/assert.ts'
import { errorStatus, type ErrorCode, type FieldError } from '#platform/errors.ts'
import { eventExample } from '#api/openapi/examples/webhooks.ts'
import { type Example, type Refusal, commonRefusals, simulatorInProduction } from './examples/example.ts'
import { examples } from './examples/all.ts'
import { withDescriptions } from './descriptions.ts'
import { createSchemas, nameOf, reference, type Json, type Schemas } from './schemas.ts'

const tagDescriptions: Record<string, string> = {
  Deposits: 'Money that comes in: payments to virtual accounts, and successful mobile-money collections.',
  Customers: 'The people who pay you, under references of yours.',
  'Virtual accounts': 'Account numbers to pay into: static ones for a customer, dynamic ones for a single payment.',
  Transfers: 'Payouts to bank accounts. Safe to repeat: the `reference` makes it one transfer.',
  'Mobile money': 'Payouts to wallets, and collections from them.',
  Banks: 'The banks of Nigeria, and the holders of their accounts.',
  Balance: 'The balance, its statement, and the fees of payouts.',
  Webhooks: 'Subscriptions to events, and the log of their deliveries.',
  Simulator: 'Staging only: acts as the banks, the operators and the payers. In production these paths answer 403.',
  Events: 'The signed events that your subscriptions receive.',
}

function describeTags(names: string[]): { name: string; description?: string | undefined }[] {
  return [...new Set(names)].map((name) => ({ name, description: tagDescriptions[name] }))
}

const errorSchema = record('Error', {
  success: z.literal(false),
  error: errorDetail,
  requestId: z.string().describe('The id of this request. Include it when you report a problem.'),
  timestamp: timeData,
})

const integer = { type: 'integer', minimum: 0 }
const boolean = { type: 'boolean' }
const places = { page: integer, limit: integer, total: integer, totalPage: integer, hasNext: boolean, hasPrev: boolean }

const paginationSchema: Json = { type: 'object', properties: places, required: Object.keys(places) }
const pageMetaSchema: Json = {
  type: 'object',
  properties: { pagination: reference('Pagination') },
  required: ['pagination'],
}

/** The body of a success: `data` in its envelope. Both become components with a name. */
function envelopeOf(data: Json, paginated: boolean, schemas: Schemas): Json {
  const properties = {
    success: { type: 'boolean', const: true },
    data,
    ...(paginated ? { meta: reference('PageMeta') } : {}),
    requestId: { type: 'string' },
  }
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  return schemas.keep(`${nameOf(data)}Envelope`, schema)
}

const requestId = '7c3f1f0e-5a52-4b8e-9f0c-2f8f1c9be2a4'

function successExample(data: Json, pagination: Json | undefined): Json {
  return { success: true, data, ...(pagination === undefined ? {} : { meta: { pagination } }), requestId }
}

function errorExample(error: Json): Json {
  return { success: false, error, requestId, timestamp: '2026-01-15T09:30:00.000Z' }
}

const requestHeaders: Record<string, Json> = {
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
    description: 'The API version. Default: `v1`, the only one.',
    schema: reference('ApiVersion'),
  },
}

type Header = { description: string; required?: boolean; schema: Json }

const responseHeaders: Record<string, Header> = {
  'X-Request-ID': {
    description: 'Identifier of this request: yours, or a generated UUID.',
    required: true,
    schema: { type: 'string' },
  },
  'X-API-Version': {
    description: 'The version that served the request: `v1`.',
    required: true,
    schema: { type: 'string' },
  },
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
    description: '`true` if an earlier request with this reference did the work; this is the answer to that request.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you send the same request again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
}

const commonHeaders = Object.keys(responseHeaders).filter(
  (name) => !['Idempotent-Replayed', 'Retry-After'].includes(name),
)

function headersWith(...more: ('Idempotent-Replayed' | 'Retry-After')[]): Json {
  return Object.fromEntries([...commonHeaders, ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const requestHeaderReferences: Json[] = Object.keys(requestHeaders).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

/** Errors that every endpoint can respond with. */
const commonErrors: ErrorCode[] = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'UNSUPPORTED_API_VERSION',
  'VALIDATION_ERROR',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]
const bodyErrors: ErrorCode[] = ['PARSE_ERROR', 'PAYLOAD_TOO_LARGE']

type OperationFailures = {
  of(endpoint: Endpoint, example: Example | undefined): Json
  /** The shared responses and examples that some operation refers to. */
  components(): { responses: Json; examples: Json }
}

function createFailures(schemas: Schemas): OperationFailures {
  const responses: Json = {}
  const errorExamples: Json = {}
  const schema = schemas.of(errorSchema, 'output')

  /** The endpoint's own example of this error if it has one, else a reference to the common one. */
  function exampleOf(code: ErrorCode, own: Refusal | undefined): Json {
    if (own !== undefined) return { value: errorExample({ code, ...own }) }
    const { [code]: common }: Partial<Record<ErrorCode, Refusal>> = commonRefusals
    if (common === undefined) return {}
    errorExamples[code] = { value: errorExample({ code, ...common }) }
    return { $ref: `#/components/examples/${code}` }
  }

  function response(codes: ErrorCode[], own: Partial<Record<ErrorCode, Refusal>>): Json {
    const shown = codes.map((code): [string, Json] => [code, exampleOf(code, own[code])])
    return {
      description: codes.map((code) => `\`${code}\``).join(', '),
      headers: codes.some(isWorthRetrying) ? headersWith('Retry-After') : headersWith(),
      content: { 'application/json': { schema, examples: Object.fromEntries(shown) } },
    }
  }

  return {
    of(endpoint, example) {
      const elsewhere = endpoint.stagingOnly ? { FORBIDDEN: simulatorInProduction } : {}
      const own = { ...elsewhere, ...plainestMistake(endpoint), ...example?.refusals }
      const answers = [...codesByStatus(endpoint)].map(([status, codes]): [string, Json] => {
        if (codes.some((code) => Object.hasOwn(own, code))) return [String(status), response(codes, own)]
        const name = responseName(codes)
        const shared = response(codes, own)
        assert(
          responses[name] === undefined || isDeepStrictEqual(responses[name], shared),
          `two different responses are called ${name}`,
        )
        responses[name] = shared
        return [String(status), { $ref: `#/components/responses/${name}` }]
      })
      return Object.fromEntries(answers)
    },
    components: () => ({ responses, examples: errorExamples }),
  }
}

/**
 * The name of a shared response, valid as the name of a type in every language: `TransferNotFound`. A common error is
 * part of the name only if it is the only code. If there are several codes and all are common, the name is
 * `InvalidRequest`.
 */
function responseName(codes: ErrorCode[]): string {
  const own = codes.filter((code) => codes.length === 1 || !commonErrors.includes(code))
  const words = own.length === 0 ? ['INVALID', 'REQUEST'] : own.flatMap((code) => code.split('_'))
  return words.map((word) => word.charAt(0) + word.slice(1).toLowerCase()).join('')
}

function codesByStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes = [...endpoint.errors, ...commonErrors, ...(endpoint.body === undefined ? [] : bodyErrors)]
  return Map.groupBy(codes, (code) => errorStatus[code])
}

function isWorthRetrying(code: ErrorCode): boolean {
  return code === 'RATE_LIMIT_EXCEEDED' || code === 'SERVICE_UNAVAILABLE'
}

/**
 * The validation error of a request without any field. If such a request is valid, the error of a request with
 * `page=0`.
 */
function plainestMistake({ body, query }: Endpoint): Example['refusals'] {
  const details: FieldError[] = []
  check(query, {}, 'query', details)
  if (body !== undefined) check(body, {}, 'body', details)
  if (details.length === 0) check(query, { page: '0' }, 'query', details)
  return details.length === 0 ? {} : { VALIDATION_ERROR: { message: validationError(details).message, details } }
}

function operationOf(endpoint: Endpoint, schemas: Schemas, failures: OperationFailures): Json {
  const { operationId, tag, scope, summary, description, body, items, bodyOptional } = endpoint
  const example = examples[operationId]
  const parameters = [
    ...parametersOf(schemas.of(endpoint.params, 'input'), 'path', example?.params),
    ...parametersOf(schemas.of(endpoint.query, 'input'), 'query', example?.query),
  ]
  const content =
    body === undefined
      ? undefined
      : schemas.named(`${capitalized(operationId)}Request`, schemas.of(items?.bodyShown ?? body, 'input'))
  return {
    operationId,
    tags: [tag],
    summary,
    // The scope is in the description and in an extension. In a security requirement, tools would take it for an OAuth
    // scope that was not declared.
    ...(scope === 'any' ? { description } : { description: `${description} Scope: \`${scope}\`.`, 'x-scope': scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(content === undefined
      ? {}
      : { requestBody: { required: !bodyOptional, content: json(content, example?.request) } }),
    responses: { '200': success(endpoint, schemas, example), ...failures.of(endpoint, example) },
  }
}

function parametersOf(schema: Json, place: 'path' | 'query', values: Record<string, unknown> = {}): Json[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    ...(place === 'path' || required.includes(name) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(values[name] === undefined ? {} : { example: values[name] }),
  }))
}

function success(endpoint: Endpoint, schemas: Schemas, example: Example | undefined): Json {
  const { data, paginated, idempotent } = endpoint
  const shown = envelopeOf(dataOf(endpoint, schemas.of(data, 'output'), schemas), paginated, schemas)
  const headers = idempotent ? headersWith('Idempotent-Replayed') : headersWith()
  const whole = (answer: Json): Json => successExample(answer, paginated ? pageOf(answer) : undefined)
  if (example?.others === undefined) {
    return {
      description: 'Done.',
      headers,
      content: json(shown, example === undefined ? undefined : whole(example.answer)),
    }
  }
  const named = { usual: example.answer, ...example.others }
  const values = Object.entries(named).map(([name, answer]): [string, Json] => [name, { value: whole(answer) }])
  return {
    description: 'Done.',
    headers,
    content: { 'application/json': { schema: shown, examples: Object.fromEntries(values) } },
  }
}

/** The data of a response as a component: a list is named after its records, anything else after its operation. */
function dataOf({ operationId }: Endpoint, data: Json, schemas: Schemas): Json {
  const [field, ...others] = Object.values((data['properties'] ?? {}) as Record<string, Json>)
  const item = others.length === 0 ? (field?.['items'] as Json | undefined) : undefined
  return schemas.named(item === undefined ? `${capitalized(operationId)}Result` : `${nameOf(item)}List`, data)
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function pageOf(answer: Json): Json {
  const [list] = Object.values(answer)
  return paginationOf(1, pageLimitDefault, Array.isArray(list) ? list.length : 0)
}

function json(schema: Json, example: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

/** The summary of each event in the webhooks section. Each event is an operation there, which the receiver implements. */
const meanings: Record<(typeof payloads)[number]['event'], string> = {
  'transfer.success': 'A bank transfer succeeded.',
  'transfer.failed': 'A bank transfer failed; amount and fee are available again.',
  'transfer.reversed': 'The bank returned a transfer that had succeeded.',
  'deposit.success': 'A deposit to a dynamic virtual account succeeded.',
  'customer.deposit.success': "A deposit to a customer's static virtual account succeeded.",
  'momo.transfer.success': 'A mobile-money transfer succeeded.',
  'momo.transfer.failed': 'A mobile-money transfer failed.',
  'momo.collection.success': 'A collection succeeded; the money is in the balance, and the collection has a deposit.',
  'momo.collection.failed': 'A collection failed.',
  'webhook.test': 'A test of one subscription. No subscription can name this event.',
}

const rules =
  'Sent at least once, in no guaranteed order, with the same body at every attempt. Verify the signature over the raw ' +
  'body, store the `id` to recognize repeats, answer 2xx within 30 seconds, and process the event afterwards.'

const webhookHeaders: Record<string, { description: string; example: string }> = {
  'X-Webhook-Signature': {
    description:
      '`t`, the time in Unix seconds, and one or two `v1`: the HMAC-SHA256, in hex, of t, a dot and the raw body, with the secret as key.',
    example: 't=1768469401,v1=4de42d821410e7f78a1f5d5bcc7ee1e375b36f1a56cf1db2c345a5d3101d823f',
  },
  'X-Webhook-Id': { description: 'The `id` of the body.', example: 'evt_01m80ryj1ee01vhcb9kf81xg7s' },
  'X-Webhook-Event': { description: 'The `event` of the body.', example: 'transfer.success' },
  'X-Webhook-Attempt': { description: 'The number of the attempt, counted from 1.', example: '1' },
  'webhook-id': { description: 'The message id of Standard Webhooks.', example: 'evt_01m80ryj1ee01vhcb9kf81xg7s' },
  'webhook-timestamp': { description: 'The timestamp of Standard Webhooks, in Unix seconds.', example: '1768469401' },
  'webhook-signature': {
    description: 'The signatures of Standard Webhooks, separated by spaces.',
    example: 'v1,cjEEzecrcHRHa4/m5qWkPqqUKuzqg6nkQMJqBt9Pw8k=',
  },
}

const webhookResponses = {
  '2XX': { description: 'Received. Preferably 200 with an empty body.' },
  '410': { description: 'Not received. The service disables the subscription and sends nothing more to it.' },
  default: {
    description:
      'Not received. The service sends the event again with growing delays, by default for three days in production and for 13 minutes on staging.',
  },
}

function webhooksSection(schemas: Schemas): Json {
  const section = payloads.map(({ event, schema }): [string, Json] => [
    event,
    {
      post: {
        operationId: operationIdOf(event),
        tags: ['Events'],
        summary: meanings[event],
        description: rules,
        security: [],
        parameters: deliveryHeaders,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemas.of(schema, 'output'), example: eventExample(event) } },
        },
        responses: webhookResponses,
      },
    },
  ])
  return Object.fromEntries(section)
}

/**
 * The headers of a delivery. They are not components, because generators that ignore webhooks would find them unused.
 */
const deliveryHeaders: Json[] = Object.entries(webhookHeaders).map(([name, { description, example }]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
}))

/** `transfer.success` → `receiveTransferSuccess`. */
function operationIdOf(event: string): string {
  return `receive${event.split('.').map(capitalized).join('')}`
}

const apiDescription = [
  'Amounts are integers in the minor unit of their currency: ₦1,500.00 is 150000, and XOF 1,500 is 1500. Times are ISO 8601 in UTC. Call the API only from a backend: everyone can read a key in a browser.',
  'The examples tell one story of a new business on staging. If you send the same requests, ids, account numbers, secrets and times differ; the rest is as shown.',
].join('\n\n')

export function openApiDocument(endpoints: Endpoint[], entrances: Entrance[]): Json {
  const schemas = createSchemas()
  const failures = createFailures(schemas)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const before = paths[path] ?? { parameters: requestHeaderReferences }
    paths[path] = { ...before, [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas, failures) }
  }
  const webhooks = webhooksSection(schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Manilla',
      version: '1',
      summary: 'Payments in naira and mobile money.',
      description: apiDescription,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: entrances.map(({ baseUrl, environment }) => ({ url: baseUrl, description: environment })),
    security: [{ apiKey: [] }],
    tags: describeTags([...endpoints.map((endpoint) => endpoint.tag), 'Events']),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'sk_test_… on staging, sk_live_… in production.' },
      },
      parameters: requestHeaders,
      headers: responseHeaders,
      schemas: {
        ...schemas.all(),
        Pagination: withDescriptions('Pagination', paginationSchema),
        PageMeta: pageMetaSchema,
      },
      ...failures.components(),
    },
  }
}
