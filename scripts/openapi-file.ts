// docs/openapi.json: what GET /v1/openapi.json answers on a machine where nothing is set.

import { Validator } from '@seriousme/openapi-schema-validator'
import { entrancesOf, parseConfig } from '#config.ts'
import { openApiDocument } from '#http/openapi.ts'
import { createEndpoints, type Rooms } from '#http/routes.ts'

export async function openApiFile(): Promise<string> {
  const config = parseConfig({})
  const document = openApiDocument(createEndpoints(emptyRooms()), entrancesOf(config, config.port))
  const text = `${JSON.stringify(document, null, 2)}\n`
  // The validator resolves references in the object that it is given, so it gets a copy.
  const result = await new Validator().validate(JSON.parse(text) as Record<string, unknown>)
  if (!result.valid) throw new Error(`the OpenAPI document is not valid: ${JSON.stringify(result.errors, null, 2)}`)
  return text
}

/** Endpoints only remember their rooms until a request comes, and none comes here. Any part of a room is a room. */
function emptyRooms(): Rooms {
  const room: object = new Proxy(() => undefined, { get: () => room })
  return room as Rooms
}
