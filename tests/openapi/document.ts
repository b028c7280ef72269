// docs/openapi.json for tests.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

export const documentText = readFileSync(path.resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8')
export const document = JSON.parse(documentText) as Json

export type Operation = { id: string; method: string; path: string; operation: Json }

export const methods = ['get', 'post', 'patch', 'delete']

export const operations: Operation[] = Object.entries(document['paths'] as Json).flatMap(([path_, item]) =>
  methods
    .filter((method) => Object.hasOwn(item, method))
    .map((method) => ({
      id: item[method].operationId,
      method: method.toUpperCase(),
      path: path_,
      operation: item[method],
    })),
)

export function operationOf(id: string): Operation {
  const found = operations.find((one) => one.id === id)
  if (found === undefined) throw new Error(`there is no operation ${id}`)
  return found
}

export function resolved(value: Json): Json {
  if (typeof value['$ref'] !== 'string') return value
  return value['$ref']
    .slice(2)
    .split('/')
    .reduce<Json>((inside, key) => inside[key], document)
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ ...inWhole({ components: { schemas: document['components'].schemas } }), $id: 'whole' })

/**
 * Cached by the text of the schema: most responses share a few schemas, and compiling one takes longer than using it.
 */
const validators = new Map<string, ValidateFunction>()

/** Returns what is wrong with a value by its schema. A field that the schema does not name is wrong too. */
export function validatorOf(schema: Json): (value: unknown) => string[] {
  const key = JSON.stringify(schema)
  const validate = validators.get(key) ?? ajv.compile(inWhole(schema))
  validators.set(key, validate)
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`)
}

export function faultsOf(schema: Json, value: unknown): string[] {
  return validatorOf(schema)(value)
}

/**
 * Makes the references of a schema lead into the whole document, and forbids further fields. The published schemas
 * allow further fields, because answers may gain some, but today's fields must all be described.
 */
function inWhole(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref') return String(value).replace('#/', 'whole#/')
    const isRecord = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
    return isRecord && !('additionalProperties' in value) ? { ...value, additionalProperties: false } : value
  }) as Json
}
