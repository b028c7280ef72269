// SQL that removes the rows of sealed months from a table and inserts them again (docs/adr/0032-months-in-files.md),
// shared by all archived tables. A line of a file is JSON that PostgreSQL makes of the row, so a row equals its line
// exactly when the texts are equal.

import { firstUuid, type Uuid } from '#platform/ids.ts'
import { arrayOf, statement, type ColumnValues, type InLane, type Statement, type Tx } from './db.ts'

/**
 * The columns, in the order of a line of the file. Numbers are written as text, because readers of JSON take numbers
 * for doubles; times are UTC, to the microsecond.
 */
export type ArchivedColumns = readonly (readonly [name: string, type: keyof typeof shown])[]

const shown = {
  uuid: '::text',
  text: '',
  bigint: '::text',
  boolean: '::text',
  timestamptz: ` at time zone 'UTC'`,
} as const

export type ArchivedTable = {
  name: string
  table: string
  columns: ArchivedColumns
  key: readonly string[]
  seals: string
}

export function lineOf(columns: ArchivedColumns): string {
  return `json_build_array(${columns.map(([name, type]) => name + shown[type]).join(', ')})::text`
}

/**
 * SQL that turns lines into rows. `lines` is the parameter with the lines, such as `$2`; `only` names the columns, by
 * default all.
 */
export function rowsOf(columns: ArchivedColumns, lines: string, only?: readonly string[]): string {
  const values = columns.flatMap(([name, type], at) => {
    const value = `(l ->> ${at})::${type === 'timestamptz' ? `timestamp at time zone 'UTC'` : type}`
    return only === undefined || only.includes(name) ? [`${value} as ${name}`] : []
  })
  return `select ${values.join(', ')}, line from unnest(${lines}::text[]) as line cross join lateral (select line::json as l) as parsed`
}

export type Seal = {
  since: Date
  until: Date
  rows: bigint
  /** How many rows of the file, from the first, were removed from the table. */
  removed: bigint
  digest: Buffer
  previous: Buffer | null
  sealedAt: Date
  removedAt: Date | null
}

export type SealHead = Pick<Seal, 'since' | 'until' | 'rows' | 'digest' | 'previous' | 'sealedAt'>
type LockedSeal = Pick<Seal, 'removed' | 'removedAt' | 'digest'>
export type Removal = { removed: bigint; differing: Uuid[] | null }

export type Months = {
  /**
   * Removes the rows that equal their lines, and returns ids of some that differ. Rows that are already gone are
   * skipped.
   */
  removeLines(tx: Tx, lines: string[]): Promise<Removal>
  /** Inserts missing rows. Resolves with how many rows of the table now equal their lines. */
  bringBackLines(tx: Tx, lines: string[]): Promise<bigint>
  /** Returns false if the month was already sealed. */
  insertSeal(tx: Tx, head: SealHead): Promise<boolean>
  lockSealOf(tx: Tx, until: Date): Promise<LockedSeal | undefined>
  /** Records how many rows of the file were removed. `at`: when the last one was removed; null before that. */
  noteRemoved(tx: Tx, until: Date, removed: bigint, at: Date | null): void
  dropSeal(tx: Tx, until: Date): void
}

export type MonthlyRows = Omit<Months, 'insertSeal'> & {
  columns: ArchivedColumns
  findOldest(lane: InLane): Promise<Date | undefined>
  readSeals(lane: InLane): Promise<Seal[]>
  /** The lines of the rows in this time range, in batches, by tenant and in a fixed order. */
  lines(lane: InLane, time: Pick<Seal, 'since' | 'until'>, linesAtOnce: number): AsyncGenerator<string[]>
}

export function monthsOf(archived: ArchivedTable): Months {
  const { removal, back, matching } = rowStatements(archived)
  const { insertRow, lock, moveOn, drop } = sealStatements(archived)
  return {
    async removeLines(tx, lines) {
      const [row] = await tx.query<Removal>(removal, [tx.lane, textsOf(lines)])
      return row ?? { removed: 0n, differing: null }
    },
    async bringBackLines(tx, lines) {
      tx.send(back, [tx.lane, textsOf(lines)])
      const [row] = await tx.query<{ count: bigint }>(matching, [tx.lane, textsOf(lines)])
      return row?.count ?? 0n
    },
    async insertSeal(tx, { since, until, rows, digest, previous, sealedAt }) {
      const values = [tx.lane, until, since, rows, digest, previous, sealedAt]
      return (await tx.query(insertRow, values)).length > 0
    },
    async lockSealOf(tx, until) {
      return (await tx.query<LockedSeal>(lock, [tx.lane, until]))[0]
    },
    noteRemoved: (tx, until, removed, at) => tx.send(moveOn, [tx.lane, until, removed, at]),
    dropSeal: (tx, until) => tx.send(drop, [tx.lane, until]),
  }
}

