// docs/openapi.json: what GET /v1/openapi.json answers on a machine where nothing is set.

import { Validator } from '@seriousme/openapi-schema-validator'
import { entrancesOf, parseConfig } from '#config.ts'
import { openApiDocument } from '#http/openapi/document.ts'
import { createEndpoints, type Rooms } from '#http/routes.ts'

export async function openApiFile(): Promise<string> {
  const config = parseConfig({})
  const document = openApiDocument(createEndpoints(emptyRooms()), entrancesOf(config, config.port))
  const text = `${print(JSON.parse(JSON.stringify(document)))}\n`
  // The validator resolves references in the object that it is given, so it gets a copy.
  const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)
  if (!result.valid) throw new Error(`the OpenAPI document is not valid: ${JSON.stringify(result.errors, null, 2)}`)
  return text
}

const lineLengthMax = 120

/** What fits on a line stands on one: the document is read by people too, in its diffs above all. */
function print(value: unknown, indent = '', name = ''): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
  const fits = indent.length + name.length + line.length < lineLengthMax // A comma may follow.
  if (typeof value !== 'object' || value === null || fits) return name + line
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? value.map((item) => print(item, inner))
    : Object.entries(value).map(([key, item]) => print(item, inner, `${JSON.stringify(key)}: `))
  return `${name}${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`
}

/** Endpoints only remember their rooms until a request comes, and none comes here. Any part of a room is a room. */
function emptyRooms(): Rooms {
  const room: object = new Proxy(() => undefined, { get: () => room })
  return room as Rooms
}
