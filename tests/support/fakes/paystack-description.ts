// Validates every request that reaches the fake against Paystack's own description of the parts of its API that we use
// (fixtures/paystack-openapi.json), so that no test sends a request that the provider does not describe.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import description from '#tests/rails/fixtures/paystack-openapi.json' with { type: 'json' }
import type { Asked } from './provider.ts'

type Schema = Record<string, unknown>
type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}

/** Corrections of the description, by Paystack's other documents or its answers. Each names its source. */
export const knownBetter: Record<string, { fields: Record<string, Schema>; because: string }> = {
  'GET /transfer': {
    fields: { perPage: { type: 'integer' } },
    because: 'the page "List Transfers" says perPage, as all other lists do; the description says per_page',
  },
  'GET /transaction': {
    fields: { perPage: { type: 'integer' } },
    because: 'the page "List Transactions" says perPage; the description says per_page',
  },
  'GET /refund': {
    fields: { transaction: { type: 'integer' } },
    because: 'the page "List Refunds" has it; a list that does not heed it is read through',
  },
  'GET /bank/resolve': {
    fields: { account_number: { type: 'string' }, bank_code: { type: 'string' } },
    because: 'described as integers, but codes hold letters (035A), and numbers begin with 0',
  },
  'POST /transferrecipient': {
    fields: { type: { type: 'string', enum: ['nuban', 'mobile_money', 'mobile_money_business'] } },
    because: 'the page "Create Transfer Recipients" pays tills and paybills in Kenya; the description has no such type',
  },
  'POST /transfer': {
    fields: { account_reference: { type: 'string' } },
    because:
      'the page "Initiate Transfer" requires it in Kenya for tills and paybills; the description does not have it',
  },
  'POST /charge': {
    fields: {
      currency: { type: 'string', enum: ['GHS', 'KES', 'XOF'] },
      bank_transfer: {
        type: 'object',
        properties: { account_expires_at: { type: 'string', format: 'date-time' } },
        additionalProperties: false,
      },
    },
    because: 'the pages "Pay with Transfer" and "Mobile Money" and their samples have them; the description does not',
  },
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const formats = { 'date-time': dateTime, date: /^\d{4}-\d\d-\d\d$/, int64: true } as const

/** Values of a query are text, so they are read as the type that the description wants. */
const [bodies, queries] = [false, true].map((coerceTypes) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes, formats })
  return ajv.addSchema({ ...description, $id: 'paystack' })
})

type Described = { id: string; path: RegExp; query: ValidateFunction; body: ValidateFunction | undefined }

const operations: Described[] = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(([method, operation]) =>
    describe(`${method.toUpperCase()} ${path}`, operation),
  ),
)

function describe(id: string, { parameters = [], requestBody }: Operation): Described {
  const better = knownBetter[id]?.fields ?? {}
  const asked = parameters.filter((one) => one.in === 'query')
  const query = {
    type: 'object',
    properties: Object.assign(Object.fromEntries(asked.map(({ name, schema }) => [name, schema])), better),
    required: asked.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  }
  const schema = requestBody?.content['application/json'].schema
  return {
    id,
    path: new RegExp(`^${id.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    query: compile(queries, schema === undefined ? query : { ...query, properties: {} }),
    body:
      schema === undefined
        ? undefined
        : compile(bodies, { allOf: [without(schema, better), { properties: better }], unevaluatedProperties: false }),
  }
}

/** The schema without the properties that are corrected. */
function without(schema: Schema, better: Record<string, Schema>): Schema {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].slice('#/components/schemas/'.length) : ''
  const whole = (description.components.schemas as Record<string, Schema>)[name] ?? schema
  const properties = Object.entries(whole['properties'] ?? {}).filter(([property]) => !Object.hasOwn(better, property))
  return 'properties' in whole ? { ...whole, properties: Object.fromEntries(properties) } : schema
}

function compile(ajv: Ajv2020 | undefined, schema: Schema): ValidateFunction {
  if (ajv === undefined) throw new Error('there are two of them')
  // The schema is resolved within the whole description, because its references point there.
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"paystack#/components')) as Schema)
}

/** Returns how a request breaks the description. */
export function undescribed({
  method,
  path,
  query,
  body,
}: Pick<Asked, 'method' | 'path' | 'query' | 'body'>): string[] {
  const fitting = operations.filter((one) => one.path.test(`${method} ${path}`))
  // A path without placeholders wins over one with a placeholder.
  const [operation] = fitting.toSorted((one, other) => Number(one.id.includes('{')) - Number(other.id.includes('{')))
  if (operation === undefined) return [`${method} ${path} is not described`]
  const { id } = operation
  const names = [...query.keys()]
  return [
    ...(new Set(names).size === names.length ? [] : [`${id}: a parameter comes twice`]),
    ...complaintsOf(id, operation.query, Object.fromEntries(query)),
    ...(operation.body === undefined
      ? body === undefined
        ? []
        : [`${id} came with a body`]
      : complaintsOf(id, operation.body, body)),
  ]
}

function complaintsOf(id: string, validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${id}${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
