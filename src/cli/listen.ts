// Hands a delivery to a program of the developer who asked for it. The address comes from the person at this terminal,
// so it may be on this machine or beside it: the guard of #platform/http-client/client.ts, which is for addresses of other people, has
// nothing to protect here.

import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '#config.ts'
import { systemClock } from '#platform/clock.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { createDb } from '#platform/db/db.ts'
import { findPooler, poolerRefusal } from '#platform/db/pooler.ts'
import { Unavailable } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createLog } from '#platform/observability/log.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { prepareCluster, type Cluster } from '#postgres/embedded/cluster.ts'
import { explainFolderError, ignoreErrors } from '#postgres/embedded/folders.ts'
import { readPasswords, urlOf } from '#postgres/embedded/initialise.ts'
import { findPostmaster } from '#postgres/embedded/server-process.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { missingMigrations } from '#postgres/migrations/state.ts'
import {
  type SignedEvent,
  listenFromNow,
  listenSince,
  type Listener,
  signForListener,
  type SignableEvent,
} from '#webhooks/listen.ts'
import { newSecret } from '#webhooks/subscription.ts'
import { atTerminal, businessIdOf, chooseTenant, type TenantOptions } from './arguments.ts'
import { UsageError } from './output.ts'
import { readConfig } from './settings.ts'

type Answer = { responseCode: number | null; error: string | null; durationMs: number }

const defaultLimits = {
  /** The same time as a receiver has to answer a real delivery. */
  answerMs: 30_000,
  /** What is shown of an answer that is none of success. */
  excerptChars: 200,
}

export function parseForwardUrl(unchecked: string): URL {
  const url = URL.parse(unchecked)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const meant = /^\d+$/.test(unchecked) ? `localhost:${unchecked}` : unchecked
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(meant) ? `: write http://${meant}` : '.'
    throw new UsageError(`--forward-to takes an http or https URL, not ${unchecked}${hint}`)
  }
  if (url.username + url.password !== '') throw new UsageError('--forward-to takes no user name and no password.')
  return url
}

/** Never rejects: what goes wrong is the receiver's answer. No redirect is followed, as with a real delivery. */
export async function forward(
  url: URL,
  { headers, body }: SignedEvent,
  { signal, limits = defaultLimits }: { signal: AbortSignal; limits?: Partial<typeof defaultLimits> },
): Promise<Answer> {
  const { answerMs, excerptChars } = { ...defaultLimits, ...limits }
  const startedAt = performance.now()
  const late = AbortSignal.timeout(answerMs)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  let answer: Omit<Answer, 'durationMs'>
  try {
    const request = send(url, {
      method: 'POST',
      // A connection of its own: one that is kept may have died with a receiver that was restarted meanwhile.
      agent: false,
      headers: { ...headers, 'Content-Length': String(body.length) },
      signal: AbortSignal.any([signal, late]),
    })
    answer = await answerTo(request, body, excerptChars)
  } catch (error) {
    answer = { responseCode: null, error: reasonOf(error, { stopped: signal.aborted, late: late.aborted, answerMs }) }
  }
  return { ...answer, durationMs: Math.round(performance.now() - startedAt) }
}

async function answerTo(
  request: ClientRequest,
  body: Buffer,
  excerptChars: number,
): Promise<Omit<Answer, 'durationMs'>> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
  const responseCode = response.statusCode ?? 0
  let text = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    if (text.length < excerptChars) text += chunk
  }
  const good = responseCode >= 200 && responseCode < 300
  return { responseCode, error: good ? null : complaintOf(response, text.slice(0, excerptChars)) }
}

function complaintOf({ statusCode = 0, headers }: IncomingMessage, text: string): string {
  if (statusCode >= 300 && statusCode < 400) return `redirects are not followed (${headers.location ?? 'no location'})`
  // A terminal obeys control characters, and they are the receiver's.
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return shown === '' ? 'not a success' : shown
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens on this address; start your receiver',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'unknown host name',
  ECONNRESET: 'the connection was closed before the response was complete',
}

function reasonOf(error: unknown, known: { stopped: boolean; late: boolean; answerMs: number }): string {
  if (known.stopped) return 'stopped before the response'
  if (known.late) return `no complete response within ${known.answerMs / 1_000} s`
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `${error.message === '' ? error.name : error.message}${code === '' ? '' : ` (${code})`}`
}

// The database of `manilla listen`, which stays while servers come and go: it neither starts the embedded PostgreSQL nor
// keeps it from stopping. So it takes no seat there, as other commands do: it looks whether one runs, connects, and is
// cut off when the server stops.

/** `reason`: why there is nothing to connect to now. The caller asks again later. */
type Connected = { ctx: Context } | { ctx: undefined; reason: string }

