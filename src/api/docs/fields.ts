// Renders the fields of a request or response as an HTML list: the name, type and limits of each, and the fields of inner
// objects.

import type { DocumentedField, JsonFields } from './description.ts'
import { escape } from './highlight.ts'

export type TypeOf = (name: string) => JsonFields

/** `isAnswer`: the fields are of a response, where all are present, so none is marked as required. */
export function fieldList(fields: DocumentedField[], typeOf: TypeOf, isAnswer: boolean): string {
  const rows = fields.map(({ name, required, description, schema }) => {
    const mark = required && !isAnswer ? ' <span class="required">required</span>' : ''
    const found = resolve(schema, typeOf)
    const shared = typeof found.schema['description'] === 'string' ? found.schema['description'] : ''
    const facts = [typeText(schema, typeOf), description === '' ? shared : description]
    const text = facts.filter((part) => part !== '').map(codeSpans)
    return `<li><code>${escape(name)}</code>${mark}<p>${text.join('<br>')}</p>${innerList(found.schema, typeOf, isAnswer, fields.length === 1)}</li>`
  })
  return `<ul class="fields">${rows.join('')}</ul>`
}

/** The fields of an object. If the schema has alternatives, the fields of all of them. */
export function fieldsOf(schema: JsonFields, typeOf: TypeOf): DocumentedField[] {
  const found = resolve(schema, typeOf).schema
  const alternatives = found['anyOf'] as JsonFields[] | undefined
  if (alternatives !== undefined) {
    const all = alternatives.flatMap((one) => fieldsOf(one, typeOf))
    return [...new Map(all.toReversed().map((field) => [field.name, field])).values()].toReversed()
  }
  const { properties = {}, required = [] } = found as { properties?: Record<string, JsonFields>; required?: string[] }
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    description: typeof field['description'] === 'string' ? field['description'] : '',
    schema: field,
    example: undefined,
  }))
}

function innerList(schema: JsonFields, typeOf: TypeOf, isAnswer: boolean, isAlone: boolean): string {
  const isList = schema['type'] === 'array'
  const fields = fieldsOf(isList ? ((schema['items'] ?? {}) as JsonFields) : schema, typeOf)
  if (fields.length === 0) return ''
  const label = isList ? 'Fields of each' : 'Fields'
  return `<details${isAlone ? ' open' : ''}><summary>${label}</summary>${fieldList(fields, typeOf, isAnswer)}</details>`
}

/** Follows references, and splits a nullable schema into the schema of its type and `isNullable`. */
function resolve(schema: JsonFields, typeOf: TypeOf): { schema: JsonFields; isNullable: boolean } {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
  if (name !== undefined) return resolve(typeOf(name), typeOf)
  const given = schema['anyOf'] as JsonFields[] | undefined
  const some = given?.filter(({ type }) => type !== 'null') ?? []
  const [only] = some
  if (some.length !== 1 || only === undefined) return { schema, isNullable: [schema['type']].flat().includes('null') }
  return { schema: resolve(only, typeOf).schema, isNullable: true }
}

function typeText(schema: JsonFields, typeOf: TypeOf): string {
  const { schema: found, isNullable } = resolve(schema, typeOf)
  const orNull = isNullable ? ' or `null`' : ''
  const values = found['enum']
  if (Array.isArray(values)) return `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}${orNull}`
  if (found['const'] !== undefined) return `Always \`${textOf(found['const'])}\``
  const type = [found['type'] ?? 'object'].flat().filter((one) => one !== 'null') as string[]
  const items = found['type'] === 'array' ? ` of ${typeText((found['items'] ?? {}) as JsonFields, typeOf)}` : ''
  return `${type.join(' or ')}${items}${orNull}${limitsOf(found)}`
}

const referenceForm = '^[A-Za-z0-9][A-Za-z0-9._:=-]*$'

function limitsOf(schema: JsonFields): string {
  const { minLength, maxLength, minimum, maximum, maxItems, maxProperties, pattern, default: usual } = schema
  const parts: string[] = []
  const [, digits] = /^\^\\d\{([\d,]+)\}\$$/.exec(String(pattern)) ?? []
  if (digits !== undefined) parts.push(`${digits.replace(',', ' to ')} digits`)
  if (typeof maxLength === 'number') parts.push(`${textOf(minLength ?? 0)} to ${maxLength} characters`)
  if (pattern === referenceForm) parts.push('letters, digits and `. _ : = -`, a letter or digit first')
  if (typeof minimum === 'number' && minimum > 0) parts.push(`at least ${minimum}`)
  if (typeof maximum === 'number' && maximum < 2 ** 31) parts.push(`at most ${maximum}`)
  if (typeof maxItems === 'number') parts.push(`at most ${maxItems} items`)
  if (typeof maxProperties === 'number') parts.push(`at most ${maxProperties} names`)
  if (usual !== undefined) parts.push(`default ${textOf(usual)}`)
  return parts.map((part) => `, ${part}`).join('')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function codeSpans(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
