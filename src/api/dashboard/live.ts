// The live stream: tells open pages that a record is new or has another status. The page fetches the record itself, and
// the API checks permissions then. A lost hint is harmless, because pages also refresh from time to time.

import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { beginStream } from '#api/server/answer.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { depositReference } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/service.ts'
import type { Payments } from '#payments/service.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { minuteMs } from '#platform/durations.ts'
import { briefMessage, Unavailable } from '#platform/errors.ts'
import type { Uuid } from '#platform/ids.ts'
import { watchFigures } from '#reporting/reporting.ts'
import type { People } from '#users/service.ts'
import { judge } from './permissions.ts'
import { dashboardEndpoint, type DashboardEndpoint } from './endpoint.ts'

type Noun = 'transfers' | 'momo-transfers' | 'collections' | 'deposits'

/**
 * `isNew`: the record did not exist at the last check, so every page of the tenant gets the hint. Otherwise only pages
 * that named the record get it.
 */
type Hint = { noun: Noun; reference: string; status: string; isNew: boolean }

type HintRooms = { payments: Pick<Payments, 'list' | 'read'>; deposits: Pick<Deposits, 'list' | 'read'> }

/** The length of each list and the status of each named record at the last check. */
type Seen = { totals: Map<Noun, number>; statuses: Map<string, string> }

type Checked = { hints: Hint[]; recent: Hint[]; now: Seen }

type LiveRow = { noun: Noun; reference: string; status: string; createdAt: Date; updatedAt: Date }

/** Pages refresh their list after any hint, so further new rows of a check need no hints of their own. */
const newRowsMax = 20

const kinds = { transfers: 'bank_transfer', 'momo-transfers': 'momo_transfer', collections: 'momo_collection' } as const
const paymentNouns = Object.keys(kinds) as (keyof typeof kinds)[]

function createHints({ payments, deposits }: HintRooms) {
  async function latest(tenant: Tenant, noun: Noun): Promise<{ rows: LiveRow[]; total: number }> {
    const question = { page: 1, limit: newRowsMax }
    if (noun === 'deposits') {
      const { deposits: found, total } = await deposits.list(tenant, question)
      return { rows: found.map((deposit) => rowOf(noun, depositReference(deposit.id), deposit)), total }
    }
    const { payments: found, total } = await payments.list(tenant, kinds[noun], question)
    return { rows: found.map((payment) => rowOf(noun, payment.reference, payment)), total }
  }

  async function named(tenant: Tenant, names: ReadonlySet<string>): Promise<LiveRow[]> {
    const asked = [...names].map(async (reference): Promise<LiveRow[]> => {
      const deposit = await deposits.read(tenant, reference)
      if (deposit !== undefined) return [rowOf('deposits', reference, deposit)]
      const found = await Promise.all(paymentNouns.map((noun) => payments.read(tenant, kinds[noun], reference)))
      return found.flatMap((payment, at) =>
        payment === undefined ? [] : [rowOf(paymentNouns[at] ?? 'transfers', reference, payment)],
      )
    })
    return (await Promise.all(asked)).flat()
  }

  /**
   * Finds changes since the last check. It reads only the first page of each list and the records that open pages
   * named, so that the cost does not grow with a table. The first check of a tenant finds no changes. `recent` has what
   * was created or changed since `recentSince`, for streams that begin with this check.
   */
  return async (tenant: Tenant, names: ReadonlySet<string>, recentSince: Date, before?: Seen): Promise<Checked> => {
    const now: Seen = { totals: new Map(), statuses: new Map() }
    const [hints, recent]: [Hint[], Hint[]] = [[], []]
    for (const noun of [...paymentNouns, 'deposits'] as const) {
      const { rows, total } = await latest(tenant, noun)
      now.totals.set(noun, total)
      const added = before === undefined ? 0 : total - (before.totals.get(noun) ?? 0)
      hints.push(...rows.slice(0, Math.max(0, added)).map((row) => ({ ...row, isNew: true })))
      recent.push(...rows.filter((row) => row.createdAt > recentSince).map((row) => ({ ...row, isNew: true })))
    }
    for (const row of await named(tenant, names)) {
      const status = before?.statuses.get(row.reference)
      now.statuses.set(row.reference, row.status)
      if (status !== undefined && status !== row.status) hints.push({ ...row, isNew: false })
      if (row.updatedAt > recentSince) recent.push({ ...row, isNew: false })
    }
    return { hints, recent, now }
  }
}

function rowOf(noun: Noun, reference: string, row: Omit<LiveRow, 'noun' | 'reference'>): LiveRow {
  return { noun, reference, status: row.status, createdAt: row.createdAt, updatedAt: row.updatedAt }
}

