// Named SQL statements, their array parameters, and the meaning of PostgreSQL errors.

import pg from 'pg'
import { assert } from '#platform/assert.ts'
import { Unavailable } from '#platform/errors.ts'

/** Parsed once per connection. The name appears in logs and profiles. */
export type Statement = { name: string; text: string }

export type Row = Record<string, unknown>

export type Queryable = {
  query<R extends object = Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

/** A connection bound to one lane. Every statement about the tenants of the lane contains its number. */
export type InLane = Queryable & { readonly lane: number }

export function inLane(db: Queryable, lane: number): InLane {
  return { lane, query: (what, values) => db.query(what, values) }
}

const nameBytesMax = 63
const textOf = new Map<string, string>()

/** Refuses two texts with one name, because otherwise only a connection that gets both would notice. */
export function statement(name: string, text: string): Statement {
  const known = textOf.get(name)
  assert(known === undefined || known === text, `two statements have the name ${name}`)
  assert(name.length <= nameBytesMax, `PostgreSQL cuts the name ${name}`)
  textOf.set(name, text)
  return { name, text }
}

export function statementTexts(): ReadonlyMap<string, string> {
  return textOf
}

/** Throws at once if a value cannot be sent, because nothing may be sent after it. */
export function run<R extends object>(
  client: pg.ClientBase,
  what: Statement,
  values: readonly unknown[],
): Promise<R[]> {
  for (const value of values) assertPlain(value, what)
  return ask<R>(client, what, values)
}

const dialects = new WeakMap<pg.ClientBase, (text: string) => string>()

/** Makes `translate` rewrite every later statement of this connection. */
export function speakTo(client: pg.ClientBase, translate: (text: string) => string): void {
  dialects.set(client, translate)
}

async function ask<R extends object>(client: pg.ClientBase, what: Statement, values: readonly unknown[]): Promise<R[]> {
  try {
    const text = dialects.get(client)?.(what.text) ?? what.text
    const answer = await client.query<R>({ name: what.name, text, values: values as unknown[] })
    return answer.rows
  } catch (error) {
    throw toFault(error)
  }
}

/**
 * The caller must serialize objects. The driver would do it while it sends the statement; if that throws, the
 * statement is left out but the COMMIT behind it is not, so half of the work would be stored.
 */
function assertPlain(value: unknown, what: Statement): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const item of value) assertPlain(item, what)
  else assert(value instanceof Date || value instanceof Uint8Array, `${what.name} was given an object as a value`)
}

// SQLSTATE classes that mean "not now" rather than "not this": lost connections (08), too few resources (53), a
// server that stops, starts or cancels (57), its disk (58), a lock timeout (55P03), a transaction timeout (25P03,
// 25P04), a read-only standby (25006).
const unavailableStates = /^(08|53|57|58|55P03|25P03|25P04|25006)/

/**
 * Citus reports a COMMIT whose worker node died meanwhile as an internal error, although it may have succeeded. The
 * message is the only sign; Citus does not translate its messages.
 */
function isLostAtWorker({ code, message }: pg.DatabaseError): boolean {
  return code === 'XX000' && message.startsWith('could not commit transaction')
}

/** Converts a driver error into one that callers understand. An error about the statement itself stays as it is. */
export function toFault(error: unknown): Error {
  if (error instanceof Unavailable || isRefusal(error)) return error
  return new Unavailable('The database cannot be reached right now.', { cause: error })
}

/** PostgreSQL refused the statement itself: its transaction is rolled back, and the connection is fine. */
function isRefusal(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false
  const ended = error.severity === 'FATAL' || error.severity === 'PANIC'
  return !ended && !unavailableStates.test(error.code ?? '') && !isLostAtWorker(error)
}

/** A deadlock or a serialization failure: nothing was committed, and the same work may succeed at once. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** Returns true if a statement was canceled by its timeout. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Unavailable && error.cause instanceof pg.DatabaseError && error.cause.code === '57014'
}

/** Refused only because an earlier statement of the same transaction had failed. */
export function isConsequence(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02'
}

type Element = string | number | bigint | boolean | Date | null

/** Columns of many rows as array parameters, for a statement that unnests them. */
export function arraysOf<Column extends string>(
  rows: readonly Record<NoInfer<Column>, Element>[],
  ...columns: Column[]
): string[] {
  return columns.map((column) => arrayOf(rows, (row) => row[column]))
}

/**
 * One column of many rows as PostgreSQL array text. The driver would quote and escape every element; this quotes only
 * where needed, which saves most of what a batch costs the process.
 */
export function arrayOf<R>(rows: readonly R[], column: (row: R) => Element): string {
  let last: Element = null
  let lastText = 'null'
  const elements = rows.map((row) => {
    const value = column(row)
    // Neighbors in a batch often share a tenant, a bank or a time.
    if (value !== last) {
      last = value
      lastText = elementOf(value)
    }
    return lastText
  })
  return `{${elements.join(',')}}`
}

function elementOf(value: Element): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return plainElement.test(value) ? value : quoted(value)
  return value instanceof Date ? value.toISOString() : value.toString()
}

// Letters, digits, and the characters of ids, references and times. An unquoted null would be read as NULL.
const plainElement = /^(?!null$)[A-Za-z0-9._:=+-]+$/i

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

// Builds SQL that finds the rows of many keys of a lane. `$1` is the lane; each key column is an array parameter
// after it.

type LookUp = {
  table: string
  /** The alias of the row in `columns`. */
  row: string
  columns: string
  /** The key columns after the lane, each with its type. */
  key: Record<string, string>
  /** If a key has several rows, the first in this order is returned. */
  order?: string
  lock?: boolean
}

/**
 * Runs one index look-up per key, whatever the table holds, because a lateral subquery with `limit` cannot be turned
 * into a join. As a join, a planner without statistics (a young table) expects one row per tenant and joins the batch
 * to all rows of the tenant. Measured for 256 keys of payments on a table that grew to 15 000 rows without ANALYZE: 1
 * 160 ms as a join, 0.8 ms like this.
 */
export function lookUp({ table, row, columns, key, order, lock = false }: LookUp): string {
  const names = Object.keys(key)
  const given = Object.values(key).map((type, at) => `$${at + 2}::${type}[]`)
  const first = `${order === undefined ? '' : `order by ${order} `}limit 1${lock ? ' for update' : ''}`
  return `select ${columns}
     from unnest(${given.join(', ')}) as k (${names.join(', ')})
     cross join lateral (
       select * from ${table}
        where lane = $1 and ${names.map((name) => `${name} = k.${name}`).join(' and ')} ${first}) as ${row}`
}
