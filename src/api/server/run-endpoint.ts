// Runs the last steps of a request: reads its body, validates its fields, and calls the endpoint's handler.

import type { Actor } from '#platform/context.ts'
import { ApiError, Unavailable, type FieldError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import type { Turns } from '#platform/concurrency.ts'
import type { Caller } from '#businesses/keyring.ts'
import { answer, successBody } from './answer.ts'
import { hasBody, parseBody, readBody, readQuery } from './input.ts'
import type { Endpoint, Reply } from './endpoint.ts'
import type { Exchange } from './exchange.ts'
import type { Found } from './pipeline.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Unread } from './connections.ts'
import { check, validationError } from './fields.ts'

const replayedHeader = ['Idempotent-Replayed', 'true']

/** Limits that keep one business from using up what all businesses share. */
export type EndpointLimits = { rateLimit: RateLimit; listTurns: Turns; unread: Unread }

export async function runEndpoint(
  exchange: Exchange,
  { endpoint, params }: Found,
  caller: Caller,
  { rateLimit, listTurns, unread }: EndpointLimits,
): Promise<void> {
  const { id: tenantId } = caller.tenant
  unread.check(tenantId)
  const fields = await readInput(exchange, endpoint, params)
  const by = (): Actor => ({ kind: 'key', name: formatId('key', caller.keyId), address: exchange.callerAddress })
  const input = { ...fields, caller, requestId: exchange.requestId, by }
  if (endpoint.countsAs !== undefined) rateLimit.countAs(exchange, caller, endpoint.countsAs(input.body))
  const handle = (): ReturnType<Endpoint['handle']> => endpoint.handle(input)
  const reply = await (endpoint.paginated ? listTurns.run(tenantId, unlessLeft(exchange, handle)) : handle())
  answerReply(exchange, endpoint, reply, { unread, owner: tenantId })
}

/** The parts of an endpoint that define its input. */
export type Reads = Pick<Endpoint, 'params' | 'query' | 'body' | 'bodyOptional' | 'bodyBytesMax' | 'items'>

export type Fields = { params: unknown; query: unknown; body: unknown }

/** Throws one error that lists all wrong fields. */
export async function readInput(exchange: Exchange, reads: Reads, params: Found['params']): Promise<Fields> {
  const { request, response } = exchange
  const takesBody = reads.body !== undefined && hasBody(request)
  const sent = takesBody ? await readBody(request, response, reads.bodyBytesMax) : undefined
  exchange.sent = sent
  const uncheckedBody = readFields(exchange, reads, sent)
  if (exchange.badAddress !== undefined) throw validationError([exchange.badAddress])
  const details: FieldError[] = []
  const fields = {
    params: check(reads.params, params, 'path', details),
    query: check(reads.query, readQuery(exchange.rawQuery), 'query', details),
    body: reads.body === undefined ? undefined : check(reads.body, uncheckedBody, 'body', details),
  }
  exchange.reference = referenceIn(fields.params) ?? referenceIn(uncheckedBody)
  if (details.length > 0) throw validationError(details)
  return fields
}

/**
 * `counted` names the owner of the response for the limit on unread responses. It is undefined for unauthenticated
 * callers, because their responses are small.
 */
export function answerReply(
  exchange: Exchange,
  { method }: Pick<Endpoint, 'method'>,
  reply: Reply,
  counted: { unread: Unread; owner: Uuid } | undefined,
  headers: string[] = [],
): void {
  exchange.reference ??= referenceIn(reply.data)
  exchange.faults = reply.faults
  const body = successBody(exchange.requestId, reply)
  // Only a read may simply be repeated. The result of a write is always sent; it is small.
  if (method === 'GET') counted?.unread.check(counted.owner)
  counted?.unread.add(counted.owner, exchange.response, body)
  answer(exchange, 200, body, reply.replayed === true ? [...headers, ...replayedHeader] : headers)
}

/** Skips the work if the caller disconnected while the request waited in line. */
function unlessLeft<T>({ request }: Exchange, work: () => Promise<T>): () => Promise<T> {
  return () => (request.socket.destroyed ? Promise.reject(new Unavailable('The caller has left.')) : work())
}

const referenceForm = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,99}$/

/** The reference for the log, also for a request whose other fields are wrong. */
function referenceIn(fields: unknown): string | undefined {
  const { reference } = (fields ?? {}) as { reference?: unknown }
  return typeof reference === 'string' && referenceForm.test(reference) ? reference : undefined
}

function readFields(
  { request }: Exchange,
  { body, bodyOptional, items }: Reads,
  sent: Buffer | undefined,
): Record<string, unknown> | undefined {
  if (body === undefined) return undefined
  // A chunked body of zero bytes counts as no body.
  if (sent !== undefined && sent.length > 0) return parseBody(request, sent, items?.field)
  if (bodyOptional) return {}
  throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is empty; send a JSON object.')
}
