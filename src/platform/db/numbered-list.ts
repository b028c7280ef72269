// Lists whose rows are numbered from 1 without gaps, under the lock of their tenant. No row is dated before the
// previous one. So a page, a total and a time range are ranges of numbers, and page 50 000 costs what page 1 costs.

import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { arrayOf, statement, type Db, type InLane, type Queryable } from './db.ts'

export type Position = { ordinal: bigint; createdAt: Date }

/** The numbers above `low`, up to and including `high`. */
export type Range = { low: bigint; high: bigint }

export type Slice = { offset: number; limit: number }

export type PageQuestion = { page: number; limit: number }

/** `from` is inclusive, `before` is exclusive. */
export type TimeRange = { from?: Date | undefined; before?: Date | undefined }

/** The new row is dated no earlier than the last one, even if the clocks of processes differ. */
export function positionAfter(last: Position | undefined, nowMs: number): Position {
  if (last === undefined) return { ordinal: 1n, createdAt: new Date(nowMs) }
  return { ordinal: last.ordinal + 1n, createdAt: new Date(Math.max(nowMs, last.createdAt.getTime())) }
}

export function sliceOf({ page, limit }: PageQuestion): Slice {
  return { offset: (page - 1) * limit, limit }
}

export function lengthOf({ low, high }: Range): number {
  return high > low ? Number(high - low) : 0
}

export function rangeOfSlice(range: Range, { offset, limit }: Slice): Range {
  const high = range.high - BigInt(Math.min(offset, lengthOf(range)))
  const low = high - BigInt(limit)
  return { high, low: low > range.low ? low : range.low }
}

export function* piecesDown({ low, high }: Range, size: bigint): Generator<Range> {
  for (let at = high; at > low; at -= size) yield { high: at, low: at - size > low ? at - size : low }
}

// The SQL for any table with numbered lists. A table names its number column and, if a tenant has several lists in it,
// the column that distinguishes them.

type NumberedTable = {
  name: string
  table: string
  /** The columns of a row, with the alias `r`. */
  columns: string
  /** The columns of a page, if it needs fewer: reading a column costs as much as finding its row. */
  shown?: string
  number?: string
  indexed?: string
  /** The column that, with the tenant, identifies a list, for example the currency. Callers then pass `list`. */
  list?: string
}

type ListReader<R, Shown = R> = {
  last(db: Queryable, tenant: Tenant, list?: string): Promise<bigint>
  /**
   * Tenants without rows are left out. The caller holds the locks of the tenants, so that the positions cannot change.
   */
  lastOfTenants(lane: InLane, tenantIds: Uuid[], list?: string): Promise<Map<Uuid, Position>>
  /** Rows up to `gone` are no longer in the table, so the caller must refuse a range that begins or ends among them. */
  rangeOf(db: Queryable, tenant: Tenant, time: TimeRange, list?: string, gone?: bigint): Promise<Range>
  read(db: Queryable, tenant: Tenant, range: Range, list?: string): Promise<R[]>
  /** The latest rows first. `total` is the number of rows in the time range. */
  page(
    db: Pick<Db, 'query' | 'lists'>,
    tenant: Tenant,
    question: PageQuestion & TimeRange,
    list?: string,
  ): Promise<{ rows: Shown[]; total: number }>
}

