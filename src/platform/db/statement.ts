// What is asked of PostgreSQL, and what it means when the asking fails.

import pg from 'pg'
import { assert } from '#platform/assert.ts'
import { Unavailable } from '#platform/errors.ts'

/** Parsed once per connection. The name is what a log or a profile shows. */
export type Statement = { name: string; text: string }

export type Row = Record<string, unknown>

export type Queryable = {
  query<R extends object = Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

/** What is asked of one lane: its number stands in every statement about the tenants that live in it. */
export type InLane = Queryable & { readonly lane: number }

export function inLane(db: Queryable, lane: number): InLane {
  return { lane, query: (what, values) => db.query(what, values) }
}

const nameBytesMax = 63
const textOf = new Map<string, string>()

/** Two texts under one name would be told apart only by the connection on which they meet, so it is refused here. */
export function statement(name: string, text: string): Statement {
  const known = textOf.get(name)
  assert(known === undefined || known === text, `two statements have the name ${name}`)
  assert(name.length <= nameBytesMax, `PostgreSQL cuts the name ${name}`)
  textOf.set(name, text)
  return { name, text }
}

/** All that were made so far, by their names. */
export function statementTexts(): ReadonlyMap<string, string> {
  return textOf
}

/** Throws at once, not later, when a value cannot be sent: nothing may be sent after it. */
export function run<R extends object>(
  client: pg.ClientBase,
  what: Statement,
  values: readonly unknown[],
): Promise<R[]> {
  for (const value of values) assertPlain(value, what)
  return ask<R>(client, what, values)
}

const dialects = new WeakMap<pg.ClientBase, (text: string) => string>()

/** From now on this connection is asked in other words that mean the same. */
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
 * Objects are for the caller to serialize. The driver would do it while the statement is on its way; when that throws,
 * the statement is left out, the COMMIT behind it is not, and half of the work would be kept.
 */
function assertPlain(value: unknown, what: Statement): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const item of value) assertPlain(item, what)
  else assert(value instanceof Date || value instanceof Uint8Array, `${what.name} was given an object as a value`)
}

// Classes of SQLSTATE that say "not now" rather than "not this": lost connections (08), too few resources (53), a
// server that stops, starts or cancels (57), its disk (58), a lock that did not come (55P03), a transaction that took
// too long (25P03, 25P04), a read-only standby (25006).
const unavailableStates = /^(08|53|57|58|55P03|25P03|25P04|25006)/

/**
 * Citus, of a COMMIT whose worker died meanwhile: by its number an error of the program, by what it says one of which nobody knows
 * whether it happened. Its texts are not translated.
 */
function isLostAtWorker({ code, message }: pg.DatabaseError): boolean {
  return code === 'XX000' && message.startsWith('could not commit transaction')
}

/** What the driver threw, as what the rest of the house understands. A refusal of the statement stays as it is. */
export function toFault(error: unknown): Error {
  if (error instanceof Unavailable || isRefusal(error)) return error
  return new Unavailable('The database cannot be reached right now.', { cause: error })
}

/** PostgreSQL looked at the statement and refused it: nothing of its transaction is kept, and the connection is fine. */
function isRefusal(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false
  const ended = error.severity === 'FATAL' || error.severity === 'PANIC'
  return !ended && !unavailableStates.test(error.code ?? '') && !isLostAtWorker(error)
}

/** A deadlock or a serialization failure: nothing happened, and the same work may succeed at once. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')
}

/** A statement was cut off because it took longer than it may. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Unavailable && error.cause instanceof pg.DatabaseError && error.cause.code === '57014'
}

/** Refused only because an earlier statement of the same transaction had failed. */
export function isConsequence(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02'
}

type Element = string | number | bigint | boolean | Date | null

/** Columns of many rows, each as `arrayOf` writes it: the parameters of a statement that unnests them. */
export function arraysOf<Column extends string>(
  rows: readonly Record<NoInfer<Column>, Element>[],
  ...columns: Column[]
): string[] {
  return columns.map((column) => arrayOf(rows, (row) => row[column]))
}

/**
 * One column of many rows as PostgreSQL's array text. The driver would quote and escape every element; here only those
 * that need it are, which is most of what a batch costs on our side.
 */
export function arrayOf<R>(rows: readonly R[], column: (row: R) => Element): string {
  let last: Element = null
  let lastText = 'null'
  const elements = rows.map((row) => {
    const value = column(row)
    // Neighbours in a batch often have a tenant, a bank or a time in common.
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

// Letters, digits and what ids, references and times are made of. The word null would be read as the absence of one.
const plainElement = /^(?!null$)[A-Za-z0-9._:=+-]+$/i

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

// The SQL that finds the rows of many keys of a lane. The lane is $1, each column of the keys an array behind it.

type LookUp = {
  table: string
  /** What `columns` calls the row. */
  row: string
  columns: string
  /** The columns of the key behind its lane, each with its type. */
  key: Record<string, string>
  /** Of several rows that a key has: the first in this order. */
  order?: string
  lock?: boolean
}

/**
 * One look-up in the index of the key for each, whatever the table holds: the lateral sub-select with its `limit` cannot be
 * turned into a join. As a join, a planner without statistics (a young table) believes that a tenant has one row and joins
 * the batch to all of the tenant's rows. Measured for 256 keys of payments on a table that grew to 15 000 rows without
 * ANALYZE: 1 160 ms as a join, 0.8 ms like this.
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