type RunningDatabase = { connect(): Promise<Connected> }

export function createRunningDatabase(config: Config): RunningDatabase {
  const findEmbedded = createFinder(config)
  return {
    async connect() {
      const url = config.databaseUrl ?? (await findEmbedded())
      if (url === undefined)
        return { ctx: undefined, reason: `No server runs on DATA_DIR ${config.dataDir} (npm start).` }
      // It waits for a database that does not answer; through one that shares sessions it would never be right to read.
      const pooler = config.databaseUrl === undefined ? undefined : await findPooler(url).catch(() => undefined)
      if (pooler?.kind === 'shared') throw poolerRefusal(pooler)
      return await keepIfCurrent(openContext(url))
    },
  }
}

/** Whether a database is there already, so that a server may be working on it. */
export async function databaseMayRun(config: Config): Promise<boolean> {
  return config.databaseUrl !== undefined || (await createFinder(config)()) !== undefined
}

/** Asks for the address of the embedded PostgreSQL. Undefined: it does not run. */
function createFinder({ dataDir }: Config): () => Promise<string | undefined> {
  const pidFile = path.join(dataDir, 'postgres', 'data', 'postmaster.pid')
  let cluster: Cluster | undefined

  async function find(): Promise<string | undefined> {
    if ((await stat(pidFile).catch(ignoreErrors('ENOENT', 'ENOTDIR'))) === undefined) return undefined
    cluster ??= await prepareCluster({ dataDir, durable: true, onStep: () => undefined })
    const running = await findPostmaster(cluster)
    if (running?.state !== 'ready') return undefined
    return urlOf('service', await readPasswords(cluster), running.socketFolder)
  }
  return () =>
    find().catch((error: unknown) => {
      throw explainFolderError(dataDir, error)
    })
}

/** The command itself tells the operator what happens to the database, so nothing is logged. */
function openContext(url: string): Context {
  const log = createLog({ level: 'silent', format: 'json', write: () => undefined })
  const metrics = createMetrics()
  return {
    db: createDb({ url, role: serviceRole, log, metrics, poolSizeMax: 1 }),
    log,
    metrics,
    clock: systemClock,
    by: atTerminal(),
  }
}

async function keepIfCurrent(ctx: Context): Promise<Connected> {
  let reason = ''
  try {
    const missing = await missingMigrations(ctx.db)
    if (missing.length === 0) return { ctx }
    reason = `The database lacks ${missing.length} migrations. Run: npx manilla migrate.`
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    reason = `${error.message}${error.cause instanceof Error ? ` Reason: ${error.cause.message}.` : ''}`
  }
  await ctx.db.close()
  return { ctx: undefined, reason }
}

// `manilla listen`: hands a tenant's events to a program on the developer's machine as they happen, signed as real
// deliveries are. It stays while servers come and go, and goes on where it was.

type ListenOptions = TenantOptions & {
  forwardTo: string
  /** How long ago, in milliseconds. */
  since?: number
  secret?: string
  json?: boolean
}

const lookEveryMs = 500

type Session = {
  options: ListenOptions
  url: URL
  sign: ReturnType<typeof signForListener>
  startedMs: number
  signal: AbortSignal
  /** Prints what happens. With --json that goes to standard error, so that standard output holds documents only. */
  say: (text: string) => void
  /** Prints what keeps the command from going on. */
  warn: (text: string) => void
  count: { delivered: number; failed: number }
}

export async function listenCommand(options: ListenOptions): Promise<void> {
  const url = parseForwardUrl(options.forwardTo)
  businessIdOf(options)
  const running = createRunningDatabase(readConfig())
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  const warn = (text: string): void => void process.stderr.write(`${text}\n`)
  const say = options.json === true ? warn : (text: string): void => void process.stdout.write(`${text}\n`)
  const secret = secretOf(options.secret)
  const session: Session = {
    options,
    url,
    sign: signForListener(secret),
    startedMs: systemClock.now(),
    signal: stopping.signal,
    say,
    warn,
    count: { delivered: 0, failed: 0 },
  }
  say(`Forwarding to  ${url.href} (press Ctrl-C to end)\nSigned with    ${secret}`)
  await listen(running, session)
  say(summaryOf(session))
}

