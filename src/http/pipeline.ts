// The way of a request, in the order that the specification fixes: request id, cross-origin, key look-up, rate limit,
// route, version, refusal without a key, body, fields, and only then the business. Each step either passes the
// exchange on or throws what the caller is told.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#base/clock.ts'
import { ApiError, Unavailable, type FieldError } from '#base/error.ts'
import type { Log } from '#base/log.ts'
import type { Metrics } from '#base/metrics.ts'
import type { Caller, Keyring } from '#businesses/keyring.ts'
import type { Quota, QuotaCounter } from '#businesses/quota.ts'
import type { Entrance } from '#config.ts'
import { answer, answerFailure, answerOptions } from './answer.ts'
import { hasBody, parseBody, readBody } from './body.ts'
import type { Endpoint } from './endpoint.ts'
import { successBody } from './envelope.ts'
import { describe, failureOf } from './errors.ts'
import { openExchange, type Exchange, type Page } from './exchange.ts'
import { findCaller, unauthorized } from './middleware/authenticate.ts'
import { networkOf, rateLimitExceeded } from './middleware/rate-limit.ts'
import { checkVersion } from './middleware/version.ts'
import { readQuery } from './query.ts'
import type { Match, Router } from './router.ts'
import { check, validationError } from './validate.ts'

export type PipelineOptions = {
  entrances: Entrance[]
  router: Router
  pages: Map<string, Page>
  keyring: Keyring
  tenantQuotas: QuotaCounter
  addressQuotas: QuotaCounter
  clock: Clock
  log: Log
  metrics: Metrics
  stopping: () => boolean
}

type Found = Extract<Match, { kind: 'found' }>

export type Pipeline = (request: IncomingMessage, response: ServerResponse) => void

export function createPipeline(options: PipelineOptions): Pipeline {
  const { keyring, tenantQuotas, addressQuotas, clock } = options

  async function run(exchange: Exchange): Promise<void> {
    const { request } = exchange
    if (exchange.method === 'OPTIONS') {
      exchange.quota = anonymousQuota(exchange)
      answerOptions(exchange)
      return
    }
    const page = options.pages.get(withoutTrailingSlash(exchange.path))
    if (page?.free !== true) {
      const found = findCaller(keyring, request.headers.authorization, exchange.entrance?.environment)
      // A page needs no key: when keys cannot be looked up, it is served as to a stranger.
      if (found instanceof Promise) exchange.caller = await (page === undefined ? found : found.catch(() => undefined))
      else exchange.caller = found
      count(exchange)
    } else exchange.quota = anonymousQuota(exchange)
    if (options.stopping()) {
      exchange.response.shouldKeepAlive = false
      throw new Unavailable('The service is shutting down. Try again shortly.')
    }
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
    const { caller } = exchange
    if (caller === undefined) {
      throw unauthorized(request.headers.authorization, exchange.entrance, options.entrances)
    }
    keyring.touch(caller)
    if (endpoint.stagingOnly && caller.tenant.environment !== 'staging') throw stagingOnly()
    await runEndpoint(exchange, endpoint, params, caller)
  }

  /** Whether whoever asks may still ask in this minute. */
  function count(exchange: Exchange): void {
    const { caller, request } = exchange
    const nowMs = clock.now()
    const quota =
      caller === undefined
        ? addressQuotas.take(networkOf(request.socket.remoteAddress), nowMs)
        : tenantQuotas.take(caller.tenant.id, nowMs)
    exchange.quota = quota
    if (quota.exceeded) throw rateLimitExceeded(quota, nowMs)
  }

  /** What an answer reports when the request counted against nobody. */
  function anonymousQuota({ request }: Exchange): Quota {
    return addressQuotas.peek(networkOf(request.socket.remoteAddress), clock.now())
  }

  function findRoute(exchange: Exchange): Found {
    const { method, path, entrance, badAddress } = exchange
    // A path that does not decode still has to find its route: which comes first, the key or the path, is fixed.
    const readable = badAddress === undefined ? path : path.replaceAll('%', '%25')
    const match: Match = entrance === undefined ? { kind: 'not-found' } : options.router.find(method, readable)
    if (match.kind === 'found') return match
    if (match.kind === 'wrong-method') throw wrongMethod(match.allowed)
    const bases = options.entrances.map((entrance) => entrance.baseUrl).join(' or ')
    const hint = entrance === undefined ? `. Addresses begin with ${bases}` : ''
    throw new ApiError(
      'ROUTE_NOT_FOUND',
      `No route for ${method} ${path === '' ? '/' : path.slice(0, pathShownMax)}${hint}`,
    )
  }

  async function runEndpoint(
    exchange: Exchange,
    endpoint: Endpoint,
    params: Found['params'],
    caller: Caller,
  ): Promise<void> {
    const { request, requestId } = exchange
    const sent =
      endpoint.body !== undefined && hasBody(request) ? await readBody(request, exchange.response) : undefined
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

  /** Nothing escapes: a rejection that nobody handles would end the process. */
  async function handle(exchange: Exchange): Promise<void> {
    try {
      await run(exchange)
    } catch (error) {
      fail(exchange, error)
    }
  }

  function fail(exchange: Exchange, error: unknown): void {
    const { request, response } = exchange
    try {
      const failure = failureOf(error, options.log, exchange.requestId)
      if (request.socket.destroyed) return // Nobody is there to be told.
      exchange.quota ??= anonymousQuota(exchange)
      if (!response.headersSent) answerFailure(exchange, failure, clock.now())
      else response.destroy() // Half of another answer has left; only an end tells the caller that it is not whole.
    } catch (unanswerable) {
      options.log.error(
        { requestId: exchange.requestId, error: describe(unanswerable) },
        'a failure could not be answered',
      )
      response.destroy()
    }
  }

  return (request, response) => {
    const exchange = openExchange(request, response, options.entrances, clock.now())
    response.on('close', () => record(exchange))
    void handle(exchange)
  }

  function record(exchange: Exchange): void {
    const { route, response, method, requestId } = exchange
    const durationMs = clock.now() - exchange.startedAtMs
    const status = response.headersSent ? response.statusCode : hungUpStatus
    options.metrics.httpRequests.inc({ route, status })
    options.metrics.httpSeconds.observe({ route }, durationMs / 1000)
    // Refusals under load are counted, not written: a line for each would only add to the load.
    const level = status >= 500 && status !== 503 ? 'warn' : 'debug'
    if (options.log.isLevelEnabled(level)) {
      options.log[level](
        { requestId, method, route, status, durationMs, answered: response.writableFinished },
        'request',
      )
    }
  }
}

const replayedHeader = ['Idempotent-Replayed', 'true']
const pathShownMax = 200
/** In metrics and log alone, as other servers do: the caller was gone before there was an answer. */
const hungUpStatus = 499

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function readFields(
  exchange: Exchange,
  endpoint: Endpoint,
  sent: Buffer | undefined,
): Record<string, unknown> | undefined {
  if (endpoint.body === undefined) return undefined
  // A chunked body of no bytes is no body either.
  if (sent !== undefined && sent.length > 0) return parseBody(exchange.request, sent)
  if (endpoint.bodyOptional) return {}
  throw new ApiError('PARSE_ERROR', 'Could not parse the request body. It is empty; send a JSON object.')
}

function wrongMethod(allowed: string[]): ApiError {
  const list = [...allowed, 'OPTIONS'].join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers to: ${list}`, { headers: { Allow: list } })
}

function stagingOnly(): ApiError {
  return new ApiError('FORBIDDEN', 'This is a control of the simulator; it exists on staging alone.')
}
