// The last steps of a request: its body is read, its fields are checked, and the endpoint does its work.

import type { Actor } from '#base/context.ts'
import { ApiError, Unavailable, type FieldError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import type { Turns } from '#base/turns.ts'
import type { Caller } from '#businesses/keyring.ts'
import { answer } from './answer.ts'
import { hasBody, parseBody, readBody } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { successBody } from './envelope.ts'
import type { Exchange } from './exchange.ts'
import type { Found } from './steps/find-route.ts'
import type { RateLimit } from './steps/rate-limit.ts'
import { readQuery } from './query.ts'
import type { Unread } from './unread.ts'
import { check, validationError } from './validate.ts'

const replayedHeader = ['Idempotent-Replayed', 'true']

/** What keeps one business from taking what all share. */
export type EndpointLimits = { rateLimit: RateLimit; listTurns: Turns; unread: Unread }

export async function runEndpoint(
  exchange: Exchange,
  { endpoint, params }: Found,
  caller: Caller,
  { rateLimit, listTurns, unread }: EndpointLimits,
): Promise<void> {
  const { request, response, requestId } = exchange
  const { id: tenantId } = caller.tenant
  unread.check(tenantId)
  const takesBody = endpoint.body !== undefined && hasBody(request)
  const sent = takesBody ? await readBody(request, response, endpoint.bodyBytesMax) : undefined
  const uncheckedBody = readFields(exchange, endpoint, sent)
  if (exchange.badAddress !== undefined) throw validationError([exchange.badAddress])
  const details: FieldError[] = []
  const input = {
    params: check(endpoint.params, params, 'path', details),
    query: check(endpoint.query, readQuery(exchange.rawQuery), 'query', details),
    body: endpoint.body === undefined ? undefined : check(endpoint.body, uncheckedBody, 'body', details),
    caller,
    requestId,
    by: (): Actor => ({ kind: 'key', name: formatId('key', caller.keyId), address: exchange.callerAddress }),
  }
  exchange.reference = referenceIn(input.params) ?? referenceIn(uncheckedBody)
  if (details.length > 0) throw validationError(details)
  if (endpoint.countsAs !== undefined) rateLimit.countAs(exchange, caller, endpoint.countsAs(input.body))
  const handle = (): ReturnType<Endpoint['handle']> => endpoint.handle(input)
  const reply = await (endpoint.paginated ? listTurns.run(tenantId, unlessLeft(exchange, handle)) : handle())
  exchange.reference ??= referenceIn(reply.data)
  const body = successBody(requestId, reply)
  // Only a read may simply be asked again. What was done is told, in an answer that is small.
  if (endpoint.method === 'GET') unread.check(tenantId)
  unread.add(tenantId, response, body)
  answer(exchange, 200, body, reply.replayed === true ? replayedHeader : [])
}

/** Who has hung up while it waited in line is not worked for. */
function unlessLeft<T>({ request }: Exchange, work: () => Promise<T>): () => Promise<T> {
  return () => (request.socket.destroyed ? Promise.reject(new Unavailable('The caller has left.')) : work())
}

const referenceForm = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,99}$/

/** What a person looks for in the log; also that of a request whose other fields are wrong. */
function referenceIn(fields: unknown): string | undefined {
  const { reference } = (fields ?? {}) as { reference?: unknown }
  return typeof reference === 'string' && referenceForm.test(reference) ? reference : undefined
}

function readFields(
  { request }: Exchange,
  { body, bodyOptional, items }: Endpoint,
  sent: Buffer | undefined,
): Record<string, unknown> | undefined {
  if (body === undefined) return undefined
  // A chunked body of no bytes is no body either.
  if (sent !== undefined && sent.length > 0) return parseBody(request, sent, items?.field)
  if (bodyOptional) return {}
  throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is empty; send a JSON object.')
}
