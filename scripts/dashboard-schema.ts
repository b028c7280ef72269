// Writes the records of docs/openapi.json as types for the dashboard. What it cannot say it refuses, so that no field
// silently becomes `unknown`.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const source = path.join(fileURLToPath(new URL('..', import.meta.url)), 'docs/openapi.json')

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
}
type Document = { components: { schemas: Record<string, Schema> } }

export async function dashboardSchema(): Promise<string> {
  const { components } = JSON.parse(await readFile(source, 'utf8')) as Document
  const records = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`,
  )
  return `// Written by \`npm run generate\` from docs/openapi.json, one record a line. Do not change it by hand.\n\n${records.join('')}`
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return [...new Set(either.map(typeOf))].join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map(grouped).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `${grouped(schema.items ?? {})}[]`
    case 'object':
      return objectType(schema)
    case undefined:
    default:
      return refuse(schema)
  }
}

function refuse(schema: Schema): never {
  throw new Error(`docs/openapi.json has a schema that has no type for the dashboard: ${JSON.stringify(schema)}`)
}

function grouped(schema: Schema): string {
  const type = typeOf(schema)
  return / [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : JSON.stringify(value)
}
