// SQL of the log of API requests.

import { arraysOf, statement, type InLane } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'

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
}

const insertRows = statement(
  'requests.insert',
  `insert into api_request (lane, tenant_id, id, at, request_id, key_id, method, route, reference, status, error_code,
       duration_ms, address, agent, body)
   select $1, v.* from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::uuid[], $7::text[], $8::text[],
       $9::text[], $10::smallint[], $11::text[], $12::integer[], $13::text[], $14::text[], $15::text[]) as v`,
)

export async function insertRequests(lane: InLane, rows: readonly ApiRequest[]): Promise<void> {
  await lane.query(insertRows, [
    lane.lane,
    ...arraysOf(rows, 'tenantId', 'id', 'at', 'requestId', 'keyId', 'method', 'route'),
    ...arraysOf(rows, 'reference', 'status', 'errorCode', 'durationMs', 'address', 'agent', 'body'),
  ])
}

const deleteOld = statement(
  'requests.forget',
  `delete from api_request where lane = $1 and ctid = any(array(
     select ctid from api_request where lane = $1 and at < $2 order by at limit $3)) returning 1`,
)

export async function deleteRequests(lane: InLane, before: Date, limit: number): Promise<number> {
  return (await lane.query(deleteOld, [lane.lane, before, limit])).length
}

const columns = `tenant_id as "tenantId", id, at, request_id as "requestId", key_id as "keyId", method, route, reference,
  status, error_code as "errorCode", duration_ms as "durationMs", address, agent, body`

const selectEnd = statement(
  'requests.piece_end',
  `select id, at from api_request where lane = $1 and tenant_id = $2 and id < $3 order by id desc offset $4 limit 1`,
)

/** The row `rows` after this one, where a piece of the list ends; undefined if the list ends before. */
export async function findPieceEnd(
  lane: InLane,
  tenantId: Uuid,
  behind: Uuid,
  rows: number,
): Promise<{ id: Uuid; at: Date } | undefined> {
  const [row] = await lane.query<{ id: Uuid; at: Date }>(selectEnd, [lane.lane, tenantId, behind, rows - 1])
  return row
}

/** Null: any. Status classes are hundreds. */
export type RequestFilter = { statusClass: number | null; route: string | null; keyId: Uuid | null }

const selectMatching = statement(
  'requests.page',
  `select ${columns} from api_request
    where lane = $1 and tenant_id = $2 and id < $3 and id >= $4
      and ($5::integer is null or status / 100 = $5) and ($6::text is null or route = $6)
      and ($7::uuid is null or key_id = $7)
    order by id desc limit $8`,
)

type RequestRange = { behind: Uuid; through: Uuid; limit: number }

export function listRequestRows(
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

export function listByRequestId(lane: InLane, tenantId: Uuid, requestId: string, limit: number): Promise<ApiRequest[]> {
  return lane.query<ApiRequest>(selectByRequestId, [lane.lane, tenantId, requestId, limit])
}
