// The delivery log as the API shows it: a page of deliveries, one delivery with its attempts, and counts by hour. A
// delivery is one event for one subscription.
//
// Deliveries are numbered under their tenant's lock, but their time is that of the event, by the clocks of several
// processes. So times and numbers may disagree by the difference of those clocks, and a search by time is only nearly
// right. Around each end of a range is a zone in which every row is read; between the zones, rows are counted by their
// numbers.

import type { DeliveryStatus } from '#events/catalogue.ts'
import type { Attempt } from '#events/outbox.ts'
import { payloadOf } from '#events/payload.ts'
import { AskOnce } from '#platform/concurrency.ts'
import type { Context, Tenant, Environment } from '#platform/context.ts'
import type { Queryable } from '#platform/db/db.ts'
import { lengthOf, sliceOf, type Range, type Slice, type TimeRange } from '#platform/db/numbered-list.ts'
import { hourMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import {
  countByHour,
  type HourCount,
  readEnds,
  countDeliveries,
  findDelivery,
  readAttempts,
  readData,
  readDeliveries,
  searchTime,
  type Filter,
  type LogPath,
} from './log-queries.ts'

export { deliveryStatuses } from '#events/catalogue.ts'

export type Delivery = {
  tenantId: Uuid
  id: Uuid
  subscriptionId: Uuid
  /** Together with `event`, identifies the event. */
  sourceId: Uuid
  event: string
  reference: string
  /** The current URL of the subscription. */
  url: string
  status: DeliveryStatus
  attempts: number
  responseCode: number | null
  lastError: string | null
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
  deliveredAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** A delivery and its latest attempts in ascending order. */
export type LogRecord = Delivery & { deliveryAttempts: Attempt[] }

const hours = 24

/** At most this many of the latest rows of an hour are read: usually all of them, in a busy hour a sample. */
const lookedAtMax = 500

/**
 * Counts the deliveries of a subscription in each of the last 24 hours, oldest first; the last one is the current hour.
 * Clocks of processes differ, so a delivery near the edge of an hour may be counted in the neighboring hour.
 */
async function deliveriesByHour(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  tenant: Tenant,
  subscriptionId: Uuid,
): Promise<HourCount[]> {
  const lastMs = Math.floor(clock.now() / hourMs) * hourMs
  const begins = Array.from({ length: hours }, (_, index) => new Date(lastMs - (hours - 1 - index) * hourMs))
  const ends = await readEnds(db, { tenant, subscriptionId })
  return countByHour(db, { tenant, subscriptionId }, { begins, ends, lookedAtMax })
}

export type LogQuestion = TimeRange & {
  page: number
  limit: number
  status?: DeliveryStatus | undefined
  event?: string | undefined
  subscriptionId?: Uuid | undefined
  reference?: string | undefined
  /** The first digit of the last response code; 0 if there was no response. */
  codeClass?: number | undefined
}

type LogPage = { records: LogRecord[]; total: number }

/** `payload` is the request body. It changes only when personal data is erased. */
export type LogDetail = { record: LogRecord; payload: string }

export type DeliveryLog = {
  list(tenant: Tenant, question: LogQuestion): Promise<LogPage>
  read(tenant: Tenant, id: Uuid): Promise<LogDetail | undefined>
  byHour(tenant: Tenant, subscriptionId: Uuid): Promise<HourCount[]>
  maxAttempts(environment: Environment): number
}

type LogOptions = { ctx: Context; maxAttempts: (environment: Environment) => number }

/** A list of a range of time is exact if the clocks of the processes differ by no more than this. */
const clocksApartMs = 10_000
const attemptsShownMax = 100
/**
 * No index contains event names or response codes, so a filter on one of them scans the log, at most this many of the
 * latest rows of the range: 0.13 s to count 1 000 000 rows, up to 0.3 s for a deep page. On that log any page of all
 * deliveries, of a subscription or of a range of time takes 1 to 4 ms, of 50 000 failed deliveries 9 to 35 ms, and of
 * delivered ones 9 ms for the first page and 100 ms for a deep one (explain analyze, 2 cores; the same without
 * statistics). Counting 1 000 000 pending deliveries takes 0.1 s; concurrent requests share the count.
 */
const rowsSearchedMax = 1_000_000n

export function createDeliveryLog({ ctx, maxAttempts }: LogOptions): DeliveryLog {
  const counts = new AskOnce<DeliveryCount>()
  return {
    maxAttempts,
    byHour: (tenant, subscriptionId) => deliveriesByHour(ctx, tenant, subscriptionId),
    async list(tenant, question) {
      const { deliveries, total } = await listDeliveries({ db: ctx.db, counts }, tenant, question)
      return { records: await withAttempts(ctx.db, tenant, deliveries), total }
    },
    async read(tenant, id) {
      const delivery = await findDelivery(ctx.db, tenant, id)
      if (delivery === undefined) return undefined
      const [data, [record]] = await Promise.all([
        readData(ctx.db, tenant, delivery),
        withAttempts(ctx.db, tenant, [delivery], true),
      ])
      if (record === undefined) return undefined
      return { record, payload: payloadOf({ ...delivery, environment: tenant.environment, data }) }
    },
  }
}

async function withAttempts(
  db: Queryable,
  tenant: Tenant,
  deliveries: Delivery[],
  bodies = false,
): Promise<LogRecord[]> {
  const ids = deliveries.map(({ id }) => id)
  const attempts = await readAttempts(db, tenant, ids, { bodies, perDeliveryMax: attemptsShownMax })
  return deliveries.map((one) => ({ ...one, deliveryAttempts: attempts.get(one.id) ?? [] }))
}

export async function readRecord(db: Queryable, tenant: Tenant, id: Uuid): Promise<LogRecord | undefined> {
  const delivery = await findDelivery(db, tenant, id)
  return delivery === undefined ? undefined : (await withAttempts(db, tenant, [delivery]))[0]
}

type DeliveryPage = { deliveries: Delivery[]; total: number }
type DeliveryCount = { range: Range; total: number }
type ListDeps = { db: Queryable; counts: AskOnce<DeliveryCount> }

async function listDeliveries(deps: ListDeps, tenant: Tenant, question: LogQuestion): Promise<DeliveryPage> {
  const { page, limit, ...filter } = question
  const slice = sliceOf({ page, limit })
  const path = pathFor(filter)
  if (path === 'open' || path === 'reference' || (filter.event ?? filter.codeClass) !== undefined) {
    return listFiltered(deps, tenant, path, filter, slice)
  }
  const span = await spanOf(deps.db, tenant, path, filter)
  const list = filter.status === undefined ? listDense : listDelivered
  return list(deps, tenant, path, filter, { ...span, ...slice })
}

function pathFor({ reference, status, subscriptionId }: Filter): LogPath {
  if (reference !== undefined) return 'reference'
  if (status === 'pending' || status === 'failed') return 'open'
  return subscriptionId === undefined ? 'tenant' : 'subscription'
}

function latest({ low, high }: Range): Range {
  return { high, low: high - low > rowsSearchedMax ? high - rowsSearchedMax : low }
}

/** The rows of a range of time are within (`low`, `high`]; every row within (`sureLow`, `sureHigh`] belongs to it. */
type Span = Range & { sureLow: bigint; sureHigh: bigint }

/** Returns the span in the numbers of this path: the subscription's or the tenant's. */
export async function spanOf(
  db: Queryable,
  tenant: Tenant,
  path: LogPath,
  { from, before, subscriptionId }: Filter,
): Promise<Span> {
  const numbered = path === 'subscription' ? { tenant, subscriptionId } : { tenant }
  const ends = await readEnds(db, numbered)
  const search = (time: Date, apartMs: number): Promise<bigint> =>
    searchTime(db, numbered, new Date(time.getTime() + apartMs), ends)
  const [low, sureLow] =
    from === undefined
      ? [ends.low, ends.low]
      : await Promise.all([search(from, -clocksApartMs), search(from, clocksApartMs)])
  const [sureHigh, high] =
    before === undefined
      ? [ends.high, ends.high]
      : await Promise.all([search(before, -clocksApartMs), search(before, clocksApartMs)])
  // If the range is shorter than the differences of the clocks, no row is certain to belong to it.
  return sureLow < sureHigh ? { low, high, sureLow, sureHigh } : { low, high, sureLow: low, sureHigh: low }
}

/** Lists every row of a range. Counts row by row only in the zones, where clocks may disagree. */
async function listDense(
  { db }: ListDeps,
  tenant: Tenant,
  path: LogPath,
  filter: Filter,
  { low, sureLow, sureHigh, high, offset, limit }: Span & Slice,
): Promise<DeliveryPage> {
  const { above, sure, total } = await countSpan(db, tenant, path, filter, { low, sureLow, sureHigh, high })
  if (offset >= total) return { deliveries: [], total }
  const start =
    offset < above
      ? { high, offset }
      : offset < above + sure
        ? { high: sureHigh - BigInt(offset - above), offset: 0 }
        : { high: sureLow, offset: offset - above - sure }
  return { total, deliveries: await readDeliveries(db, tenant, path, filter, { low, limit, ...start }) }
}

type SpanCount = { above: number; sure: number; total: number }

async function countSpan(
  db: Queryable,
  tenant: Tenant,
  path: LogPath,
  filter: Filter,
  { low, sureLow, sureHigh, high }: Span,
): Promise<SpanCount> {
  const count = (zone: Range, wanted: boolean): Promise<number> =>
    wanted ? countDeliveries(db, tenant, path, filter, zone) : Promise.resolve(0)
  const [above, below] = await Promise.all([
    count({ low: sureHigh, high }, filter.before !== undefined || filter.from !== undefined),
    count({ low, high: sureLow }, filter.from !== undefined),
  ])
  const sure = lengthOf({ low: sureLow, high: sureHigh })
  return { above, sure, total: above + sure + below }
}

/** Most deliveries are delivered, so it counts all and subtracts the others. A deeper page costs more. */
async function listDelivered(
  deps: ListDeps,
  tenant: Tenant,
  path: LogPath,
  filter: Filter,
  { offset, limit, ...span }: Span & Slice,
): Promise<DeliveryPage> {
  const { db } = deps
  const [every, pending, failed] = await Promise.all([
    countSpan(db, tenant, path, { ...filter, status: undefined }, span),
    countFiltered(deps, tenant, 'open', { ...filter, status: 'pending' }),
    countFiltered(deps, tenant, 'open', { ...filter, status: 'failed' }),
  ])
  const total = Math.max(0, every.total - pending.total - failed.total)
  if (offset >= total) return { deliveries: [], total }
  return { total, deliveries: await readDeliveries(db, tenant, path, filter, { ...span, offset, limit }) }
}

async function listFiltered(
  deps: ListDeps,
  tenant: Tenant,
  path: LogPath,
  filter: Filter,
  slice: Slice,
): Promise<DeliveryPage> {
  const { range, total } = await countFiltered(deps, tenant, path, filter)
  if (slice.offset >= total) return { deliveries: [], total }
  return { total, deliveries: await readDeliveries(deps.db, tenant, path, filter, { ...range, ...slice }) }
}

/**
 * Counts row by row. If the path has no index of its own, counts at most the latest `rowsSearchedMax` rows. Equal
 * requests at the same time share a count.
 */
function countFiltered(
  { db, counts }: ListDeps,
  tenant: Tenant,
  path: LogPath,
  filter: Filter,
): Promise<DeliveryCount> {
  return counts.ask(JSON.stringify([tenant.id, path, filter]), async () => {
    const span = await spanOf(db, tenant, path, filter)
    const range = path === 'tenant' || path === 'subscription' ? latest(span) : span
    return { range, total: await countDeliveries(db, tenant, path, filter, range) }
  })
}