/**
 * A page reads its records before its stream begins, so it may have missed changes in between. So the stream begins
 * with hints about the last minute, because a page opens its stream within a minute of reading.
 */
const recentMs = minuteMs
const heartbeatMs = 15_000
/** After this time the session and the role are checked again, and a user who lost them loses the stream. */
const askAgainMs = minuteMs
/** A stream with more unread bytes is closed, and its page reconnects. */
const unsentBytesMax = 64 * 1024

type Stream = {
  response: ServerResponse
  /**
   * Sends the response headers before the first write; the page then closes its previous stream. Returns false if they
   * were sent before.
   */
  begin(): boolean
  token: string
  person: Uuid
  business: Uuid
  tenant: Tenant
  names: string[]
  spokeAtMs: number
  askedAtMs: number
}

type CheckOptions = {
  ctx: Pick<Context, 'clock'>
  people: Pick<People, 'signedIn'>
  rooms: HintRooms
}

/**
 * Checks for changes and sends the hints to these streams. `all`: `streams` has every stream, so the state of tenants
 * without a stream is forgotten.
 */
type Check = (streams: Iterable<Stream>, which: 'all' | 'part') => Promise<void>

function createCheck({ ctx, people, rooms }: CheckOptions): Check {
  const hintsOf = createHints(rooms)
  const seen = new Map<Uuid, Seen>()

  async function askAgain(stream: Stream): Promise<void> {
    const found = await people.signedIn(stream.token)
    const role = found?.level === 'full' ? found.roles.get(stream.business) : undefined
    if (role === undefined || judge('payments.see', role, stream.tenant.environment) === 'no') stream.response.end()
    stream.askedAtMs = ctx.clock.now()
  }

  return async (streams, which) => {
    const tenants = Map.groupBy(streams, ({ tenant }) => tenant.id)
    if (which === 'all') for (const id of seen.keys()) if (!tenants.has(id)) seen.delete(id)
    for (const [id, listening] of tenants) {
      const [first] = listening
      if (first === undefined) continue
      const names = new Set(listening.flatMap((stream) => stream.names))
      const recentSince = new Date(ctx.clock.now() - recentMs)
      const checked = await hintsOf(first.tenant, names, recentSince, seen.get(id))
      seen.set(id, checked.now)
      for (const stream of listening) tell(stream, checked, ctx.clock.now())
    }
    const due = [...tenants.values()].flat().filter(({ askedAtMs }) => ctx.clock.now() - askedAtMs >= askAgainMs)
    for (const stream of due) await askAgain(stream)
  }
}

function tell(stream: Stream, { hints, recent }: Checked, nowMs: number): void {
  const { response, names, spokeAtMs } = stream
  if (response.writableEnded) return // The stream has ended, but its page has not read that yet.
  const begins = stream.begin()
  if (begins) response.write(': hello\n\n')
  const wanted = (begins ? recent : hints).filter(({ isNew, reference }) => isNew || names.includes(reference))
  const text = wanted.map(({ noun, reference, status }) => `data: ${JSON.stringify({ noun, reference, status })}\n\n`)
  if (text.length === 0 && nowMs - spokeAtMs < heartbeatMs) return
  if (response.writableLength > unsentBytesMax) response.destroy()
  else response.write(text.length === 0 ? ': still here\n\n' : text.join(''))
  stream.spokeAtMs = nowMs
}

type Rounds = {
  wake(): void
  stop(): void
}

type RoundsOptions = {
  /**
   * Checks all streams if `isRound`, otherwise only those of tenants with a change or a new stream. Must not reject.
   */
  check: (isRound: boolean) => Promise<void>
  /** Returns true if there are streams. If not, the timer stops until the next wake. */
  isWanted: () => boolean
  roundMs: number
  gapMs: number
}

/**
 * Schedules checks for changes: a round for all streams at an interval, and a check in between as soon as this process
 * has written something. Checks never overlap, and a flood of commits causes no more checks than the gap allows.
 */
