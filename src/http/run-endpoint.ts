// The last steps of a request: its body is read, its fields are checked, and the endpoint does its work.

import { ApiError, type FieldError } from '#base/error.ts'
import type { Caller } from '#businesses/keyring.ts'
import { answer } from './answer.ts'
import { hasBody, parseBody, readBody } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { successBody } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import type { Found } from './steps/find-route.ts'
import { readQuery } from './query.ts'
import { check, validationError } from './validate.ts'

const replayedHeader = ['Idempotent-Replayed', 'true']

export async function runEndpoint(exchange: Exchange, { endpoint, params }: Found, caller: Caller): Promise<void> {
  const { request, response, requestId } = exchange
  const sent = endpoint.body !== undefined && hasBody(request) ? await readBody(request, response) : undefined
  const uncheckedBody = readFields(exchange, endpoint, sent)
  if (exchange.badAddress !== undefined) throw validationError([exchange.badAddress])
  const details: FieldError[] = []
  const input = {
    params: check(endpoint.params, params, 'path', details),
    query: check(endpoint.query, readQuery(exchange.rawQuery), 'query', details),
    body: endpoint.body === undefined ? undefined : check(endpoint.body, uncheckedBody, 'body', details),
    caller,
    requestId,
  }
  if (details.length > 0) throw validationError(details)
  const reply = await endpoint.handle(input)
  answer(exchange, 200, successBody(requestId, reply), reply.replayed === true ? replayedHeader : [])
}

function readFields(
  { request }: Exchange,
  { body, bodyOptional }: Endpoint,
  sent: Buffer | undefined,
): Record<string, unknown> | undefined {
  if (body === undefined) return undefined
  // A chunked body of no bytes is no body either.
  if (sent !== undefined && sent.length > 0) return parseBody(request, sent)
  if (bodyOptional) return {}
  throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is empty; send a JSON object.')
}
