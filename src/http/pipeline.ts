// The way of a request, in the order that the specification fixes: request id, cross-origin, key look-up, rate limit,
// route, version, refusal without a key, body, fields, and only then the business. Each step either passes the
// exchange on or throws what the caller is told.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#base/clock.ts'
import { ApiError, Unavailable } from '#base/error.ts'
import type { Log } from '#base/log.ts'
import type { Metrics } from '#base/metrics.ts'
import type { Keyring } from '#businesses/keyring.ts'
import type { QuotaCounter } from '#businesses/quota.ts'
import type { Entrance } from '#config.ts'
import { answer, answerFailure, answerOptions } from './answer.ts'
import { hasBody, parseBody, readBody } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { successBody } from './envelope.ts'
import { failureOf } from './errors.ts'
import { openExchange, type Exchange, type Page } from './exchange.ts'
import { findCaller, unauthorized } from './middleware/authenticate.ts'
import { bucketOf, rateLimitExceeded } from './middleware/rate-limit.ts'
import { checkVersion } from './middleware/version.ts'
import { readQuery } from './query.ts'
import type { Match, Router } from './router.ts'
import { validate, validationError } from './validate.ts'

export type PipelineOptions = {
  entrances: Entrance[]
  router: Router
  pages: Map<string, Page>
  keyring: Keyring
  quotas: QuotaCounter
  rateLimitPerMinute: number
  rateLimitAnonymousPerMinute: number
  clock: Clock
  log: Log
  metrics: Metrics
  stopping: () => boolean
}

type Found = Extract<Match, { kind: 'found' }>

export type Pipeline = (request: IncomingMessage, response: ServerResponse) => void

export function createPipeline(options: PipelineOptions): Pipeline {
  const { keyring, quotas, clock } = options

  async function run(exchange: Exchange): Promise<void> {
    const { request } = exchange
    if (exchange.method === 'OPTIONS') {
      answerOptions(exchange)
      return
    }
    const page = options.pages.get(exchange.path)
    await identify(exchange, page)
    if (options.stopping()) throw new Unavailable('The service is shutting down. Try again shortly.')
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      throw new ApiError('PARSE_ERROR', 'The Host header is missing.')
    }
    if (page !== undefined) {
      exchange.route = page.path
      if (exchange.method !== 'GET' && exchange.method !== 'HEAD') throw wrongMethod(['GET', 'HEAD'])
      checkVersion(request.headers['x-api-version'])
      await page.respond(exchange)
      return
    }
    const { endpoint, params } = findRoute(exchange)
    exchange.route = endpoint.path
    checkVersion(request.headers['x-api-version'])
    if (exchange.caller === undefined) {
      throw unauthorized(request.headers.authorization, exchange.entrance, options.entrances)
    }
    keyring.touch(exchange.caller)
    await runEndpoint(exchange, endpoint, params)
  }

  /** Whose request it is, and whether that one may still ask in this minute. */
  async function identify(exchange: Exchange, page: Page | undefined): Promise<void> {
    const { request } = exchange
    const found = findCaller(keyring, request.headers.authorization, exchange.entrance?.environment)
    exchange.caller = found instanceof Promise ? await found : found
    const bucket = bucketOf(exchange.caller, request.socket.remoteAddress)
    const limit = exchange.caller === undefined ? options.rateLimitAnonymousPerMinute : options.rateLimitPerMinute
    const nowMs = clock.now()
    exchange.quota = page?.free === true ? quotas.peek(bucket, limit, nowMs) : quotas.take(bucket, limit, nowMs)
    if (exchange.quota.exceeded) throw rateLimitExceeded(exchange.quota, nowMs)
  }

  function findRoute(exchange: Exchange): Found {
    const match: Match = exchange.entrance === undefined ? { kind: 'not-found' } : options.router.find(exchange.method, exchange.path)
    if (match.kind === 'found') return match
    if (match.kind === 'wrong-method') throw wrongMethod(match.allowed)
    const bases = options.entrances.map((entrance) => entrance.baseUrl).join(' or ')
    const hint = exchange.entrance === undefined ? `. Addresses begin with ${bases}` : ''
    throw new ApiError('ROUTE_NOT_FOUND', `No route for ${exchange.method} ${exchange.path.slice(0, 200)}${hint}`)
  }

  async function runEndpoint(exchange: Exchange, endpoint: Endpoint, params: Found['params']): Promise<void> {
    const { request, requestId, caller } = exchange
    const sent = endpoint.body !== undefined && hasBody(request) ? await readBody(request, exchange.response) : undefined
    const body = readFields(exchange, endpoint, sent)
    if (exchange.badAddress !== undefined) throw validationError([], exchange.badAddress)
    const input = {
      params: validate(endpoint.params, params),
      query: validate(endpoint.query, readQuery(exchange.rawQuery)),
      body: endpoint.body === undefined ? undefined : validate(endpoint.body, body),
      caller: caller as NonNullable<typeof caller>,
      requestId,
    }
    const reply = await endpoint.handle(input)
    answer(exchange, 200, successBody(requestId, reply), reply.replayed === true ? replayedHeader : [])
  }

  /** What a failure of any step turns into; nothing escapes. */
  async function handle(exchange: Exchange): Promise<void> {
    try {
      await run(exchange)
    } catch (error) {
      if (exchange.response.headersSent) exchange.response.destroy()
      else answerFailure(exchange, failureOf(error, options.log.child({ requestId: exchange.requestId })), clock.now())
    }
  }

  return (request, response) => {
    const exchange = openExchange(request, response, options.entrances, clock.now())
    exchange.quota = quotas.peek(bucketOf(undefined, request.socket.remoteAddress), options.rateLimitAnonymousPerMinute, clock.now())
    response.on('close', () => record(exchange))
    void handle(exchange)
  }

  function record(exchange: Exchange): void {
    const { route, response, method, requestId } = exchange
    const durationMs = clock.now() - exchange.startedAtMs
    const status = response.statusCode
    options.metrics.httpRequests.inc({ route, status })
    options.metrics.httpSeconds.observe({ route }, durationMs / 1000)
    const level = status >= 500 ? 'warn' : 'debug'
    if (options.log.isLevelEnabled(level)) {
      options.log[level]({ requestId, method, route, status, durationMs, answered: response.writableFinished }, 'request')
    }
  }
}

const replayedHeader = ['Idempotent-Replayed', 'true']

function readFields(exchange: Exchange, endpoint: Endpoint, sent: Buffer | undefined): Record<string, unknown> | undefined {
  if (endpoint.body === undefined) return undefined
  if (sent !== undefined) return parseBody(exchange.request, sent)
  if (endpoint.bodyOptional) return {}
  throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is empty; send a JSON object.')
}

function wrongMethod(allowed: string[]): ApiError {
  const list = [...allowed, 'OPTIONS'].join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers to: ${list}`, { headers: { Allow: list } })
}