export function createRounds({ check, isWanted, roundMs, gapMs }: RoundsOptions): Rounds {
  let [isChecking, isWoken, isStopped] = [false, false, false]
  let [nextRoundMs, nextCheckMs] = [0, 0]
  let timer: NodeJS.Timeout | undefined

  function waitUntil(timeMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void turn(), Math.max(0, timeMs - performance.now()))
    timer.unref()
  }

  async function turn(): Promise<void> {
    const isRound = performance.now() >= nextRoundMs
    isChecking = true
    isWoken = false
    await check(isRound)
    isChecking = false
    const nowMs = performance.now()
    nextCheckMs = nowMs + gapMs
    if (isRound) nextRoundMs = nowMs + roundMs
    if (!isStopped && isWanted()) waitUntil(isWoken ? Math.min(nextCheckMs, nextRoundMs) : nextRoundMs)
  }

  return {
    wake() {
      if (isStopped || !isWanted()) return
      isWoken = true
      if (!isChecking) waitUntil(nextCheckMs)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

const streamsPerPersonMax = 5
const streamsMax = 500
const namesMax = 100
/** Changes by other processes are noticed within this time. */
const roundMsDefault = 1_000
/** Changes by this process are noticed at once, but at most four times a second. */
const gapMsDefault = 250

type Live = {
  endpoint: DashboardEndpoint
  close(): void
}

type LiveOptions = CheckOptions & { ctx: Pick<Context, 'db' | 'clock' | 'log'> }

export function createLive(options: LiveOptions): Live {
  const { db, clock, log } = options.ctx
  const streams = new Set<Stream>()
  const check = createCheck(options)
  const woken = new Set<Uuid>()
  let closed = false

  function checkDueStreams(isRound: boolean): Promise<void> {
    const those = [...streams].filter(({ tenant }) => isRound || woken.has(tenant.id))
    woken.clear()
    return db
      .aside(() => check(those, isRound ? 'all' : 'part'))
      .catch((error: unknown) => log.warn({ error: briefMessage(error) }, 'could not check for dashboard updates'))
  }

  const rounds = createRounds({
    check: checkDueStreams,
    isWanted: () => streams.size > 0,
    roundMs: roundMsDefault,
    gapMs: gapMsDefault,
  })
  function wake(tenants: Iterable<Uuid>): void {
    for (const id of tenants) woken.add(id)
    rounds.wake()
  }
  const unwatch = watchFigures((tenants) => {
    const listening = [...streams].map(({ tenant }) => tenant.id).filter((id) => tenants.has(id))
    if (listening.length > 0) wake(listening)
  })

  function open(exchange: Exchange, listener: LiveListener): void {
    const { response } = exchange
    const nowMs = clock.now()
    const begin = (): boolean => beginOnce(exchange)
    if (exchange.method === 'HEAD' || exchange.request.socket.readableEnded) return end({ response, begin })
    const stream = { ...listener, response, begin, spokeAtMs: nowMs, askedAtMs: nowMs }
    streams.add(stream)
    endWithPage(exchange, () => streams.delete(stream))
    // The first check of the stream records the state and then sends the headers, so the stream misses no later change.
    wake([stream.tenant.id])
  }

  function requireRoom(person: Uuid): void {
    const own = [...streams].filter((stream) => stream.person === person).length
    if (closed) throw new Unavailable('The service is shutting down. Try again shortly.')
    if (own < streamsPerPersonMax && streams.size < streamsMax) return
    throw new Unavailable('Too many pages are open. Try again in 10 s.', { retryAfterSeconds: 10 })
  }

  return {
    endpoint: liveEndpoint(open, requireRoom),
    close() {
      closed = true
      unwatch()
      rounds.stop()
      for (const stream of streams) end(stream)
    },
  }
}

/**
 * Ends the stream when the browser ends its side of the connection, as it does when the page is closed. Otherwise the
 * stream would count against the limits until something is sent.
 */
function endWithPage({ request: { socket }, response }: Exchange, onClosed: () => void): void {
  const leave = (): void => void response.end()
  socket.once('end', leave)
  response.on('close', () => {
    socket.off('end', leave)
    onClosed()
  })
}

function end({ response, begin }: Pick<Stream, 'response' | 'begin'>): void {
  begin()
  response.end()
}

function beginOnce(exchange: Exchange): boolean {
  if (exchange.response.headersSent) return false
  beginStream(exchange, 'text/event-stream; charset=utf-8')
  return true
}

type LiveListener = Pick<Stream, 'token' | 'person' | 'business' | 'tenant' | 'names'>

function liveEndpoint(
  open: (exchange: Exchange, listener: LiveListener) => void,
  requireRoom: (person: Uuid) => void,
): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/live',
    permission: 'payments.see',
    query: z.object({
      names: z
        .string('names must be given once')
        .transform((text) => text.split(',').filter((name) => name !== ''))
        .refine((names) => names.length <= namesMax, `names must be at most ${namesMax} references`)
        .default([]),
    }),
    handle({ query, person, business, tenant, visitor }) {
      requireRoom(person.person.id)
      const listener = { token: visitor.token ?? '', person: person.person.id, business, tenant, names: query.names }
      return Promise.resolve({ data: {}, takeOver: (exchange) => open(exchange, listener) })
    },
  })
}