export function numberedList<R extends Shown, Shown extends object = R>(table: NumberedTable): ListReader<R, Shown> {
  const { lastOf, lastsOf, beforeOf, pageOf, pageOfAll } = statementsOf(table)
  const last: ListReader<R>['last'] = async (db, tenant, list) => {
    const [row] = await db.query<{ number: bigint }>(lastOf, valuesOf(tenant, list))
    return row?.number ?? 0n
  }

  async function lastBefore(
    db: Queryable,
    tenant: Tenant,
    list: string | undefined,
    time: Date,
    { low, high }: Range,
  ): Promise<bigint> {
    const [row] = await db.query<{ low: bigint }>(beforeOf, [...valuesOf(tenant, list), time, low, high])
    return row?.low ?? low
  }

  const rangeOf: ListReader<R>['rangeOf'] = async (db, tenant, { from, before }, list, gone = 0n) => {
    const number = await last(db, tenant, list)
    const all = { low: gone, high: number > gone ? number : gone }
    const [low, high] = await Promise.all([
      from === undefined ? 0n : lastBefore(db, tenant, list, from, all),
      before === undefined ? all.high : lastBefore(db, tenant, list, before, all),
    ])
    return { low, high: high > low ? high : low }
  }

  const read: ListReader<R>['read'] = async (db, tenant, { low, high }, list) =>
    high > low ? db.query<R>(pageOf, [...valuesOf(tenant, list), low, high]) : []

  const readPage: ListReader<R, Shown>['page'] = async (db, tenant, question, list) => {
    const { offset, limit } = sliceOf(question)
    const rows = await db.lists.query<Shown & { total: bigint }>(pageOfAll, [...valuesOf(tenant, list), offset, limit])
    const total = rows[0]?.total ?? (await last(db.lists, tenant, list))
    // Between the two queries, rows may have been added that belong on this page.
    return rows.length === 0 && total > offset ? readPage(db, tenant, question, list) : { rows, total: Number(total) }
  }

  return {
    last,
    async lastOfTenants(lane, tenantIds, list) {
      const values = [lane.lane, arrayOf(tenantIds, (id) => id), ...(list === undefined ? [] : [list])]
      const rows = await lane.query<Position & { tenantId: Uuid }>(lastsOf, values)
      return new Map(rows.map(({ tenantId, ordinal, createdAt }) => [tenantId, { ordinal, createdAt }]))
    },
    rangeOf,
    read,
    async page(db, tenant, question, list) {
      if (question.from === undefined && question.before === undefined) return readPage(db, tenant, question, list)
      const range = await rangeOf(db, tenant, question, list)
      return {
        rows: await read(db, tenant, rangeOfSlice(range, sliceOf(question)), list),
        total: lengthOf(range),
      }
    },
  }
}

function valuesOf(tenant: Tenant, list: string | undefined): unknown[] {
  return [tenant.lane, tenant.id, ...(list === undefined ? [] : [list])]
}

/**
 * How far the time in an id may be ahead of the date of its row. The ids of a process only rise (`newUuid`), so an id
 * has the latest time that its process has used, also for other tenants. If clocks agree, the difference is
 * milliseconds.
 */
export const idAheadMsMax = 10_000
/** If the range is larger, only its latest rows are searched. */
const nearestMax = 20_000n

/**
 * Finds a row by an id that has no index: the id contains its time, and the list is in order of time. `youngerMs`: how
 * much later than its id the row may be dated.
 */
export async function findDated<R extends { id: Uuid }>(
  list: Pick<ListReader<R>, 'rangeOf' | 'read'>,
  { db, tenant, name, youngerMs = 0 }: { db: Queryable; tenant: Tenant; name?: string; youngerMs?: number },
  id: Uuid,
): Promise<R | undefined> {
  const madeAtMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const time = { from: new Date(madeAtMs - idAheadMsMax), before: new Date(madeAtMs + youngerMs + 1) }
  const { low, high } = await list.rangeOf(db, tenant, time, name)
  const nearest = { high, low: high - low > nearestMax ? high - nearestMax : low }
  return (await list.read(db, tenant, nearest, name)).find((row) => row.id === id)
}

// Searches a list by values without an index, a piece at a time (docs/adr/0030-looking-through-in-bounded-pieces.md).

export type Bounds = {
  /** The most rows that one statement reads: a few milliseconds of one connection. */
  pieceRows: bigint
  /** The most rows that one request reads: some tenths of a second of one of the four connections for pages. */
  questionRows: bigint
}

