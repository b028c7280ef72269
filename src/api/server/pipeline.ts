// The request pipeline of the API. It runs the steps of a request in the order that the specification fixes: request
// id, cross-origin, key look-up, rate limit (rate-limit.ts), route, version, check of the key, its addresses and scopes
// (authenticate.ts), body, fields, and then the handler. Each step either passes the exchange on or throws the caller's
// error. Requests to the dashboard and notices from rails leave it early for pipelines of their own. Pages, such as
// /docs, leave it after the rate limit.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type DashboardDoor, runGuarded } from '#api/dashboard/door.ts'
import type { RefusalLog } from '#audit/refusals.ts'
import type { Keyring } from '#businesses/keyring.ts'
import type { RequestLog } from '#businesses/request-log.ts'
import type { Entrance } from '#config.ts'
import type { Clock } from '#platform/clock.ts'
import type { Tracing } from '#platform/context.ts'
import { ApiError, Unavailable } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { answerFailure, answerOptions, apiVersion, describe, failureOf } from './answer.ts'
import { findCaller, isOutside, permitCaller, refuseAddress, refuseKey } from './authenticate.ts'
import type { CallerAddress } from './caller-address.ts'
import { type EndpointLimits, runEndpoint } from './endpoint.ts'
import { type Exchange, openExchange, type Page } from './exchange.ts'
import type { NoticePath, NoticesDoor } from './rail-notices.ts'
import { createRecording } from './request-log.ts'
import type { Match, Router } from './routes.ts'

type PipelineOptions = EndpointLimits & {
  entrances: Entrance[]
  router: Router
  pages: Map<string, Page>
  notices: NoticesDoor
  dashboard: DashboardDoor | undefined
  keyring: Keyring
  callerAddress: CallerAddress
  refusals: RefusalLog
  requestLog: Pick<RequestLog, 'note'>
  clock: Clock
  log: Log
  metrics: Metrics
  tracing?: Tracing | undefined
  stopping: () => boolean
}

/** Starts to process a request and returns its exchange at once; the pipeline fills it in later. */
export type Pipeline = (request: IncomingMessage, response: ServerResponse) => Exchange

export function createPipeline(options: PipelineOptions): Pipeline {
  const record = createRecording(options)
  return (request, response) => {
    const exchange = openExchange(request, response, options)
    if (exchange.framing.isLast) response.shouldKeepAlive = false
    response.on('close', () => record(exchange))
    exchange.span = options.tracing?.receive(request.headers)
    if (exchange.span === undefined) void handle(options, exchange)
    else void exchange.span.run(() => handle(options, exchange))
    return exchange
  }
}

/** Never rejects, because an unhandled rejection would end the process. */
async function handle(options: PipelineOptions, exchange: Exchange): Promise<void> {
  try {
    await run(options, exchange)
  } catch (error) {
    fail(options, exchange, error)
  }
}

async function run(options: PipelineOptions, exchange: Exchange): Promise<void> {
  const { request, method, entrance } = exchange
  if (options.dashboard?.owns(exchange) === true) return enterDashboard(options, exchange, options.dashboard)
  if (method === 'OPTIONS') {
    exchange.quota = options.rateLimit.peek(exchange.callerAddress)
    answerOptions(exchange)
    return
  }
  const notice = options.notices.find(exchange)
  if (notice !== undefined) return takeNotice(options, exchange, notice)
  const page = findPage(options.pages, exchange)
  if (page?.free === true) exchange.quota = options.rateLimit.peek(exchange.callerAddress)
  else {
    const mayAsk = (): boolean => options.rateLimit.mayGuess(exchange.callerAddress)
    const environment = entrance?.environment
    const found = findCaller(options.keyring, request.headers.authorization, { environment, mayAsk })
    // A page needs no key. If the key look-up fails, the page is served and counts as a request without a key.
    if (found instanceof Promise) exchange.caller = await (page === undefined ? found : found.catch(() => undefined))
    else exchange.caller = found
    exchange.isOutside = isOutside(exchange.caller, exchange.callerAddress)
    options.rateLimit.count(exchange)
  }
  if (options.stopping()) throw shuttingDown(exchange)
  if (exchange.framing.fault !== undefined) throw new ApiError('PARSE_ERROR', exchange.framing.fault)
  if (page !== undefined) return showPage(exchange, page)
  const route = findRoute(exchange, options.router, options.entrances)
  exchange.route = route.endpoint.path
  checkVersion(request.headers['x-api-version'])
  const { caller } = exchange
  if (caller === undefined) throw refuseKey(options, exchange)
  if (exchange.isOutside) throw refuseAddress(options, exchange, caller)
  options.keyring.touch(caller)
  permitCaller(caller, route.endpoint)
  await runEndpoint(exchange, route, caller, options)
}

