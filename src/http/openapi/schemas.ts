// The JSON Schemas of the API description, made from the same zod schemas that check requests and type answers. A record
// (see fields.ts) becomes one named component, and is referred to wherever it stands.

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { assert } from '#base/assert.ts'

export type Json = Record<string, unknown>

export type Schemas = {
  of(schema: z.ZodType, io: 'input' | 'output'): Json
  /** The named components that were referred to so far, by name. */
  named(): Json
}

export function createSchemas(): Schemas {
  const components: Json = {}

  function keep(name: string, schema: Json): void {
    assert(
      components[name] === undefined || isDeepStrictEqual(components[name], schema),
      `two different schemas are called ${name}`,
    )
    components[name] = schema
  }

  return {
    of(schema, io) {
      const {
        $schema: _dialect,
        $defs = {},
        ...made
      } = toJsonSchema(schema, io) as Json & { $defs?: Record<string, Json> }
      for (const [name, definition] of Object.entries($defs)) keep(name, tidied(definition))
      return tidied(made)
    },
    named: () => Object.fromEntries(Object.entries(components).toSorted(([left], [right]) => (left < right ? -1 : 1))),
  }
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const made = jsonSchema as Json
      // Zod writes out that an integer of JavaScript has bounds; who has none of its own is not helped by them.
      if (made['minimum'] === Number.MIN_SAFE_INTEGER) {
        delete made['minimum']
        delete made['maximum']
      }
      // An answer may get fields that today's clients do not know.
      if (made['additionalProperties'] === false) delete made['additionalProperties']
      // JSON has no other names than text.
      delete made['propertyNames']
      // A field may say how it looks on the wire, where that differs from what the check works on.
      const { wire } = (z.globalRegistry.get(zodSchema) ?? {}) as { wire?: Json }
      if (wire === undefined) return
      for (const key of Object.keys(made)) delete made[key]
      Object.assign(made, wire)
    },
  })
}

/** References lead to the components; what may be null says so in its type, where it has no name. */
function tidied(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/')
    return isFields(value) ? withNullInType(value) : value
  }) as Json
}

function withNullInType(schema: Json): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [some, none] = anyOf as [Json, Json]
  if (none['type'] !== 'null' || typeof some['type'] !== 'string') return schema
  const values = Array.isArray(some['enum']) ? { enum: [...(some['enum'] as unknown[]), null] } : {}
  return { ...some, ...rest, type: [some['type'], 'null'], ...values }
}

function isFields(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