export const textsOf = (lines: string[]): ColumnValues => arrayOf(lines, (line) => line)

function rowStatements({
  name,
  table,
  columns,
  key,
}: ArchivedTable): Record<'removal' | 'back' | 'matching', Statement> {
  const line = lineOf(columns)
  const names = columns.map(([column]) => column).join(', ')
  const ofKey = ['lane = $1', ...key.map((column) => `${column} = f.${column}`)].join(' and ')
  const keys = rowsOf(columns, '$2', ['id', ...key])
  return {
    // Deletes rows by ctid, which a locked row keeps.
    removal: statement(
      `${name}.archive_remove`,
      `with file as materialized (${keys}),
       found as materialized (
         select r.row_place, f.id, r.line = f.line as is_same from file f cross join lateral (
           select ctid as row_place, ${line} as line from ${table} where ${ofKey} limit 1 for update) as r),
       removed as (
         delete from ${table} where lane = $1 and ctid = any(array(select row_place from found where is_same)) returning 1)
       select (select count(*) from removed) as removed,
              (select (array_agg(id::text order by id))[1:10] from found where not is_same) as differing`,
    ),
    back: statement(
      `${name}.archive_bring_back`,
      `insert into ${table} (lane, ${names}) select $1, ${names} from (${rowsOf(columns, '$2')}) as file on conflict do nothing`,
    ),
    matching: statement(
      `${name}.archive_matching`,
      `with file as materialized (${keys})
       select count(*) as count from file f cross join lateral (select ${line} as line from ${table} where ${ofKey} limit 1) as r
        where r.line = f.line`,
    ),
  }
}

function sealStatements({ name, seals }: ArchivedTable): Record<'insertRow' | 'lock' | 'moveOn' | 'drop', Statement> {
  return {
    insertRow: statement(
      `${name}.archive_seal`,
      `insert into ${seals} (lane, until, since, rows, digest, previous, sealed_at) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict do nothing returning 1`,
    ),
    lock: statement(
      `${name}.archive_lock_seal`,
      `select removed, removed_at as "removedAt", digest from ${seals} where lane = $1 and until = $2 for update`,
    ),
    moveOn: statement(
      `${name}.archive_removed`,
      `update ${seals} set removed = $3, removed_at = $4 where lane = $1 and until = $2`,
    ),
    drop: statement(`${name}.archive_drop`, `delete from ${seals} where lane = $1 and until = $2`),
  }
}

export function sealsIn(name: string, seals: string): (lane: InLane) => Promise<Seal[]> {
  const all = statement(
    name,
    `select since, until, rows, removed, digest, previous, sealed_at as "sealedAt", removed_at as "removedAt"
       from ${seals} where lane = $1 order by until`,
  )
  return (lane) => lane.query<Seal>(all, [lane.lane])
}

/** `ofTenant` is SQL that selects the date of the oldest row of tenant `t`. */
export function oldestIn(name: string, ofTenant: string): (lane: InLane) => Promise<Date | undefined> {
  const oldest = statement(
    name,
    `select min(first.created_at) as at from tenant t cross join lateral (${ofTenant} limit 1) as first where t.lane = $1`,
  )
  return async (lane) => (await lane.query<{ at: Date | null }>(oldest, [lane.lane]))[0]?.at ?? undefined
}

/** SQL for the end of the last sealed month of a lane. All rows that are dated later are still in the table. */
export const archivedUntilIn = (seals: string): string =>
  `(select coalesce(max(until), '-infinity') from ${seals} where lane = $1)`

const tenantsAtOnce = 1_000
const someTenants = statement(
  'base.archive_tenants',
  'select id from tenant where lane = $1 and id > $2 order by id limit $3',
)

export async function* tenantsIn(lane: InLane): AsyncGenerator<Uuid> {
  for (let after = firstUuid; ;) {
    const rows = await lane.query<{ id: Uuid }>(someTenants, [lane.lane, after, tenantsAtOnce])
    yield* rows.map(({ id }) => id)
    const last = rows.at(-1)
    if (last === undefined || rows.length < tenantsAtOnce) return
    after = last.id
  }
}