/** `rows`: how many rows a statement reads to search the range. */
export type ListPiece = Range & { rows: bigint }

export type ListSearch<R> = {
  range: Range
  /** If given and within the range, the search begins below this number. */
  behind: bigint | undefined
  limit: number
  bounds: Bounds
  /**
   * Returns the next piece, from the number `at` down, for which a statement reads at most `rows` rows. By default, a
   * statement reads every row of a piece.
   */
  pieceAt?: (at: bigint, rows: bigint) => Promise<ListPiece>
  find: (piece: Range, limit: number) => Promise<R[]>
  /** Resolves with true if the `found` rows are all: `find` would return no more rows at or below the number `at`. */
  isAll?: (at: bigint, found: number) => Promise<boolean>
}

/** `at`: where the next request continues; undefined if nothing is left. `looked`: the number of rows read. */
export type SearchResult<R> = { rows: R[]; looked: number; at: bigint | undefined }

export async function searchDown<R extends { number: bigint }>({
  range,
  behind,
  limit,
  bounds: { pieceRows, questionRows },
  pieceAt,
  find,
  isAll = () => Promise.resolve(false),
}: ListSearch<R>): Promise<SearchResult<R>> {
  const rows: R[] = []
  let [at, looked] = [behind !== undefined && behind - 1n < range.high ? behind - 1n : range.high, 0n]
  while (at > range.low && looked < questionRows && rows.length < limit && !(await isAll(at, rows.length))) {
    const most = pieceRows < questionRows - looked ? pieceRows : questionRows - looked
    const piece = (await pieceAt?.(at, most)) ?? allOf(range.low, at, most)
    const wanted = limit - rows.length
    const found = await find(piece, wanted)
    rows.push(...found)
    const last = found.at(-1)
    // The piece may hold more rows than the page, so the next request continues within it.
    const end = found.length === wanted && last !== undefined ? last.number - 1n : piece.low
    looked += pieceAt === undefined ? at - end : piece.rows
    at = end
  }
  return { rows, looked: Number(looked), at: at <= range.low || (await isAll(at, rows.length)) ? undefined : at }
}

function allOf(lowest: bigint, high: bigint, most: bigint): ListPiece {
  const low = high - most > lowest ? high - most : lowest
  return { low, high, rows: high - low }
}

export const walkedAtOnce = 500n

/**
 * Yields the rows that a list has now within a time range, in batches, the latest first. No transaction is open between
 * two batches, so the caller may take any time.
 */
export async function* walkDown<R extends object>(
  list: ListReader<R>,
  db: Queryable,
  tenant: Tenant,
  time: TimeRange,
  name?: string,
): AsyncGenerator<R[]> {
  const range = await list.rangeOf(db, tenant, time, name)
  for (const piece of piecesDown(range, walkedAtOnce)) yield await list.read(db, tenant, piece, name)
}

