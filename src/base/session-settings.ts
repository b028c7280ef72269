// What a session with PostgreSQL is told when it begins: how it plans, how long it may take, as whom it works. It is told by the
// first statement that is sent in it, and not by parameters of the start, which poolers do not hand on. Nothing else is sent
// before that has worked: a statement would run with the rights of the login, and without limits of time.

import pg from 'pg'

export type SessionOptions = {
  /** The role that every session takes; the login must be it or a member of it. Absent: the login itself. */
  role?: string
  statementTimeoutMs?: number
}

/**
 * For lists and other questions whose conditions differ from one time to the next: planned anew each time, with the values.
 * Sorting is the last resort, because a list lies in order in an index of its own. A planner that took a tenant of 12 000
 * deliveries for one row read and sorted them all for a page of 20 (docs/adr/0019-plans-that-are-kept.md).
 */
export const listPlanning = ['plan_cache_mode=force_custom_plan', 'enable_sort=off', 'enable_incremental_sort=off']

/** For what reads whole tables, where sorting is right. */
export const wholePlanning = 'set local enable_sort = on; set local enable_incremental_sort = on'

/**
 * For what is asked on a dedicated connection: it finds its rows by key, so it has one good plan whatever the tables hold.
 * That plan is made once, without the choices that would only be good while the tables are small.
 */
export const keyedPlanning = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_sort=off',
  'enable_incremental_sort=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
]

const statementMsUsual = 30_000
/** A pooler that has no session to give takes the connection all the same, and lets its first statement wait. */
const beginningMsMax = 5_000

export type Beginning = SessionOptions & { planning: readonly string[]; idleInTransactionMsMax: number }

export async function beginSession(client: pg.ClientBase, options: Beginning): Promise<void> {
  const settings = [
    ...options.planning,
    // Before PostgreSQL 18 a step that is switched off and taken all the same costs 10 000 000 000: worth compiling, it seems.
    'jit=off',
    'TimeZone=UTC',
    'DateStyle=ISO',
    `statement_timeout=${options.statementTimeoutMs ?? statementMsUsual}`,
    `idle_in_transaction_session_timeout=${options.idleInTransactionMsMax}`,
    ...(options.role === undefined ? [] : [`role=${options.role}`]),
  ]
  const text = settings.map((setting) => `set ${setting}`).join('; ')
  const config: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: beginningMsMax }
  await client.query(config)
}

export function clientSettings({ statementTimeoutMs = statementMsUsual }: SessionOptions): pg.ClientConfig {
  return {
    // The server gives up first; if it does not, nobody will.
    query_timeout: statementTimeoutMs * 1.2,
    pipeline: true,
    types: { getTypeParser },
  }
}

// A bigint is money or a count: it must not pass through a double. Times are UTC ISO text, which Date reads.
const bigintOid = 20
const timestamptzOid = 1184

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === bigintOid) return BigInt
  if (oid === timestamptzOid) return (text) => new Date(`${text.replace(' ', 'T').slice(0, -3)}Z`)
  return pg.types.getTypeParser(oid, format) as (text: string) => unknown
}
