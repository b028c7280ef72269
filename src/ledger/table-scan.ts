// Reads whole tables for verification, page by page, with pauses. A verification reads every row while the service
// runs: without pauses, the service accepted a third fewer requests while five million movements were read. This file
// also defines the type of an invariant, a check that a module adds to `ledger verify`.

import { setTimeout as delay } from 'node:timers/promises'
import type { InLane, Statement } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Violation } from './verify.ts'

/** Runs the work after the pause that the previous work requires. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>

/**
 * The pause is this many times the working time, so the scan works for one second of seven. A page that is slow because
 * the database is busy causes a longer pause.
 */
export const usualRest = 6

/**
 * The longest pause. A pause within a snapshot makes the snapshot older, and PostgreSQL closes a session that is idle
 * in a transaction for 30 s.
 */
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

/** The rows to read, and the page size. Rows of tenants that do not exist are read too. */
export type TableScan = {
  lane: InLane
  rowsPerPage: number
  /** The lowest and the highest tenant id to read. Tenants with these ids need not exist. */
  from: Uuid
  upTo: Uuid
}

export type ScanPage<Part> = { rows: number; parts: Part[] }

type PageSql = { table: string; key: string; columns: string; where?: string; parts: string }

/**
 * SQL for a page of a table of one lane, in the order of a key. It returns only what the rows are reduced to
 * (`parts`), so that neither a statement nor this process holds more than a page. `with ties` keeps rows of one key
 * together. `parts` selects from `page`; it and `where` may use `$6`, which is the argument `until` of `scanPages`.
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

/** A page without findings is one row without a part. That row still contains the last key of the page. */
type ScanPageRow<Part> = { pageRows: bigint; lastTenant: Uuid; lastKey: string } & (Part | { tenantId: null })

/** `firstKey` must be lower than every key. */
export async function* scanPages<Part extends { tenantId: Uuid }>(
  page: Statement,
  firstKey: string,
  { lane, rowsPerPage, from, upTo }: TableScan,
  until?: string | Date,
): AsyncGenerator<ScanPage<Part>> {
  let after: [Uuid, string] = [from, firstKey]
  const more = until === undefined ? [] : [until]
  for (;;) {
    const rows = await lane.query<ScanPageRow<Part>>(page, [lane.lane, ...after, upTo, rowsPerPage, ...more])
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

/**
 * SQL for the wrong rows of a page: their number and the first hundred ids. `rows` must have the column `is_wrong`.
 */
export const wrongOf = (rows: string, by: string[] = []): string =>
  `select tenant_id as "tenantId", ${by.map((column) => `${column}, `).join('')}count(*) as count,
          (array_agg(id::text order by id))[1:100] as ids
     from ${rows} where is_wrong group by ${['tenant_id', ...by].join(', ')}`

type ScannedTable = {
  table: string
  /**
   * The column that, with the tenant, identifies a sequence of numbered rows, for example the currency. Each sequence
   * has its own numbers.
   */
  list: string
  number: string
  isNumbered: string
  columns: string
  /** Rows for which this is false are skipped; by default all rows are checked. */
  isJudged?: string
  /** SQL for the number before the first checked row; 0 if the SQL is absent or yields null. */
  before?: string
  /**
   * SQL that is true if a row contradicts the previous one, for example by its balance. It may use the SQL window
   * `list`: the rows of one sequence, in the order of their numbers. That the numbers have no gaps is checked anyway.
   */
  isWrong: string
}

/**
 * SQL for a page of rows that are numbered from 1 without gaps. Each page but the first begins with the last row of
 * the previous page, which is not checked again. Numbers are numeric here, because tampered values may not fit a
 * bigint.
 */
export const numberedPageOf = ({
  table,
  list,
  number,
  isNumbered,
  columns,
  isWrong,
  ...judging
}: ScannedTable): string => {
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

export type Broken<List> = { tenantId: Uuid; list: List; count: bigint; ids: Uuid[] }

type NumberedRow<List> = { pageRows: bigint; lastTenant: Uuid; lastList: string; lastNumber: bigint } & (
  | Broken<List>
  | { tenantId: null }
)

export async function* numberedPages<List>(
  page: Statement,
  { lane, rowsPerPage, from, upTo }: TableScan,
): AsyncGenerator<ScanPage<Broken<List>>> {
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

export type Invariant = {
  name: string
  run: (check: InvariantCheck) => Promise<void>
}

/** Each statement of `lane` has its own snapshot; `atOneMoment` runs several statements in the same snapshot. */
export type InvariantCheck = TableScan & {
  /** The check of the first lane also covers rows that belong to no lane. */
  isFirstLane: boolean
  /** Runs the work in a snapshot. Resolves with undefined if the snapshot had to end before the work was done. */
  atOneMoment: <T extends object>(work: (lane: InLane) => Promise<T>) => Promise<T | undefined>
  rowsPerSnapshot: number
  /** Findings of one tenant with the same message are merged. */
  report: (finding: Violation) => void
  progress: (rows: number) => void
}
