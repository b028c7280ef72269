// Named SQL statements: how they are declared, bound to their values, and run.

import type pg from 'pg'
import { assert } from '#platform/assert.ts'
import { toFault } from './postgres-errors.ts'
import { sendTogether, type StatementResult, type BoundStatement } from './round-trip.ts'
import { wireValues } from './values.ts'

/** PostgreSQL parses it once per connection. The name appears in its logs and profiles. */
export type Statement = { name: string; text: string }

export type Row = Record<string, unknown>

export type Queryable = {
  query<R extends object = Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>
}

/** A connection for one lane. Statements about tenants contain the number of the lane. */
export type InLane = Queryable & { readonly lane: number }

export function inLane(db: Queryable, lane: number): InLane {
  return { lane, query: (what, values) => db.query(what, values) }
}

const nameBytesMax = 63
const textOf = new Map<string, string>()

/** Refuses two texts with one name: otherwise only a connection that gets both would notice. */
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

const translators = new WeakMap<pg.ClientBase, (text: string) => string>()

export function translateStatements(client: pg.ClientBase, translate: (text: string) => string): void {
  translators.set(client, translate)
}

export function bindStatement(client: pg.ClientBase, what: Statement, values: readonly unknown[]): BoundStatement {
  const text = translators.get(client)?.(what.text) ?? what.text
  return { name: what.name, text, values: wireValues(what, values) }
}

export async function run<R extends object>(
  client: pg.ClientBase,
  what: Statement,
  values: readonly unknown[],
): Promise<R[]> {
  const bound = bindStatement(client, what, values)
  try {
    const { rows } = await new Promise<StatementResult>((resolve, reject) =>
      sendTogether(client, [{ ...bound, resolve, reject }]),
    )
    return rows as R[]
  } catch (error) {
    throw toFault(error)
  }
}

// Builds SQL that finds the rows of many keys of a lane. `$1` is the lane; an array parameter follows for each key
// column.

type LookUp = {
  table: string
  row: string
  columns: string
  key: Record<string, string>
  order?: string
  lock?: boolean
}

/**
 * Runs one index look-up per key, because PostgreSQL cannot turn a lateral subquery with `limit` into a join. For a
 * join, a planner without statistics (a young table) expects one row per tenant and joins the batch to all rows of the
 * tenant. Measured for 256 keys of payments on a table that grew to 15 000 rows without ANALYZE: 1 160 ms as a join,
 * 0.8 ms like this.
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
