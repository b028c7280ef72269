// Writes the records of docs/openapi.json as types for the dashboard and for the TypeScript, Python and Go SDKs. Throws for a
// schema that it cannot express, so that no field silently becomes `unknown`.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const source = path.join(fileURLToPath(new URL('..', import.meta.url)), 'docs/openapi.json')

export type Schema = {
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
  description?: string
}
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Operation = { operationId: string; parameters?: Parameter[]; requestBody?: object; responses?: object }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export async function readDocument(): Promise<Document> {
  return JSON.parse(await readFile(source, 'utf8')) as Document
}

export async function dashboardSchema(): Promise<string> {
  const { components } = await readDocument()
  const records = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`,
  )
  return `// Written by \`npm run generate\` from docs/openapi.json, one record a line. Do not change it by hand.\n\n${records.join('')}`
}

/** Schemas that need no types in the SDKs, because an SDK unwraps envelopes and throws errors. */
export const unused = /Envelope$|^PageMeta$|^ApiVersion$|^Error$/

/**
 * Returns the types of the TypeScript SDK. In a response an enum is open, because later versions may add values. In a request
 * it is closed, and an optional field may be undefined.
 */
export async function sdkTypes(): Promise<string> {
  const { components, paths } = await readDocument()
  const enums = new Set(Object.keys(components.schemas).filter((name) => components.schemas[name]?.enum !== undefined))
  const records = Object.entries(components.schemas)
    .filter(([name]) => !unused.test(name))
    .map(([name, schema]) => declaration(name, schema, name.endsWith('Request') ? undefined : enums))
  const queries = Object.values(paths)
    .flatMap(({ parameters: _shared, ...operations }) => Object.values(operations))
    .flatMap(({ operationId, parameters = [] }) => {
      const query = parameters.filter((parameter) => parameter.in === 'query')
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
      return query.length === 0 ? [] : [declaration(name, queryType(query), undefined)]
    })
  return [
    '// Written by `npm run generate` from docs/openapi.json. Do not change it by hand.\n/* oxlint-disable max-lines */\n',
    '/** A value of a list that later versions may extend. */\nexport type Open<T extends string> = T | (string & {})\n',
    ...records,
    ...queries,
  ].join('\n')
}

/**
 * Returns the types of the Python SDK: a TypedDict for each record. `from` is a keyword of Python, so a record with that field
 * uses the functional form.
 */
export async function pythonTypes(): Promise<string> {
  const { components, paths } = await readDocument()
  const enums = new Set(Object.keys(components.schemas).filter((name) => components.schemas[name]?.enum !== undefined))
  const schemas = Object.entries(components.schemas).filter(([name]) => !unused.test(name))
  const isRecord = ([, { properties }]: [string, Schema]): boolean => properties !== undefined
  const records = schemas
    .filter(isRecord)
    .map(([name, schema]) => pythonRecord(name, schema, name.endsWith('Request') ? undefined : enums))
  const aliases = schemas
    .filter((entry) => !isRecord(entry))
    .map(([name, schema]) => `${name} = ${pythonType(schema, undefined)}\n`)
  const isUnion = (alias: string): boolean => alias.includes('Union[')
  const queries = Object.values(paths)
    .flatMap(({ parameters: _shared, ...operations }) => Object.values(operations))
    .flatMap(({ operationId, parameters = [] }) => {
      const query = parameters.filter((parameter) => parameter.in === 'query')
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
      return query.length === 0 ? [] : [pythonQuery(name, query)]
    })
  return [
    '# Written by `npm run generate` from docs/openapi.json. Do not change it by hand.\n# ruff: noqa\n',
    'from __future__ import annotations\n',
    'from datetime import datetime\nfrom typing import Any, Literal, TypedDict, Union\n',
    ...aliases.filter((alias) => !isUnion(alias)),
    ...records,
    ...aliases.filter(isUnion),
    ...queries,
  ].join('\n')
}

