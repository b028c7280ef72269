// The log of deliveries, as the doors see it: a page of it, or one record with what was sent and answered.
//
// Deliveries are numbered under their tenant's lock, but dated by their cause: by the clocks of several processes. So the
// times of the log follow its numbers but for what those clocks differ, and a search by time is only nearly right. Around
// each end of a range lies a zone in which every row is looked at; what is between the zones counts by its numbers.

import type { Context, Environment, Tenant } from '#base/context.ts'
import type { Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { payloadOf } from '#events/payload.ts'
import type { Delivery, DeliveryStatus, LogRecord } from './delivery.ts'
import { Shared } from './shared.ts'
import {
  countDeliveries,
  findDelivery,
  ofSubscription,
  ofTenant,
  readAttempts,
  readData,
  readDeliveries,
  readEnds,
  searchTime,
  type Filter,
  type Numbering,
  type Range,
  type Walk,
} from './sql-log.ts'

export type LogQuestion = {
  page: number
  limit: number
  status?: DeliveryStatus | undefined
  event?: string | undefined
  subscriptionId?: Uuid | undefined
  reference?: string | undefined
  /** Made at or after; made before. */
  from?: Date | undefined
  before?: Date | undefined
}

export type LogPage = { records: LogRecord[]; total: number }

/** `payload` is byte for byte what is sent. */
export type LogDetail = { record: LogRecord; payload: string }

export type DeliveryLog = {
  list(tenant: Tenant, question: LogQuestion): Promise<LogPage>
  read(tenant: Tenant, id: Uuid): Promise<LogDetail | undefined>
  maxAttempts(environment: Environment): number
}

export type LogOptions = { ctx: Context; maxAttempts: (environment: Environment) => number }

/** The most by which the clocks of several processes may differ for a range of time to be exact. */
const clocksApartMs = 10_000
/** Of one delivery, in an answer. */
const attemptsShownMax = 100
/**
 * No index knows the names of events, so a question for one goes through the log: 0.13 s to count 1 000 000 rows, up to
 * 0.3 s for a deep page. No more are gone through than that: the latest of the range. On that log any page of all, of a
 * subscription or of a range of time takes 1 to 4 ms, of 50 000 failed ones 9 to 35 ms, of what was delivered 9 ms at
 * first and 100 ms far down (explain analyze, 2 cores; the same without statistics). To count 1 000 000 pending ones
 * takes 0.1 s: who asks at the same time shares the count.
 */
const rowsSearchedMax = 1_000_000n

export function createDeliveryLog({ ctx, maxAttempts }: LogOptions): DeliveryLog {
  const counts = new Shared<Counted>()
  return {
    maxAttempts,
    async list(tenant, question) {
      const { deliveries, total } = await listDeliveries({ ctx, counts }, tenant, question)
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

/** One record as a list shows it. */
export async function readRecord(db: Queryable, tenant: Tenant, id: Uuid): Promise<LogRecord | undefined> {
  const delivery = await findDelivery(db, tenant, id)
  return delivery === undefined ? undefined : (await withAttempts(db, tenant, [delivery]))[0]
}

type Listed = { deliveries: Delivery[]; total: number }
type Counted = { range: Range; total: number }
type Desk = { ctx: Context; counts: Shared<Counted> }

async function listDeliveries(desk: Desk, tenant: Tenant, question: LogQuestion): Promise<Listed> {
  const { page, limit, ...filter } = question
  const place = { offset: (page - 1) * limit, limit }
  const walk = walkFor(filter)
  if (walk === 'open' || walk === 'reference' || filter.event !== undefined) {
    return listFiltered(desk, tenant, walk, filter, place)
  }
  const span = await spanOf(desk.ctx, tenant, walk === 'place' ? ofSubscription : ofTenant, filter)
  if (filter.status === undefined) return listDense(desk.ctx, tenant, walk, filter, { ...span, ...place })
  return listDelivered(desk, tenant, walk, filter, { ...span, ...place })
}

function walkFor({ reference, status, subscriptionId }: Filter): Walk {
  if (reference !== undefined) return 'reference'
  if (status === 'pending' || status === 'failed') return 'open'
  return subscriptionId === undefined ? 'ordinal' : 'place'
}

function latest({ low, high }: Range): Range {
  return { high, low: high - low > rowsSearchedMax ? high - rowsSearchedMax : low }
}

/** The rows of a range of time lie above `low` up to `high`; those above `sureLow` up to `sureHigh` are all of it. */
export type Span = Range & { sureLow: bigint; sureHigh: bigint }
type Place = { offset: number; limit: number }

export async function spanOf(
  ctx: Context,
  tenant: Tenant,
  by: Numbering,
  { from, before, subscriptionId: wanted }: Filter,
): Promise<Span> {
  const subscriptionId = by === ofSubscription ? (wanted ?? null) : null
  const ends = await readEnds(ctx.db, tenant, by, subscriptionId)
  const search = (time: Date, apartMs: number): Promise<bigint> =>
    searchTime(ctx.db, tenant, by, { ...ends, subscriptionId, time: new Date(time.getTime() + apartMs) })
  const [low, sureLow] =
    from === undefined
      ? [ends.low, ends.low]
      : await Promise.all([search(from, -clocksApartMs), search(from, clocksApartMs)])
  const [sureHigh, high] =
    before === undefined
      ? [ends.high, ends.high]
      : await Promise.all([search(before, -clocksApartMs), search(before, clocksApartMs)])
  // A range shorter than its zones is all zone.
  return sureLow < sureHigh ? { low, high, sureLow, sureHigh } : { low, high, sureLow: low, sureHigh: low }
}

/** Everything of a range. Only the zones are counted row by row. */
async function listDense(
  { db }: Context,
  tenant: Tenant,
  walk: Walk,
  filter: Filter,
  { low, sureLow, sureHigh, high, offset, limit }: Span & Place,
): Promise<Listed> {
  const [above, below] = await countZones(db, tenant, walk, filter, { low, sureLow, sureHigh, high })
  const sure = Number(sureHigh - sureLow)
  const total = above + sure + below
  if (offset >= total) return { deliveries: [], total }
  const start =
    offset < above
      ? { high, offset }
      : offset < above + sure
        ? { high: sureHigh - BigInt(offset - above), offset: 0 }
        : { high: sureLow, offset: offset - above - sure }
  return { total, deliveries: await readDeliveries(db, tenant, walk, filter, { low, limit, ...start }) }
}

function countZones(
  db: Context['db'],
  tenant: Tenant,
  walk: Walk,
  filter: Filter,
  { low, sureLow, sureHigh, high }: Span,
): Promise<[number, number]> {
  const count = (zone: Range, wanted: boolean): Promise<number> =>
    wanted ? countDeliveries(db, tenant, walk, filter, zone) : Promise.resolve(0)
  return Promise.all([
    count({ low: sureHigh, high }, filter.before !== undefined || filter.from !== undefined),
    count({ low, high: sureLow }, filter.from !== undefined),
  ])
}

/** Most of the log is delivered: their number is what the others leave. A deep page costs its depth. */
async function listDelivered(
  desk: Desk,
  tenant: Tenant,
  walk: Walk,
  filter: Filter,
  { offset, limit, ...span }: Span & Place,
): Promise<Listed> {
  const { db } = desk.ctx
  const all = { ...filter, status: undefined }
  const [[above, below], pending, failed] = await Promise.all([
    countZones(db, tenant, walk, all, span),
    countFiltered(desk, tenant, 'open', { ...filter, status: 'pending' }),
    countFiltered(desk, tenant, 'open', { ...filter, status: 'failed' }),
  ])
  const every = above + Number(span.sureHigh - span.sureLow) + below
  const total = Math.max(0, every - pending.total - failed.total)
  if (offset >= total) return { deliveries: [], total }
  return { total, deliveries: await readDeliveries(db, tenant, walk, filter, { ...span, offset, limit }) }
}

async function listFiltered(
  desk: Desk,
  tenant: Tenant,
  walk: Walk,
  filter: Filter,
  { offset, limit }: Place,
): Promise<Listed> {
  const { range, total } = await countFiltered(desk, tenant, walk, filter)
  if (offset >= total) return { deliveries: [], total }
  return { total, deliveries: await readDeliveries(desk.ctx.db, tenant, walk, filter, { ...range, offset, limit }) }
}

/** Row by row, in a range that is as new as the question. */
function countFiltered({ ctx, counts }: Desk, tenant: Tenant, walk: Walk, filter: Filter): Promise<Counted> {
  return counts.ask(JSON.stringify([tenant.id, walk, filter]), async () => {
    const span = await spanOf(ctx, tenant, walk === 'place' ? ofSubscription : ofTenant, filter)
    const range = walk === 'ordinal' || walk === 'place' ? latest(span) : span
    return { range, total: await countDeliveries(ctx.db, tenant, walk, filter, range) }
  })
}