function enterDashboard(options: PipelineOptions, exchange: Exchange, dashboard: DashboardDoor): Promise<void> {
  runGuarded(exchange)
  if (options.stopping()) throw shuttingDown(exchange)
  if (exchange.framing.fault !== undefined) throw new ApiError('PARSE_ERROR', exchange.framing.fault)
  return dashboard.answer(exchange)
}

/** A rail sends no API key, and its notices do not count against a quota: rail-notices.ts limits them. */
async function takeNotice(options: PipelineOptions, exchange: Exchange, path: NoticePath): Promise<void> {
  exchange.quota = options.rateLimit.peek(exchange.callerAddress)
  if (options.stopping()) throw shuttingDown(exchange)
  if (exchange.framing.fault !== undefined) throw new ApiError('PARSE_ERROR', exchange.framing.fault)
  await options.notices.answer(exchange, path)
}

function findPage(pages: Map<string, Page>, { path, entrance }: Exchange): Page | undefined {
  const page = pages.get(path.length > 1 && path.endsWith('/') && path !== '/metrics/' ? path.slice(0, -1) : path)
  return page?.atRoot === true && entrance !== undefined && entrance.prefix !== '' ? undefined : page
}

async function showPage(exchange: Exchange, page: Page): Promise<void> {
  exchange.route = page.path
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') throw wrongMethod(['GET', 'HEAD'])
  checkVersion(exchange.request.headers['x-api-version'])
  await page.respond(exchange)
}

/**
 * `X-API-Version` selects a version. If it is absent or empty, the latest stable version is used. There is only one
 * version.
 */
function checkVersion(header: string | string[] | undefined): void {
  const asked = (Array.isArray(header) ? header.join(',') : (header ?? '')).trim().toLowerCase()
  if (asked !== '' && asked !== apiVersion) {
    throw new ApiError('UNSUPPORTED_API_VERSION', `Supported versions: ${apiVersion}`)
  }
}

export type FoundRoute = Extract<Match, { kind: 'found' }>

const pathShownMax = 200

function findRoute(
  { method, path, entrance, badAddress }: Exchange,
  router: Router,
  entrances: Entrance[],
): FoundRoute {
  // A path with malformed percent-encoding must still find its route, so that a caller without a valid key gets 401 and
  // not 404.
  const readable = badAddress === undefined ? path : path.replaceAll('%', '%25')
  const match: Match = entrance === undefined ? { kind: 'not-found' } : router.find(method, readable)
  if (match.kind === 'found') return match
  if (match.kind === 'wrong-method') throw wrongMethod(match.allowed)
  const shown = path === '' ? '/' : path.slice(0, pathShownMax)
  const bases = entrances.map(({ baseUrl }) => baseUrl).join(' or ')
  const hint = entrance === undefined ? `. Addresses begin with ${bases}` : ''
  throw new ApiError('ROUTE_NOT_FOUND', `No route for ${method} ${shown}${hint}`)
}

export function wrongMethod(allowed: string[]): ApiError {
  const list = [...allowed, 'OPTIONS'].join(', ')
  return new ApiError('METHOD_NOT_ALLOWED', `This path answers to: ${list}`, { headers: { Allow: list } })
}

function shuttingDown({ response }: Exchange): Unavailable {
  response.shouldKeepAlive = false
  return new Unavailable('The service is shutting down. Try again shortly.')
}

function fail(options: PipelineOptions, exchange: Exchange, error: unknown): void {
  const { request, response, requestId } = exchange
  try {
    const failure = failureOf(error, options.log, requestId)
    exchange.errorCode = failure.code
    exchange.faults = failure.details
    if (request.socket.destroyed) return // The caller has disconnected.
    exchange.quota ??= options.rateLimit.peek(exchange.callerAddress)
    if (!response.headersSent) answerFailure(exchange, failure, options.clock.now())
    else response.destroy() // Part of another response was sent; a cut shows that it is incomplete.
  } catch (unanswerable) {
    options.log.error({ requestId, error: describe(unanswerable) }, 'could not send an error response')
    response.destroy()
  }
}
