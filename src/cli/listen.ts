// `manilla listen`: hands a tenant's events to a program on the developer's machine as they happen, signed as real
// deliveries are. It stays while servers come and go, and goes on where it was.

import { setTimeout as delay } from 'node:timers/promises'
import type { Context, Tenant } from '#base/context.ts'
import { systemClock } from '#base/clock.ts'
import { OperatorError, Unavailable } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { listenFromNow, listenSince, type Listener } from '#webhooks/listen.ts'
import { signForListener, type HeardEvent } from '#webhooks/sign-for-listener.ts'
import { newSecret } from '#webhooks/subscription.ts'
import { forward, parseForwardUrl, type Answer } from './forward.ts'
import { createRunningDatabase, type RunningDatabase } from './running-database.ts'
import { readConfig } from './settings.ts'
import { businessIdOf, chooseTenant, type TenantOptions } from './choose-tenant.ts'

export type ListenOptions = TenantOptions & {
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
  say(`Forwarding to  ${url.href} (Ctrl-C ends it)\nSigned with    ${secret}`)
  await listen(running, session)
  say(summaryOf(session))
}

/** The secret that the receiver knows already, or a new one for this run, in the form that subscriptions have. */
function secretOf(given: string | undefined): string {
  if (given === undefined) return newSecret()
  if (/^whsec_(?:[A-Za-z0-9+/]{4}){6,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(given)) return given
  throw new OperatorError('--secret takes what a subscription has: whsec_ and the base64 of 18 bytes or more, best 32.')
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
  if (again) session.warn('The database went away, as it does when its server stops. Waiting for it …')
  for (; !session.signal.aborted; await pause(session)) {
    const entry = await running.connect()
    const found = entry.ctx === undefined ? { reason: entry.reason } : await findTenantIn(entry.ctx, session.options)
    if ('opened' in found) {
      const { business, tenant, ctx } = found.opened
      if (again) session.say('The database is back; going on where it stopped.')
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
    const { events, more } = await listener.hear(ctx.db)
    for (const event of events) {
      if (session.signal.aborted) return
      await tell({ ...event, environment: listener.tenant.environment }, session)
    }
    if (!more) await pause(session)
  }
}

async function tell(event: HeardEvent, session: Session): Promise<void> {
  const signed = session.sign(event, systemClock.now())
  const answer = await forward(session.url, signed, { signal: session.signal })
  session.count[answer.error === null ? 'delivered' : 'failed']++
  const text = session.options.json === true ? JSON.stringify(documentOf(event, answer)) : lineOf(event, answer)
  process.stdout.write(`${text}\n`)
}

function documentOf(event: HeardEvent, answer: Answer): object {
  const { id, name, reference, createdAt } = event
  return { id: formatId('event', id), event: name, reference, createdAt, ...answer }
}

/** `12:04:05 transfer.success PAYOUT-1 → 200 in 12 ms` */
function lineOf(event: HeardEvent, { responseCode, error, durationMs }: Answer): string {
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
  return `Forwarded ${events}, of which ${count.failed} failed. Missed ones come again with: ${again}`
}

async function pause({ signal }: Session): Promise<void> {
  await delay(lookEveryMs, undefined, { signal }).catch(() => undefined)
}
