// Erases personal data after its retention period, in small batches so that no request waits: the personal data in
// events after RETAIN_EVENT_DATA_DAYS, and the names of payers and payees after RETAIN_PAYER_DATA_DAYS. Amounts,
// references, states and times stay, and the books do not change.

import type { Context } from '#platform/context.ts'
import { inLane, type Tx, statement, type InLane } from '#platform/db/db.ts'
import { dayMs, minuteMs } from '#platform/durations.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { nameKeys } from '#platform/db/folded-names.ts'
import { lockSearchIndex } from './erase.ts'
import { forgetEvents, lockNextEvents, forgetOldNotices, erased, erasedColumn } from './personal.ts'

/** A bounded piece of work on one lane; resolves with the number of processed rows. */
export type Retain = (lane: number) => Promise<number>

/** Undefined means forever. */
export type RetainDays = { eventDays: number | undefined; payerDays: number | undefined }

const rowsPerTransaction = 500
const transactionsPerTurnMax = 10
const tenantsPerTurn = 500
/** The pause between two rounds through all lists and tenants. */
const restMs = 10 * minuteMs

/** Erases rows of another module, at most `limit`; resolves with how many there were. */
type ForgetSome = (limit: number, lane: number) => Promise<number>

type RetentionWalk = { list: RetainedList | 'notices'; days: number } | { forget: ForgetSome }

/** The position of a lane's round in this process. What is already erased is stored in the database. */
type RetentionRound = { walk: number; after: Uuid; restsUntilMs: number }

type RetentionTurn = { lane: number; nowMs: number; transactions: number; rows: number }

/** `others` erase the rows of other modules, each of which decides what has expired. */
export function createRetain(ctx: Context, days: RetainDays, others: readonly ForgetSome[] = []): Retain {
  const walks = [...walksOf(days), ...others.map((forget) => ({ forget }))]
  const rounds = new Map<number, RetentionRound>()
  return async (lane) => {
    const nowMs = ctx.clock.now()
    const round = rounds.get(lane) ?? { walk: 0, after: firstUuid, restsUntilMs: 0 }
    rounds.set(lane, round)
    if (nowMs < round.restsUntilMs) return 0
    const turn = { lane, nowMs, transactions: 0, rows: 0 }
    for (let walk = walks[round.walk]; walk !== undefined; walk = walks[++round.walk]) {
      if (!(await goOn(ctx, walk, round, turn))) return turn.rows
      round.after = firstUuid
    }
    rounds.set(lane, { walk: 0, after: firstUuid, restsUntilMs: nowMs + restMs })
    return turn.rows
  }
}

function walksOf({ eventDays, payerDays }: RetainDays): RetentionWalk[] {
  const ofPayers = [...numberedLists, 'notices'] as const
  return [
    ...(eventDays === undefined ? [] : [{ list: 'events' as const, days: eventDays }]),
    ...(payerDays === undefined ? [] : ofPayers.map((list) => ({ list, days: payerDays }))),
  ]
}

/** Returns true if this list is finished; otherwise the next turn continues with it. */
async function goOn(ctx: Context, walk: RetentionWalk, round: RetentionRound, turn: RetentionTurn): Promise<boolean> {
  if ('forget' in walk) return untilNotFull(turn, () => walk.forget(rowsPerTransaction, turn.lane))
  const { list, days } = walk
  const { lane, nowMs } = turn
  const before = new Date(nowMs - days * dayMs)
  const db = inLane(ctx.db, lane)
  if (list === 'notices') return untilNotFull(turn, () => forgetOldNotices(db, before, rowsPerTransaction))
  const tenants = await findOld(db, list, round.after, { before, limit: tenantsPerTurn })
  for (const { id, old } of tenants) {
    const step = (): Promise<number> => ctx.db.transaction((tx) => forgetNext(tx, id, list, before), lane)
    if (old === true && !(await untilNotFull(turn, step))) return false
    round.after = id
  }
  return tenants.length < tenantsPerTurn
}

/** Returns true if nothing was left before the batch limit was reached. */
async function untilNotFull(turn: RetentionTurn, step: () => Promise<number>): Promise<boolean> {
  while (turn.transactions < transactionsPerTurnMax) {
    turn.transactions++
    const count = await step()
    turn.rows += count
    if (count < rowsPerTransaction) return true
  }
  return false
}

/**
 * Erases the next rows of one list and stores the progress, in one commit; returns 0 while another process does so.
 */
async function forgetNext(tx: Tx, tenantId: Uuid, list: RetainedList, before: Date): Promise<number> {
  const progress = await takeProgress(tx, tenantId, list)
  if (progress === undefined) return 0
  const limit = rowsPerTransaction
  if (list !== 'events') {
    const { through, count } = await forgetNumbered(tx, tenantId, list, { after: progress.ordinal, before, limit })
    if (count > 0) keepProgress(tx, tenantId, list, { ...progress, ordinal: through })
    return count
  }
  const events = await lockNextEvents(tx, tenantId, { after: progress, before, limit })
  forgetEvents(tx, events)
  const last = events.at(-1)
  if (last !== undefined) keepProgress(tx, tenantId, list, { ...progress, at: last.at, id: last.id })
  return events.length
}