function statementsOf({ name, table, columns, shown = columns, number = 'ordinal', indexed, list }: NumberedTable) {
  const numbered = `${table} r where r.lane = $1 and r.tenant_id = $2${list === undefined ? '' : ` and r.${list} = $3`}
    and r.${indexed ?? `${number} > 0`}`
  const [first, second] = list === undefined ? ['$3', '$4'] : ['$4', '$5']
  return {
    lastOf: statement(
      `${name}.last_${number}`,
      `select r.${number} as number from ${numbered} order by r.${number} desc limit 1`,
    ),
    // 0.03 ms at 1 000 000 rows.
    lastsOf: statement(
      `${name}.last_of_tenants`,
      `select t.id as "tenantId", last.${number} as ordinal, last.created_at as "createdAt"
         from unnest($2::uuid[]) as t (id)
         cross join lateral (${lastRowOf({
           table,
           list: list === undefined ? { tenant_id: 't.id' } : { tenant_id: 't.id', [list]: '$3' },
           number,
           indexed: indexed ?? `${number} > 0`,
           columns: 'created_at',
         })}) as last`,
    ),
    beforeOf: statement(`${name}.before_by_${number}`, searchByTime(numbered, number, list === undefined ? 3 : 4)),
    // 0.02 ms for 20 rows, on the first page and on the last one of 1 000 000.
    pageOf: statement(
      `${name}.page`,
      `select ${columns} from ${numbered} and r.${number} > ${first} and r.${number} <= ${second}
        order by r.${number} desc`,
    ),
    // The total and the page in one round trip, because lists without filters are read most. An empty page has no
    // total. Nothing is joined or sorted: 20 payments take 96 µs of PostgreSQL; with a join to the last row and a sort,
    // 110 µs.
    pageOfAll: statement(
      `${name}.page_of_all`,
      `with last as materialized (select r.${number} as number from ${numbered} order by r.${number} desc limit 1)
       select (select number from last) as total, ${shown}
         from ${numbered} and r.${number} <= (select number from last) - ${first}::bigint
        order by r.${number} desc limit ${second}`,
    ),
  }
}

type LastRow = {
  table: string
  /** The index columns before the number, each with the value that selects the list. */
  list: Record<string, string>
  number: string
  indexed: string
  columns?: string
}

/**
 * Reads the last row of a list from the index on the numbers, whatever the planner estimates. With an equality
 * condition the planner may use any index that begins with lane and tenant, because it expects one row, and then sorts:
 * with the statistics of a young table, it read 14 000 rows for each batch of a tenant. So the query reads the last row
 * up to the end of the list, in an order that only this index has, and then checks whether the row belongs to the list.
 */
export function lastRowOf({ table, list, number, indexed, columns }: LastRow): string {
  const names = Object.keys(list)
  const shown = [...names, number, ...(columns === undefined ? [] : [columns])]
  return `select * from (
             select ${shown.join(', ')} from ${table}
              where lane = $1 and (${names.join(', ')}) <= (${Object.values(list).join(', ')}) and ${indexed}
              order by ${[...names, number].map((name) => `${name} desc`).join(', ')} limit 1) as r
            where ${names.map((name) => `r.${name} = ${list[name]}`).join(' and ')}`
}

/**
 * Binary search for the last row created before a time, with some 24 index look-ups at ten million rows. Its parameters
 * are the time (`$at`) and the two limits after it. Each step reads the last row up to the middle number, which is the
 * middle row itself. The `order by` makes a planner without statistics use the index on the numbers: with an equality
 * condition it read all rows of the tenant in each step, 12 s on 1 000 000 rows instead of 0.2 ms.
 */
export function searchByTime(numbered: string, number: string, at: number): string {
  const [time, low, high] = [`$${at}`, `$${at + 1}`, `$${at + 2}`]
  return `with recursive search (low, high) as (
     select ${low}::bigint, ${high}::bigint
     union all
     select ${halved(numbered, number, time)})
   select low from search where low = high`
}

/**
 * Like `searchByTime`, for several times: the part `search (time, low, high)` of a `with recursive`. The parameter
 * `$at` is the array of times.
 */
export function searchByTimes(numbered: string, number: string, at: number): string {
  return `search (time, low, high) as (
     select time, $${at + 1}::bigint, $${at + 2}::bigint from unnest($${at}::timestamptz[]) as time
     union all
     select s.time, ${halved(numbered, number, 's.time')})`
}

function halved(numbered: string, number: string, time: string): string {
  return `case when found.created_at < ${time} then middle.number else s.low end,
            case when found.created_at < ${time} then s.high else middle.number - 1 end
       from search s
       cross join lateral (select (s.low + s.high + 1) / 2 as number) as middle
       cross join lateral (
         select r.created_at from ${numbered} and r.${number} <= middle.number
          order by r.${number} desc limit 1) as found
      where s.low < s.high`
}
