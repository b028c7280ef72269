// Reads the query and the body of a request, and parses the body as JSON. fields.ts checks the values.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, type FieldError } from '#platform/errors.ts'

/** Parses the query. A parameter that is given twice becomes an array, which no field accepts. */
export function readQuery(rawQuery: string): Record<string, string | string[]> {
  // No prototype, so that a parameter called `__proto__` is a name like any other.
  const query = Object.create(null) as Record<string, string | string[]>
  if (rawQuery === '') return query
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (typeof before === 'string') query[name] = [before, value]
    else before.push(value)
  }
  return query
}

/** The limit of endpoints that set none of their own. */
export const bodyBytesMax = 100 * 1024

const nothing = Buffer.alloc(0)
const nulFieldsMax = 50

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const broken = new WeakMap<IncomingMessage, ApiError>()

/** Marks a body whose rest will not arrive. `readBody` rejects with the error, whether it runs already or later. */
export function breakBody(request: IncomingMessage, error: ApiError): void {
  broken.set(request, error)
  request.emit('broken', error)
}

export function isBroken(request: IncomingMessage): boolean {
  return broken.has(request)
}

/** Rejects with 413 as soon as the body is known to be too large; `finish` in answer.ts discards the rest. */
export function readBody(request: IncomingMessage, response: ServerResponse, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax))
  const fault = broken.get(request)
  if (fault !== undefined) return Promise.reject(fault)
  if (asksFirst(request)) response.writeContinue()
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bytesMax) {
        request.pause()
        reject(tooLarge(bytesMax))
      } else if (first === undefined) first = chunk
      else (rest ??= [first]).push(chunk)
    })
    request.on('end', () => resolve(rest === undefined ? (first ?? nothing) : Buffer.concat(rest)))
    request.on('broken', reject)
    const abandoned = (): void => {
      if (!request.complete) reject(new ApiError('PARSE_ERROR', 'The request ended before its body did.'))
    }
    request.on('error', abandoned) // The caller disconnected, which is no fault of ours.
    request.on('close', abandoned)
  })
}

/**
 * Reads a body that must be JSON. A caller who waits for `100 Continue` is not asked for a body whose headers are
 * already wrong.
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > 0 && length <= bytesMax && asksFirst(request)) requireJson(request)
  return readBody(request, response, bytesMax)
}

/** Returns true if the caller waits for `100 Continue` before it sends the body. HTTP/1.0 does not have it. */
function asksFirst({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion !== '1.0' && /^100-continue$/i.test(headers.expect)
}

/** Does not search `itemsField` for NUL: its endpoint checks each item with `nulFaults`. */
export function parseBody(
  request: IncomingMessage,
  bytes: Buffer,
  itemsField: string | undefined,
): Record<string, unknown> {
  requireJson(request)
  const text = decode(bytes)
  const value = parse(text)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It must be a JSON object.')
  }
  const body = value as Record<string, unknown>
  if (text.includes('\\u0000')) {
    const details = nulFaults(body, itemsField)
    if (details.length > 0) throw new ApiError('VALIDATION_ERROR', nulSentence, { details })
  }
  return body
}

function requireJson({ headers }: IncomingMessage): void {
  if (!/^\s*application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiError('PARSE_ERROR', 'Could not parse the request body. Set Content-Type: application/json.')
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('PARSE_ERROR', 'Could not parse the request body. Send it without Content-Encoding.')
  }
}

const nulSentence = 'The body contains a NUL character. Remove it.'

/**
 * Returns an error for each field whose name or value contains a NUL, except the value of `exceptField`. The database
 * stores no NUL, and not every type of field refuses it.
 */
export function nulFaults(body: Record<string, unknown>, exceptField?: string): FieldError[] {
  const fields = Object.keys(body).filter(
    (name) => name.includes('\0') || (name !== exceptField && holdsNul(body[name])),
  )
  return fields.slice(0, nulFieldsMax).map((name) => {
    const field = name.replaceAll('\0', '\\u0000')
    return { field, message: `${field} must not contain the NUL character` }
  })
}

function decode(bytes: Buffer): string {
  // The strict decoder is three times slower, so it runs only if a replacement character shows that the bytes may be
  // invalid, or to remove a byte order mark.
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd') && text.charCodeAt(0) !== 0xfeff) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is not valid JSON.')
  }
}

/**
 * The caller chooses how deep and how large a body is. So this uses neither recursion, which could overflow the stack,
 * nor `Object.entries`, which could fill the memory.
 */
function holdsNul(root: unknown): boolean {
  if (root === null || (typeof root !== 'object' && typeof root !== 'string')) return false
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && value.includes('\0')) return true
    if (value === null || typeof value !== 'object') continue
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (inner !== value && Object.keys(value).some((name) => name.includes('\0'))) return true
    for (const one of inner) if (typeof one === 'string' || typeof one === 'object') open.push(one)
  }
  return false
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax / 1024} KiB.`)
}
