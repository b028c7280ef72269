// Writes docs/openapi.json: the response to GET /v1/openapi.json of a service without settings.

import { Validator } from '@seriousme/openapi-schema-validator'
import { entrancesOf, parseConfig } from '#config.ts'
import { openApiDocument } from '#api/openapi/document.ts'
import { createEndpoints, type Rooms } from '#api/server/routes.ts'

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

/** Prints a value on one line if it fits, and the parts of examples and lists side by side: people read diffs of the document. */
function print(value: unknown, indent = '', name = '', isExample = false): string {
  const line = name + JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
  // Leaves room for a comma.
  if (typeof value !== 'object' || value === null || indent.length + line.length < lineLengthMax) return line
  const inner = `${indent} `
  const parts = Array.isArray(value)
    ? value.map((item) => print(item, inner, '', isExample))
    : Object.entries(value).map(([key, item]) =>
        print(item, inner, `${JSON.stringify(key)}: `, isExample || key === 'example' || key === 'examples'),
      )
  const areNames = Array.isArray(value) && value.every((item) => typeof item !== 'object')
  const lines = isExample || areNames ? sideBySide(parts, inner) : parts
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${name}${open}\n${lines.map((one) => inner + one).join(',\n')}\n${indent}${close}`
}

/** Puts as many parts on each line as fit. */
function sideBySide(parts: string[], indent: string): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = `${lines.at(-1)}, ${part}`
    if (lines.length > 0 && !longer.includes('\n') && indent.length + longer.length < lineLengthMax) {
      lines.splice(-1, 1, longer)
    } else lines.push(part)
  }
  return lines
}

/**
 * Endpoints use their modules only to answer requests, and this script sends none. So one object stands for all
 * modules.
 */
function emptyRooms(): Rooms {
  const room: object = new Proxy(() => undefined, { get: () => room })
  return room as Rooms
}
