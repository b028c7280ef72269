// Calls the service the way a business's developer does: over HTTP, with a key.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { expect } from 'vitest'

export type Answer = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The parsed body; an empty object if the answer had none. */
  body: AnswerBody
}

export type AnswerBody = {
  success?: boolean
  // Tests read any field of the data, so it has no type.
  data?: any // oxlint-disable-line typescript/no-explicit-any
  meta?: {
    pagination: { page: number; limit: number; total: number; totalPage: number; hasNext: boolean; hasPrev: boolean }
  }
  error?: { code: string; message: string; details?: { field: string; message: string }[] }
  requestId?: string
  timestamp?: string
}

export type CallOptions = {
  method?: string
  headers?: Record<string, string>
  /** An object is sent as JSON. Text and bytes are sent as they are, without a Content-Type. */
  body?: unknown
}

export type Client = {
  call(path: string, options?: CallOptions): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  close(): void
}

export function createClient(baseUrl: string, key?: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  const call = (path: string, options: CallOptions = {}): Promise<Answer> =>
    send(new URL(baseUrl + path), agent, { ...options, headers: { ...authorization, ...options.headers } })
  return {
    call,
    get: (path) => call(path),
    post: (path, body) => call(path, { method: 'POST', body }),
    patch: (path, body) => call(path, { method: 'PATCH', body }),
    delete: (path) => call(path, { method: 'DELETE' }),
    close: () => agent.destroy(),
  }
}

function send(url: URL, agent: Agent, options: CallOptions): Promise<Answer> {
  const raw = typeof options.body === 'string' || Buffer.isBuffer(options.body)
  const body =
    options.body === undefined || raw ? (options.body as string | Buffer | undefined) : JSON.stringify(options.body)
  const type = body === undefined || raw ? {} : { 'Content-Type': 'application/json' }
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { agent, method: options.method ?? 'GET', headers: { ...type, ...length, ...options.headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

function parse(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody
  } catch {
    return {}
  }
}

/** Checks that every answer must pass. */
export function expectCommonHeaders(headers: IncomingHttpHeaders): void {
  expect(headers['x-request-id']).toMatch(/^[\x21-\x7e]{1,128}$/)
  expect(headers['x-api-version']).toBe('v1')
  for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/)
}

/** Expects a complete error envelope with this code. */
export function expectError(answer: Answer, status: number, code: string, message?: string | RegExp): void {
  expect({ status: answer.status, code: answer.body.error?.code, message: answer.body.error?.message }).toMatchObject({
    status,
    code,
  })
  expectCommonHeaders(answer.headers)
  expect(answer.body.success).toBe(false)
  expect(answer.body.requestId).toBe(answer.headers['x-request-id'])
  expect(answer.body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  if (message !== undefined) expect(answer.body.error?.message).toMatch(message)
}

/** Expects a complete success envelope and returns its data. */
// oxlint-disable-next-line typescript/no-explicit-any
export function expectSuccess(answer: Answer): any {
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined })
  expectCommonHeaders(answer.headers)
  expect(answer.body.success).toBe(true)
  expect(answer.body.requestId).toBe(answer.headers['x-request-id'])
  return answer.body.data
}
