// Writes the types of the PHP SDK from docs/openapi.json.

import { readDocument, refuse, unused, type Schema } from './schema-types.ts'

/** Returns the file of the types: array shapes for PHPStan and Psalm, which the classes of the SDK import by name. */
export async function phpTypes(): Promise<string> {
  const { components } = await readDocument()
  const types = new Map(
    Object.entries(components.schemas)
      .filter(([name]) => !unused.test(name))
      .map(([name, schema]) => [name, phpType(schema, name.endsWith('Request'))]),
  )
  const shapes = [...withUsedFirst(types)].map((name) => ` * @phpstan-type ${name} ${types.get(name)}\n`)
  return [
    '<?php\n\n// Written by `npm run generate` from docs/openapi.json. Do not change it by hand.\n\n',
    'declare(strict_types=1);\n\nnamespace Manilla;\n\n/**\n * The records of the API, as arrays. Later versions may add fields and values.\n *\n',
    ...shapes,
    ' */\nfinal class Types {}\n',
  ].join('')
}

/** Puts each type below the types that it uses, because Psalm needs the definition first. */
function withUsedFirst(types: Map<string, string>): Set<string> {
  const ordered = new Set<string>()
  const add = (name: string): void => {
    const type = types.get(name)
    if (type === undefined || ordered.has(name)) return
    for (const [word] of type.matchAll(/[A-Z]\w+/g)) if (word !== name) add(word)
    ordered.add(name)
  }
  for (const name of types.keys()) add(name)
  return ordered
}

function phpType(schema: Schema, isSent: boolean): string {
  const inner = (one: Schema): string => phpType(one, isSent)
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return phpLiteral(schema.const)
  // A response may have any string, because a later version may add values.
  if (schema.enum !== undefined) return isSent ? schema.enum.map(phpLiteral).join('|') : 'string'
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return [...new Set(either.map(inner))].join('|')
  if (schema.allOf?.length === 1) return inner(schema.allOf[0] ?? {})
  if (Array.isArray(schema.type)) return schema.type.map((type) => inner({ ...schema, type })).join('|')
  if (schema.properties !== undefined) {
    const { required = [] } = schema
    const fields = Object.entries(schema.properties).map(
      ([field, value]) => `${field}${required.includes(field) ? '' : '?'}: ${inner(value)}`,
    )
    return `array{${fields.join(', ')}${isSent ? '' : ', ...'}}`
  }
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'null'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'array':
      return `list<${inner(schema.items ?? {})}>`
    case 'object':
      return `array<string, ${typeof schema.additionalProperties === 'object' ? inner(schema.additionalProperties) : 'mixed'}>`
    case undefined:
    default:
      return refuse(schema)
  }
}

function phpLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}