function pythonRecord(
  name: string,
  { properties = {}, required = [], description = '' }: Schema,
  openEnums: Set<string> | undefined,
): string {
  const isRequired = ([field]: [string, Schema]): boolean => required.includes(field)
  const fields = (entries: [string, Schema][]): string => {
    const lines = entries.map(
      ([field, schema]) => `${pythonComment(schema)}    ${field}: ${pythonType(schema, openEnums)}\n`,
    )
    return lines.length === 0 ? '    pass\n' : lines.join('')
  }
  const [needed, others] = [
    Object.entries(properties).filter(isRequired),
    Object.entries(properties).filter((entry) => !isRequired(entry)),
  ]
  const text = description === '' ? '' : `    ${JSON.stringify(description)}\n\n`
  if (properties['from'] !== undefined) {
    const called = needed.map(
      ([field, schema]) => `    "${field}": ${JSON.stringify(pythonType(schema, openEnums).replaceAll('"', "'"))},\n`,
    )
    return `_${name} = TypedDict("_${name}", {\n${called.join('')}})\n\n\nclass ${name}(_${name}, total=False):\n${text}${fields(others)}\n`
  }
  if (others.length === 0) return `class ${name}(TypedDict):\n${text}${fields(needed)}\n`
  return `class _${name}(TypedDict):\n${fields(needed)}\n\nclass ${name}(_${name}, total=False):\n${text}${fields(others)}\n`
}

function pythonQuery(name: string, parameters: Parameter[]): string {
  const fields = parameters.map(({ name: field, schema }) => {
    const type = field === 'from' || field === 'to' ? 'Union[datetime, str]' : pythonType(schema, undefined)
    return `    "${field}": "${type.replaceAll('"', "'")}",\n`
  })
  return `${name} = TypedDict("${name}", {\n${fields.join('')}}, total=False)\n`
}

function pythonComment({ description = '' }: Schema): string {
  return description === '' ? '' : `    #: ${description.replaceAll(/\s+/g, ' ')}\n`
}

function pythonType(schema: Schema, openEnums: Set<string> | undefined): string {
  const inner = (one: Schema): string => pythonType(one, openEnums)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return openEnums?.has(name) === true ? `Union[${name}, str]` : name
  }
  if ('const' in schema) return `Literal[${pythonLiteral(schema.const)}]`
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(pythonLiteral).join(', ')}]`
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return pythonUnion(either.map(inner))
  if (schema.allOf?.length === 1) return inner(schema.allOf[0] ?? {})
  if (Array.isArray(schema.type)) return pythonUnion(schema.type.map((type) => inner({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'array':
      return `list[${inner(schema.items ?? {})}]`
    case 'object':
      return `dict[str, ${typeof schema.additionalProperties === 'object' ? inner(schema.additionalProperties) : 'Any'}]`
    case undefined:
    default:
      return refuse(schema)
  }
}

function pythonUnion(types: string[]): string {
  const different = [...new Set(types)]
  return different.length === 1 ? (different[0] ?? '') : `Union[${different.join(', ')}]`
}

function pythonLiteral(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return value === null ? 'None' : JSON.stringify(value)
}

/**
 * Returns the types of the Go SDK. A field that may be null or missing is a pointer; a union of records becomes one record with
 * all their fields.
 */
export async function goTypes(): Promise<string> {
  const { components, paths } = await readDocument()
  const { schemas } = components
  const records = Object.entries(schemas)
    .filter(([name]) => !unused.test(name))
    .map(([name, { description = goPurpose(name, schemas, paths), ...schema }]) =>
      goDeclaration(name, { ...schema, description }, schemas),
    )
  const queries = Object.entries(paths)
    .flatMap(([route, { parameters: _shared, ...operations }]) =>
      Object.entries(operations).map(([verb, operation]) => ({ call: `${verb.toUpperCase()} ${route}`, operation })),
    )
    .flatMap(({ call, operation: { operationId, parameters = [] } }) => {
      const query = parameters.filter((parameter) => parameter.in === 'query')
      const properties = Object.fromEntries(
        query.map(({ name, schema, description }) => [name, { description, ...schema }]),
      )
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
      const description = `the query of ${call}.`
      return query.length === 0
        ? []
        : [goStruct(name, { description, properties: properties as Record<string, Schema> })]
    })
  const head =
    '// Code generated by `npm run generate` from docs/openapi.json; DO NOT EDIT.\n\npackage manilla\n\nimport "encoding/json"\n'
  return [head, ...records, ...queries].join('\n')
}

/** Returns a description of a record that has none: where the API uses it. */
function goPurpose(name: string, schemas: Document['components']['schemas'], paths: Document['paths']): string {
  const event = schemas[name]?.properties?.['event']?.const
  if (typeof event === 'string') return `the webhook event ${event}.`
  const holds = (part: unknown, type: string): boolean =>
    (JSON.stringify(part) ?? '').includes(`"#/components/schemas/${type}"`)
  const calls = (type: string, part: 'requestBody' | 'responses'): string[] =>
    Object.entries(paths).flatMap(([route, operations]) =>
      Object.entries(operations).flatMap(([verb, operation]) =>
        holds(operation[part], type) ? [`${verb.toUpperCase()} ${route}`] : [],
      ),
    )
  const bodies = calls(name, 'requestBody')
  if (bodies.length > 0) return `the body of ${bodies.join(', ')}.`
  const answers = calls(`${name}Envelope`, 'responses')
  if (answers.length > 0) return `the answer of ${answers.join(', ')}.`
  const holders = Object.keys(schemas).filter((other) => !unused.test(other) && holds(schemas[other], name))
  return holders.length === 0 ? 'a record of the API.' : `a part of ${holders.join(', ')}.`
}

function goDeclaration(name: string, schema: Schema, schemas: Record<string, Schema>): string {
  const union = schema.oneOf ?? schema.anyOf
  if (union !== undefined) {
    return goStruct(name, { ...mergedRecord(union, schemas), description: schema.description ?? '' })
  }
  if (schema.properties !== undefined) return goStruct(name, schema)
  if (schema.enum === undefined) return `${goComment(name, schema)}type ${name} = ${goType(schema)}\n`
  const width = Math.max(...schema.enum.map((value) => goConstant(name, value).length))
  const values = schema.enum.map(
    (value) => `\t${goConstant(name, value).padEnd(width)} ${name} = ${JSON.stringify(value)}\n`,
  )
  return `// ${name} may have values that later versions add.\ntype ${name} string\n\nconst (\n${values.join('')})\n`
}

