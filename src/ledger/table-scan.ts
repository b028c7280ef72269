// How much of the time a proof works. It reads every row, beside a service that has callers: without rests five million
// movements took a third of what the service accepted.

import { setTimeout as delay } from 'node:timers/promises'
import type { InLane, Statement } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'

/** Does the work when the rest that the work before it has earned is over. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>

/** Rests so many times as long as it works: 6 of 7 s. A page that took long, because others are busy, earns a long one. */
export const usualRest = 6

/** A rest within a snapshot makes it older, and a connection that is idle for 30 s in a transaction is cut. */
const restMsMax = 2_000

export function createPace(restsPerWork: number): Pace {
  let restMs = 0
  return async (work) => {
    if (restMs > 0) await delay(restMs)
    const startMs = performance.now()
    try {
      return await work()
    } finally {
      restMs = Math.min((performance.now() - startMs) * restsPerWork, restMsMax)
    }
  }
}

// The walk of the verifiers: over a table of one lane in the order of a key, a page a statement, so that neither a
// statement nor this process ever holds more than a page, however many rows there are. A page comes back as what its rows
// amount to (`parts`), not as its rows.

/** Over which rows a walk goes, and in what steps. Between two tenants that follow each other lies nothing unseen. */
export type Walk = {
  lane: InLane
  /** How many rows a statement may look at, so that it ends soon. */
  rowsPerPage: number
  /** The first and the last tenant, whether or not they exist. */
  from: Uuid
  upTo: Uuid
}

/** What a page of so many rows amounts to. */
export type Page<Part> = { rows: number; parts: Part[] }

type PageSql = { table: string; key: string; columns: string; where?: string; parts: string }

/**
 * The SQL of a page. `with ties`: rows of one key are never torn apart. `parts` selects from `page`, and it and `where`
 * may use `$6`, which is the walk's `until`.
 */
export const pageOf = ({ table, key, columns, where = 'true', parts }: PageSql): string =>
  `with page as materialized (
     select tenant_id, ${key}, ${columns} from ${table}
      where lane = $1 and (tenant_id, ${key}) > ($2, $3) and tenant_id <= $4 and ${where} order by tenant_id, ${key}
      fetch first $5 rows with ties),
   parts as (${parts}),
   last as (select tenant_id, ${key} as key from page order by tenant_id desc, ${key} desc limit 1)
   select (select count(*) from page) as "pageRows", last.tenant_id as "lastTenant", last.key as "lastKey", parts.*
     from last left join parts on true`

/** A page on which nothing was to be told is one row without a part, which still says how far the page went. */
type PageRow<Part> = { pageRows: bigint; lastTenant: Uuid; lastKey: string } & (Part | { tenantId: null })

/** Each part names its tenant as `tenantId`. `firstKey` lies before every key. */
export async function* pages<Part extends { tenantId: Uuid }>(
  page: Statement,
  firstKey: string,
  { lane, rowsPerPage, from, upTo }: Walk,
  until?: string | Date,
): AsyncGenerator<Page<Part>> {
  let after: [Uuid, string] = [from, firstKey]
  const more = until === undefined ? [] : [until]
  for (;;) {
    const rows = await lane.query<PageRow<Part>>(page, [lane.lane, ...after, upTo, rowsPerPage, ...more])
    const [first] = rows
    if (first === undefined) return
    yield { rows: Number(first.pageRows), parts: partsOf<Part>(rows) }
    if (Number(first.pageRows) < rowsPerPage) return
    after = [first.lastTenant, first.lastKey]
  }
}

function partsOf<Part extends { tenantId: Uuid }>(rows: (Part | { tenantId: null })[]): Part[] {
  return rows.filter(isPart)
}

function isPart<Part extends { tenantId: Uuid }>(row: Part | { tenantId: null }): row is Part {
  return row.tenantId !== null
}

/** What is wrong in a page: how many, and the first hundred of them by id. `rows` says of each whether it `is_wrong`. */
export const wrongOf = (rows: string, by: string[] = []): string =>
  `select tenant_id as "tenantId", ${by.map((column) => `${column}, `).join('')}count(*) as count,
          (array_agg(id::text order by id))[1:100] as ids
     from ${rows} where is_wrong group by ${['tenant_id', ...by].join(', ')}`

type Numbered = {
  table: string
  /** The column that tells the lists of a tenant apart: each has numbers of its own. */
  list: string
  number: string
  /** Which rows have one, as the index of the numbers says it. */
  isNumbered: string
  columns: string
  /** Left out as if they were not there; all are judged when it is absent. */
  isJudged?: string
  /** The number before the first that is judged; null, or absent: 0. */
  before?: string
  /** Whether a row follows from the one before it, but for its number. `list` is the window. */
  isWrong: string
}

/**
 * The SQL of a page of rows that are numbered densely from 1. Each page but the first begins with the last row of the page
 * before, which is judged no more. Numbers are numeric here: what was tampered with may not fit a bigint any more.
 */
export const numberedPageOf = ({ table, list, number, isNumbered, columns, isWrong, ...judging }: Numbered): string => {
  const { isJudged = 'true', before = 'null' } = judging
  return `with page as materialized (
     select tenant_id, ${list}, ${number}, id, ${columns} from ${table}
      where lane = $1 and ${isNumbered} and (tenant_id, ${list}, ${number}) >= ($2, $3, $4) and tenant_id <= $5
      order by tenant_id, ${list}, ${number} limit $6),
   judged as (
     select tenant_id, ${list}, ${number}, id,
            ${number} <> coalesce(lag(${number}) over list, ${before}, 0)::numeric + 1 or ${isWrong} as is_wrong
       from page where ${isJudged} window list as (partition by tenant_id, ${list} order by ${number})),
   parts as (
     select tenant_id as "tenantId", ${list} as list, count(*) as count,
            (array_agg(id::text order by ${number}))[1:100] as ids
       from judged where is_wrong and (tenant_id, ${list}, ${number}) is distinct from ($2, $3, $4)
      group by tenant_id, ${list}),
   last as (
     select tenant_id, ${list} as list, ${number} as number from page
      order by tenant_id desc, ${list} desc, ${number} desc limit 1)
   select (select count(*) from page) as "pageRows", last.tenant_id as "lastTenant", last.list as "lastList",
          last.number as "lastNumber", parts.*
     from last left join parts on true`
}

/** Of one list of a tenant: so many rows do not follow from the row before, and which. */
export type Broken<List> = { tenantId: Uuid; list: List; count: bigint; ids: Uuid[] }

type NumberedRow<List> = { pageRows: bigint; lastTenant: Uuid; lastList: string; lastNumber: bigint } & (
  | Broken<List>
  | { tenantId: null }
)

export async function* numberedPages<List>(
  page: Statement,
  { lane, rowsPerPage, from, upTo }: Walk,
): AsyncGenerator<Page<Broken<List>>> {
  let first: [Uuid, string, bigint] = [from, '', 0n]
  for (;;) {
    const rows = await lane.query<NumberedRow<List>>(page, [lane.lane, ...first, upTo, rowsPerPage + 1])
    const [last] = rows
    if (last === undefined) return
    const found = Number(last.pageRows)
    yield { rows: Math.min(found, rowsPerPage), parts: partsOf<Broken<List>>(rows) }
    if (found <= rowsPerPage) return
    first = [last.lastTenant, last.lastList, last.lastNumber]
  }
}