// SQL that erases old personal data. Each list of a tenant is processed once, from its beginning, along the index of
// its numbers (events: of their times), and a row of retention_progress stores the position. So a run costs only what
// it erases, however long the lists are, and a process that dies in the middle loses nothing.

type RetainedTable = {
  table: string
  /** The payments table holds one list per kind. */
  kind?: string
  /** The condition under which the row no longer needs the personal data. */
  ended: string
  forget: string
  /** A condition: only rows that meet it are changed. By default, all rows are. */
  only?: string
  /** The column that the search index contains. */
  term?: string
  /** The name that the search index contains, and the account or phone number that it belongs to. */
  named?: { name: string; number: string }
}

const payments = (kind: string): RetainedTable => ({
  table: 'payment',
  kind,
  ended: 'completed_at is not null',
  forget: `${erasedColumn('account_name')}, ${erasedColumn('customer_name')}, narration = null, metadata = null`,
  named: { name: 'coalesce(r.account_name, r.customer_name)', number: 'coalesce(r.account_number, r.phone_number)' },
})

const numbered = {
  deposits: {
    table: 'deposit',
    term: 'sender_account_number',
    named: {
      name: 'r.sender_account_name',
      number: `coalesce(nullif(r.sender_account_number, ''), '#' || r.ordinal)`,
    },
    ended: `status <> 'PENDING'`,
    // The name of a static account belongs to its customer, and is kept as long as the customer is.
    forget: `${['sender_account_name', 'sender_account_number', 'narration'].map(erasedColumn).join(', ')},
       account_name = case when customer_reference is null and account_name <> '' then '${erased}' else account_name end`,
  },
  // A static account stays unchanged, because it belongs to its customer.
  accounts: {
    table: 'virtual_account',
    ended: `(type = 'static' or status <> 'ACTIVE')`,
    forget: `${erasedColumn('account_name')}, narration = null, metadata = null`,
    only: `type = 'dynamic'`,
  },
  bank_transfer: payments('bank_transfer'),
  momo_transfer: payments('momo_transfer'),
  momo_collection: payments('momo_collection'),
} satisfies Record<string, RetainedTable>

type RetainedTableName = keyof typeof numbered
type RetainedList = RetainedTableName | 'events'

const numberedLists = Object.keys(numbered) as RetainedTableName[]

// The rows of a list after a number, in an order that only one index has (see deposits/queries.ts): with plain
// conditions on tenant and kind, a planner without statistics reads all of the tenant's rows.
function behind(
  { table, kind }: RetainedTable,
  what: { tenant: string; number: string; limit: string; also: string },
): string {
  const { tenant, number, limit, also } = what
  const [columns, values] = kind === undefined ? ['tenant_id', tenant] : ['tenant_id, kind', `${tenant}, '${kind}'`]
  return `(select ${columns}, ordinal, created_at, ${also} from ${table}
        where lane = $1 and ordinal > 0 and (${columns}, ordinal) > (${values}, ${number})
        order by ${columns}, ordinal limit ${limit}) as r where (${columns}) = (${values})`
}

const oldestOf = (name: RetainedList, next: string) =>
  statement(
    `privacy.old_${name}`,
    `select t.id, first.created_at < $3 as old
       from (select id from tenant where lane = $1 and id > $2 order by id limit $4) as t
       left join lateral (
         select ordinal, at, id from retention_progress
          where lane = $1 and tenant_id = t.id and list = '${name}' limit 1) as p on true
       left join lateral (select created_at from ${next}) as first on true
      order by t.id`,
  )

const oldest = {
  ...perNumbered((name, list) =>
    oldestOf(name, behind(list, { tenant: 't.id', number: 'coalesce(p.ordinal, 0)', limit: '1', also: 'lane' })),
  ),
  // The condition `created_at >=` follows from the row comparison. It lets the planner use the partial index, which
  // excludes nulls. A condition `is not null` would not help: the planner drops it, because the column is never null.
  events: oldestOf(
    'events',
    `(select tenant_id, created_at from event
        where lane = $1 and created_at >= coalesce(p.at, '-infinity')
          and (tenant_id, created_at, id)
            > (t.id, coalesce(p.at, '-infinity'), coalesce(p.id, '00000000-0000-0000-0000-000000000000'))
        order by tenant_id, created_at, id limit 1) as r where tenant_id = t.id`,
  ),
}

/** The next tenants of a lane, and for each whether the first unprocessed row of the list is old. */
function findOld(
  db: InLane,
  list: RetainedList,
  after: Uuid,
  { before, limit }: { before: Date; limit: number },
): Promise<{ id: Uuid; old: boolean | null }[]> {
  return db.query(oldest[list], [db.lane, after, before, limit])
}

const addProgress = statement(
  'privacy.add_progress',
  'insert into retention_progress (lane, tenant_id, list) values ($1, $2, $3) on conflict do nothing',
)
const lockProgress = statement(
  'privacy.lock_progress',
  `select ordinal, at, id from retention_progress
    where lane = $1 and tenant_id = $2 and list = $3 for update skip locked`,
)

