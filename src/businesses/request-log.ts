// The log of API requests that a business's developers see. Requests are gathered in memory and written once a second,
// so that no response waits for the log. A process that dies loses a second of the log, and a process that has too many
// requests leaves some out.

import type { Context, Tenant } from '#platform/context.ts'
import { arraysOf, inLane, type InLane, statement } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { briefMessage } from '#platform/errors.ts'
import { firstUuid, newUuid, type Uuid } from '#platform/ids.ts'

/**
 * The most requests of a tenant that one process stores in a minute. Failed requests are worth more than successful
 * ones.
 */
export const keptPerMinute = { succeeded: 60, failed: 600 }
export const keptDays = 7

const flushMs = 1_000
/**
 * The most requests in memory until the next write; further ones are left out. They suffice for two seconds of a
 * hundred tenants that each store `keptPerMinute.failed`.
 */
const waitingMax = 2_000
const rowsPerInsert = 1_000

export type RequestFacts = Omit<ApiRequest, 'tenantId' | 'id' | 'at'>

export type RequestLog = {
  note(tenant: Tenant, hasFailed: boolean, factsOf: () => RequestFacts): void
  /** Writes the gathered requests. Never rejects: requests that cannot be written are counted as left out. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createRequestLog(ctx: Pick<Context, 'clock' | 'db' | 'log' | 'metrics'>): RequestLog {
  const admits = createMinuteLimit()
  let waiting = new Map<number, ApiRequest[]>()
  let count = 0
  let writing = Promise.resolve()
  const leftOut = { rate: 0, full: 0, database: 0 }

  /** Updates the metric once a second, because the log may leave out thousands of requests. */
  function tellLeftOut(): void {
    for (const because of ['rate', 'full', 'database'] as const) {
      ctx.metrics.apiRequestsLeftOut.inc({ because }, leftOut[because])
      leftOut[because] = 0
    }
  }

  async function write(): Promise<void> {
    const taken = waiting
    waiting = new Map()
    count = 0
    for (const [lane, rows] of taken) {
      for (let from = 0; from < rows.length; from += rowsPerInsert) {
        const piece = rows.slice(from, from + rowsPerInsert)
        await insertRequests(inLane(ctx.db, lane), piece).catch((error: unknown) => {
          leftOut.database += piece.length
          ctx.log.warn({ error: briefMessage(error) }, 'could not store the log of API requests')
        })
      }
    }
    tellLeftOut()
  }

  /** Begins a write when the previous one has ended, because several at once would burden a slow database. */
  const flush = (): Promise<void> => (writing = writing.then(write))
  const timer = setInterval(() => void flush(), flushMs)
  timer.unref()

  return {
    note(tenant, hasFailed, factsOf) {
      // The monotonic clock measures minutes, because the other clock runs slower after the database's clock was set back.
      if (!admits(tenant, hasFailed, Math.floor(ctx.clock.monotonicMs() / minuteMs))) {
        leftOut.rate += 1
        return
      }
      if (count >= waitingMax) {
        leftOut.full += 1
        return
      }
      const rows = waiting.get(tenant.lane) ?? []
      waiting.set(tenant.lane, rows)
      const nowMs = ctx.clock.now()
      rows.push({ ...factsOf(), tenantId: tenant.id, id: newUuid(nowMs), at: new Date(nowMs) })
      count += 1
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

function createMinuteLimit(): (tenant: Tenant, hasFailed: boolean, minute: number) => boolean {
  const tenants = new Map<Uuid, { succeeded: number; failed: number }>()
  let minuteNow = 0
  return ({ id }, hasFailed, minute) => {
    if (minute !== minuteNow) {
      tenants.clear() // The map holds only the tenants of this minute.
      minuteNow = minute
    }
    const own = tenants.get(id) ?? { succeeded: 0, failed: 0 }
    tenants.set(id, own)
    const kind = hasFailed ? 'failed' : 'succeeded'
    own[kind] += 1
    return own[kind] <= keptPerMinute[kind]
  }
}

export function forgetRequests(ctx: Pick<Context, 'clock' | 'db'>, limit: number, lane: number): Promise<number> {
  return deleteRequests(inLane(ctx.db, lane), new Date(ctx.clock.now() - keptDays * dayMs), limit)
}

export type RequestQuestion = RequestFilter & {
  from: Date | null
  before: Date | null
  behind: Uuid | null
  limit: number
}

type RequestPage = {
  requests: ApiRequest[]
  /** The position of the next page; null: there are no older requests. */
  next: Uuid | null
  /** How far back the page has searched. Null: to the end. */
  lookedBackTo: Date | null
}

/** No index covers all filters, so each page searches a piece of the log. */
const rowsPerPiece = 5_000

export async function listRequests(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  { from, before, behind, limit, ...filter }: RequestQuestion,
): Promise<RequestPage> {
  const lane = inLane(db, tenant.lane)
  const newest = smallerOf(behind ?? lastUuid, before === null ? lastUuid : firstAt(before))
  const oldest = from === null ? firstUuid : firstAt(from)
  const end = await findPieceEnd(lane, tenant.id, newest, rowsPerPiece)
  const isEnd = end === undefined || end.id < oldest
  const range = { behind: newest, through: isEnd ? oldest : end.id, limit: limit + 1 }
  const found = await listRequestRows(lane, tenant.id, filter, range)
  const requests = found.slice(0, limit)
  const last = found.length > limit ? requests.at(-1) : isEnd ? undefined : end
  return { requests, next: last?.id ?? null, lookedBackTo: last?.at ?? null }
}

export function findRequests({ db }: Pick<Context, 'db'>, tenant: Tenant, requestId: string): Promise<ApiRequest[]> {
  return listByRequestId(inLane(db, tenant.lane), tenant.id, requestId, 100)
}

const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as Uuid

/** The smallest id of this time: the ids are UUIDv7 and begin with their milliseconds. */
function firstAt(at: Date): Uuid {
  const digits = at.getTime().toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000` as Uuid
}

function smallerOf(a: Uuid, b: Uuid): Uuid {
  return a < b ? a : b
}

export type ApiRequest = {
  tenantId: Uuid
  id: Uuid
  at: Date
  requestId: string
  keyId: Uuid
  method: string
  route: string
  reference: string | null
  status: number
  errorCode: string | null
  durationMs: number
  address: string
  agent: string
  body: string | null
  /** The refused fields and why, as JSON. */
  faults: string | null
}

const insertRows = statement(
  'requests.insert',
  `insert into api_request (lane, tenant_id, id, at, request_id, key_id, method, route, reference, status, error_code,
       duration_ms, address, agent, body, faults)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::uuid[], $7::text[], $8::text[],
       $9::text[], $10::smallint[], $11::text[], $12::integer[], $13::text[], $14::text[], $15::text[], $16::text[]) as v`,
)

async function insertRequests(lane: InLane, rows: readonly ApiRequest[]): Promise<void> {
  await lane.query(insertRows, [
    lane.lane,
    ...arraysOf(rows, 'tenantId', 'id', 'at', 'requestId', 'keyId', 'method', 'route'),
    ...arraysOf(rows, 'reference', 'status', 'errorCode', 'durationMs', 'address', 'agent', 'body', 'faults'),
  ])
}

const deleteOld = statement(
  'requests.forget',
  `delete from api_request where lane = $1 and ctid = any(array(
     select ctid from api_request where lane = $1 and at < $2 order by at limit $3)) returning 1`,
)

async function deleteRequests(lane: InLane, before: Date, limit: number): Promise<number> {
  return (await lane.query(deleteOld, [lane.lane, before, limit])).length
}

const columns = `tenant_id as "tenantId", id, at, request_id as "requestId", key_id as "keyId", method, route, reference,
  status, error_code as "errorCode", duration_ms as "durationMs", address, agent, body, faults`

const selectEnd = statement(
  'requests.piece_end',
  `select id, at from api_request where lane = $1 and tenant_id = $2 and id < $3 order by id desc offset $4 limit 1`,
)

/** Returns the last of the next `rows` rows of the list; undefined if fewer rows are left. */
async function findPieceEnd(
  lane: InLane,
  tenantId: Uuid,
  behind: Uuid,
  rows: number,
): Promise<{ id: Uuid; at: Date } | undefined> {
  const [row] = await lane.query<{ id: Uuid; at: Date }>(selectEnd, [lane.lane, tenantId, behind, rows - 1])
  return row
}

/** A filter that is null matches every request. `statusClass` is the first digit of the status. */
type RequestFilter = { statusClass: number | null; route: string | null; keyId: Uuid | null }

const selectMatching = statement(
  'requests.page',
  `select ${columns} from api_request
    where lane = $1 and tenant_id = $2 and id < $3 and id >= $4
      and ($5::integer is null or status / 100 = $5) and ($6::text is null or route = $6)
      and ($7::uuid is null or key_id = $7)
    order by id desc limit $8`,
)

type RequestRange = { behind: Uuid; through: Uuid; limit: number }

function listRequestRows(
  lane: InLane,
  tenantId: Uuid,
  { statusClass, route, keyId }: RequestFilter,
  { behind, through, limit }: RequestRange,
): Promise<ApiRequest[]> {
  return lane.query<ApiRequest>(selectMatching, [
    lane.lane,
    tenantId,
    behind,
    through,
    statusClass,
    route,
    keyId,
    limit,
  ])
}

const selectByRequestId = statement(
  'requests.by_request_id',
  `select ${columns} from api_request where lane = $1 and tenant_id = $2 and request_id = $3 order by id desc limit $4`,
)

function listByRequestId(lane: InLane, tenantId: Uuid, requestId: string, limit: number): Promise<ApiRequest[]> {
  return lane.query<ApiRequest>(selectByRequestId, [lane.lane, tenantId, requestId, limit])
}