/** Merges the records of a union. A field is required if it is in all of them. A field with several types stays raw JSON. */
function mergedRecord(union: Schema[], schemas: Record<string, Schema>): Schema {
  const records = union.map(({ $ref = '' }) => schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {})
  const names = [...new Set(records.flatMap(({ properties = {} }) => Object.keys(properties)))]
  const properties = names.map((name): [string, Schema] => {
    const found = records.flatMap((record) => record.properties?.[name] ?? [])
    const types = new Set(found.map(goType))
    // The name of an event gets the enum type whose constants callers compare it with.
    const isAmong = (value: unknown): boolean => found.some((one) => one.const === value)
    const named = Object.keys(schemas).find((type) => schemas[type]?.enum?.every(isAmong) === true)
    const one = named === undefined ? found[0] : { ...found[0], $ref: named }
    return [name, types.size === 1 ? (one ?? {}) : { $ref: 'json.RawMessage' }]
  })
  const required = names.filter((name) => records.every((record) => record.required?.includes(name) === true))
  return { properties: Object.fromEntries(properties), required }
}

function goStruct(name: string, schema: Schema): string {
  const { properties = {}, required = [] } = schema
  const lines = Object.entries(properties).map(([field, value]) => {
    const isOptional = !required.includes(field)
    const type = goType(value)
    const isPointer = isOptional && !/^[*[]|^map|^json/.test(type)
    const { description = '' } = value
    return {
      text: description === '' ? '' : `\t// ${description.replaceAll(/\s+/g, ' ')}\n`,
      cells: [goName(field), `${isPointer ? '*' : ''}${type}`],
      tag: `\`json:"${field}${isOptional ? ',omitempty' : ''}"\``,
    }
  })
  // Aligns columns as gofmt does, in each run of lines without a comment between them.
  const runs: (typeof lines)[] = []
  for (const line of lines) {
    if (line.text !== '' || runs.length === 0) runs.push([])
    runs.at(-1)?.push(line)
  }
  const fields = runs.flatMap((run) => {
    const widths = [0, 1].map((at) => Math.max(...run.map(({ cells }) => cells[at]?.length ?? 0)))
    return run.map(({ text, cells, tag }) => {
      const aligned = cells.map((cell, at) => cell.padEnd(widths[at] ?? 0))
      return `${text}\t${aligned.join(' ')} ${tag}\n`
    })
  })
  return `${goComment(name, schema)}type ${name} struct {\n${fields.join('')}}\n`
}

function goComment(name: string, { description = '' }: Schema): string {
  const verb = /^(?:a|the) /.test(description) ? ' is' : ':'
  return description === '' ? '' : `// ${name}${verb} ${description.replaceAll(/\s+/g, ' ')}\n`
}

function goType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return typeof schema.const === 'boolean' ? 'bool' : 'string'
  if (schema.enum !== undefined) return 'string'
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return goNullable(either)
  if (schema.allOf?.length === 1) return goType(schema.allOf[0] ?? {})
  if (Array.isArray(schema.type)) return goNullable(schema.type.map((type) => ({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'integer':
      return 'int64'
    case 'number':
      return 'float64'
    case 'array':
      return `[]${goType(schema.items ?? {})}`
    case 'object':
      return `map[string]${typeof schema.additionalProperties === 'object' ? goType(schema.additionalProperties) : 'any'}`
    case undefined:
    default:
      return refuse(schema)
  }
}

function goNullable(either: Schema[]): string {
  const types = [...new Set(either.filter(({ type }) => type !== 'null').map(goType))]
  const [type = 'any'] = types
  if (types.length > 1) return 'json.RawMessage'
  return /^[[*]|^map/.test(type) ? type : `*${type}`
}

function goName(field: string): string {
  const name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`
  return name
    .replace(/Id$/, 'ID')
    .replace(/^Id$/, 'ID')
    .replace(/Url$/, 'URL')
    .replace(/^Bvn$/, 'BVN')
    .replace(/^Nip(?=[A-Z])/, 'NIP')
    .replace(/Otp(?=$|[A-Z])/, 'OTP')
}

const initialisms = new Set(['API', 'ID', 'OTP', 'URL'])

function goConstant(name: string, value: unknown): string {
  const words = String(value).split(/[^A-Za-z0-9]+/)
  return (
    name +
    words
      .map((word) =>
        initialisms.has(word)
          ? word
          : `${word.charAt(0).toUpperCase()}${/^[A-Z0-9]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1)}`,
      )
      .join('')
  )
}

function queryType(parameters: Parameter[]): Schema {
  const isTime = (name: string): boolean => name === 'from' || name === 'to'
  const shown = ({ name, description = '', schema }: Parameter): Schema =>
    isTime(name) ? { $ref: 'Date | string', description } : { ...schema, description }
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, shown(parameter)])),
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name),
  }
}

/** Returns a type. `openEnums`: the enums that may have other values here, as in responses; undefined in requests. */
function declaration(name: string, schema: Schema, openEnums: Set<string> | undefined): string {
  const { properties, required = [] } = schema
  if (properties === undefined) return `${comment(schema, '')}export type ${name} = ${opened(schema, openEnums)}\n`
  const fields = Object.entries(properties).map(([field, value]) => {
    const isOptional = !required.includes(field)
    const more = isOptional && openEnums === undefined ? ' | undefined' : ''
    return `${comment(value, '  ')}  ${field}${isOptional ? '?' : ''}: ${opened(value, openEnums)}${more}\n`
  })
  return `${comment(schema, '')}export type ${name} = {\n${fields.join('')}}\n`
}

function opened(schema: Schema, openEnums: Set<string> | undefined): string {
  if (openEnums === undefined) return typeOf(schema)
  return typeOf(
    JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
      if (key !== '$ref' || typeof value !== 'string') return value
      const name = value.slice(value.lastIndexOf('/') + 1)
      return openEnums.has(name) ? `Open<${name}>` : value
    }) as Schema,
  )
}

function comment({ description = '' }: Schema, indent: string): string {
  return description === '' ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`
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

export function refuse(schema: Schema): never {
  throw new Error(`scripts/schema-types.ts cannot express this schema of docs/openapi.json: ${JSON.stringify(schema)}`)
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