type RetentionProgress = { ordinal: bigint; at: Date; id: Uuid }

/** Returns undefined if another process works on this list. */
async function takeProgress(tx: Tx, tenantId: Uuid, list: RetainedList): Promise<RetentionProgress | undefined> {
  tx.send(addProgress, [tx.lane, tenantId, list])
  return (await tx.query<RetentionProgress>(lockProgress, [tx.lane, tenantId, list]))[0]
}

const moveProgress = statement(
  'privacy.move_progress',
  'update retention_progress set ordinal = $4, at = $5, id = $6 where lane = $1 and tenant_id = $2 and list = $3',
)

function keepProgress(tx: Tx, tenantId: Uuid, list: RetainedList, { ordinal, at, id }: RetentionProgress): void {
  tx.send(moveProgress, [tx.lane, tenantId, list, ordinal, at, id])
}

// Erases the rows after the progress, up to the first one that is too young, has not ended, or is locked or was just
// changed by another transaction. A row that is locked or was just changed is not in `locked`, so `reached` ends before
// its number. So this statement never waits for a lock and cannot deadlock.
const forget = perNumbered((name, list) => {
  const { table, ended, forget: change, only = 'true', term, named } = list
  return statement(
    `privacy.forget_${name}`,
    `with next as materialized (
       select place, ordinal, created_at < $4 and has_ended as old
         from ${behind(list, { tenant: '$2', number: '$3', limit: '$5', also: `ctid as place, ${ended} as has_ended` })}),
     old as materialized (
       select place from (select place, bool_and(old) over (order by ordinal) as old from next) as judged where old),
     locked as materialized (
       select ctid as place, ordinal from ${table}
        where lane = $1 and ctid = any(array(select place from old)) for update skip locked),
     reached as materialized (
       select place, ordinal from (select place, ordinal, row_number() over (order by ordinal) as nth from locked) as counted
        where ordinal = $3 + nth),
     ${term === undefined ? '' : forgetTerm(table, term)}${named === undefined ? '' : forgetName(list, named)}changed as (
       update ${table} set ${change} where lane = $1 and ctid = any(array(select place from reached)) and ${only})
     select max(ordinal) as through, count(*) as count from reached`,
  )
})

/** Removes the rows from the search index, which the transaction has locked. */
function forgetTerm(table: string, term: string): string {
  return `term as materialized (
       select f.place
         from (select ordinal, ${term} as term from ${table} where lane = $1 and ctid = any(array(select place from reached))) as r
         cross join lateral (
           select ctid as place from search_term
            where lane = $1 and tenant_id = $2 and term = r.term and kind = '${table}' and ordinal = r.ordinal limit 1) as f),
     unfound as (delete from search_term where lane = $1 and ctid = any(array(select place from term))),
     `
}

/**
 * Removes names from the search index. A name stays for an account or phone number if it is also in one of the ten
 * latest rows with that number, and that row comes after those that this statement erases.
 */
function forgetName({ table, kind }: RetainedTable, { name, number }: { name: string; number: string }): string {
  const ofKind = kind === undefined ? '' : ` and kind = '${kind}'`
  return `named as materialized (
       select distinct n.name, r.number
         from (select ${name} as name, ${number} as number from ${table} as r
                where lane = $1 and ctid = any(array(select place from reached))) as r
         cross join lateral ${nameKeys('r.name')}
        where not exists (
          select 1 from (
            select ordinal from search_term
             where lane = $1 and tenant_id = $2 and term = r.number and kind = '${kind ?? table}'
             order by ordinal desc limit 10) as f
           cross join lateral (
            select ${name} as name from ${table} as r
             where lane = $1 and tenant_id = $2${ofKind} and ordinal > 0 and ordinal = f.ordinal limit 1) as later
           where later.name = r.name and f.ordinal > (select max(ordinal) from reached))),
     unnamed as (
       delete from search_name where lane = $1 and ctid = any(array(
         select f.place from named cross join lateral (
           select ctid as place from search_name
            where lane = $1 and tenant_id = $2 and name = named.name and kind = '${kind ?? table}' and number = named.number
            limit 1) as f))),
     `
}

async function forgetNumbered(
  tx: Tx,
  tenantId: Uuid,
  list: RetainedTableName,
  { after, before, limit }: { after: bigint; before: Date; limit: number },
): Promise<{ through: bigint; count: number }> {
  const { table, kind, named }: RetainedTable = numbered[list]
  if (named !== undefined) lockSearchIndex(tx, tenantId, kind ?? table)
  const values = [tx.lane, tenantId, after, before, limit]
  const [row] = await tx.query<{ through: bigint | null; count: bigint }>(forget[list], values)
  return { through: row?.through ?? after, count: Number(row?.count ?? 0n) }
}

function perNumbered<T>(make: (name: RetainedTableName, list: RetainedTable) => T): Record<RetainedTableName, T> {
  return Object.fromEntries(numberedLists.map((name) => [name, make(name, numbered[name])])) as Record<
    RetainedTableName,
    T
  >
}
