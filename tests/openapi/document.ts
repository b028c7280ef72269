// docs/openapi.json as tests look at it.

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

/** What stands behind a reference; anything else as it is. */
export function resolved(value: Json): Json {
  if (typeof value['$ref'] !== 'string') return value
  return value['$ref']
    .slice(2)
    .split('/')
    .reduce<Json>((inside, key) => inside[key], document)
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ ...inWhole({ components: { schemas: document['components'].schemas } }), $id: 'whole' })

/** By the text of their schemas: most responses share a few, and compiling one takes longer than any use of it. */
const validators = new Map<string, ValidateFunction>()

/** Says what is wrong with a value by its schema, where also a field that the schema does not name is wrong. */
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
 * With its references leading into the one document, and closed: answers may get more fields one day, and say so by not
 * forbidding them, but those of today are all described.
 */
function inWhole(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref') return String(value).replace('#/', 'whole#/')
    const isRecord = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
    return isRecord && !('additionalProperties' in value) ? { ...value, additionalProperties: false } : value
  }) as Json
}