/** The secret that the receiver knows already, or a new one for this run, in the form that subscriptions have. */
function secretOf(given: string | undefined): string {
  if (given === undefined) return newSecret()
  if (/^whsec_(?:[A-Za-z0-9+/]{4}){6,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(given)) return given
  throw new UsageError(
    '--secret takes the form of a webhook secret: whsec_ and the base64 of at least 18 bytes, ideally 32.',
  )
}

async function listen(running: RunningDatabase, session: Session): Promise<void> {
  let heard: Listener | undefined
  while (!session.signal.aborted) {
    const opened = await waitForTenant(running, session, heard !== undefined)
    if (opened === undefined) return
    const { ctx, tenant } = opened
    try {
      // The operator may have started over with an empty database, where this command's place means nothing.
      if (heard?.tenant.id !== tenant.id) heard = await begin(ctx, tenant, session, opened.waited)
      await follow(ctx, heard, session)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    } finally {
      await ctx.db.close()
    }
  }
}

type Opened = { ctx: Context; tenant: Tenant; waited: boolean }

/** Says once that it waits, and once that the database is there. Undefined when the command was stopped meanwhile. */
async function waitForTenant(running: RunningDatabase, session: Session, again: boolean): Promise<Opened | undefined> {
  let waited = again
  if (again) session.warn('Lost the database, probably because its server stopped. Waiting …')
  for (; !session.signal.aborted; await pause(session)) {
    const entry = await running.connect()
    const found = entry.ctx === undefined ? { reason: entry.reason } : await findTenantIn(entry.ctx, session.options)
    if ('opened' in found) {
      const { business, tenant, ctx } = found.opened
      if (again) session.say('Reconnected; continuing where it stopped.')
      else session.say(`Listening to   ${business}, ${tenant.environment}`)
      return { ctx, tenant, waited }
    }
    if (!waited) session.warn(`${found.reason} Waiting …`)
    waited = true
  }
  return undefined
}

async function findTenantIn(
  ctx: Context,
  options: TenantOptions,
): Promise<{ opened: { ctx: Context; tenant: Tenant; business: string } } | { reason: string }> {
  let reason = 'There is no business yet (npx manilla businesses create --name NAME).'
  try {
    const named = await chooseTenant(ctx, options)
    if (named !== undefined) return { opened: { ctx, ...named } }
  } catch (error) {
    if (!(error instanceof Unavailable)) {
      await ctx.db.close()
      throw error
    }
    reason = error.message
  }
  await ctx.db.close()
  return { reason }
}

function begin(ctx: Context, tenant: Tenant, session: Session, waited: boolean): Listener | Promise<Listener> {
  const { since: sinceMs } = session.options
  if (sinceMs !== undefined) return listenSince(tenant, new Date(session.startedMs - sinceMs))
  // Events from the time when it waited for the database are forwarded too.
  return waited ? listenSince(tenant, new Date(session.startedMs)) : listenFromNow(ctx.db, tenant)
}

async function follow(ctx: Context, listener: Listener, session: Session): Promise<void> {
  while (!session.signal.aborted) {
    const { events, more } = await listener.readNext(ctx.db)
    for (const event of events) {
      if (session.signal.aborted) return
      await tell({ ...event, environment: listener.tenant.environment }, session)
    }
    if (!more) await pause(session)
  }
}

async function tell(event: SignableEvent, session: Session): Promise<void> {
  const signed = session.sign(event, systemClock.now())
  const answer = await forward(session.url, signed, { signal: session.signal })
  session.count[answer.error === null ? 'delivered' : 'failed']++
  const text = session.options.json === true ? JSON.stringify(documentOf(event, answer)) : lineOf(event, answer)
  process.stdout.write(`${text}\n`)
}

function documentOf(event: SignableEvent, answer: Answer): object {
  const { id, name, reference, createdAt } = event
  return { id: formatId('event', id), event: name, reference, createdAt, ...answer }
}

/** `12:04:05 transfer.success PAYOUT-1 → 200 in 12 ms` */
function lineOf(event: SignableEvent, { responseCode, error, durationMs }: Answer): string {
  const answer = responseCode === null ? `failed after ${durationMs} ms` : `${responseCode} in ${durationMs} ms`
  const what = [localTime(event.createdAt), event.name, event.reference].join(' ')
  return `${what} → ${answer}${error === null ? '' : `: ${error}`}`
}

/** The local time of day, with the date when it is not today. */
function localTime(time: Date): string {
  const clock = time.toTimeString().slice(0, 8)
  if (time.toDateString() === new Date(systemClock.now()).toDateString()) return clock
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${time.getFullYear()}-${month}-${day} ${clock}`
}

function summaryOf({ count, options }: Session): string {
  const all = count.delivered + count.failed
  const events = all === 1 ? '1 event' : `${all} events`
  if (count.failed === 0) return `Forwarded ${events}.`
  const again = `npx manilla listen --forward-to ${options.forwardTo} --since 10m`
  return `Forwarded ${events}, of which ${count.failed} failed. To send failed events again: ${again}`
}

async function pause({ signal }: Session): Promise<void> {
  await delay(lookEveryMs, undefined, { signal }).catch(() => undefined)
}
