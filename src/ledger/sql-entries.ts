// The SQL behind the statement of a balance. All of it goes through the unique index on the entry's number.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

export type EntryRow = {
  id: Uuid
  currency: string
  credit: string
  amount: bigint
  kind: string
  reference: string
  balance_after: bigint
  created_at: Date
}

const lastEntryOf = statement(
  'ledger.last_entry',
  `select entry from ledger_movement
    where lane = $1 and tenant_id = $2 and currency = $3 and entry is not null order by entry desc limit 1`,
)

export async function lastEntry(db: Queryable, tenant: Tenant, currency: string): Promise<bigint> {
  const [row] = await db.query<{ entry: bigint }>(lastEntryOf, [tenant.lane, tenant.id, currency])
  return row?.entry ?? 0n
}

// Binary search: how many of the first $5 entries were made before $4. Each step asks for the last one up to the middle,
// which is the middle: the order makes a planner without statistics use the index of entries. As a join by equality it
// read all entries of the tenant for each step: on 1 000 000 entries that took 12 s, like this it takes 0.2 ms.
const countBefore = statement(
  'ledger.count_entries_before',
  `with recursive search (low, high) as (
     select 0::bigint, $5::bigint
     union all
     select case when m.created_at < $4 then middle.entry else s.low end,
            case when m.created_at < $4 then s.high else middle.entry - 1 end
       from search s
       cross join lateral (select (s.low + s.high + 1) / 2 as entry) as middle
       cross join lateral (
         select created_at from ledger_movement
          where lane = $1 and tenant_id = $2 and currency = $3 and entry <= middle.entry
          order by entry desc limit 1) as m
      where s.low < s.high)
   select low from search where low = high`,
)

export async function countEntriesBefore(
  db: Queryable,
  tenant: Tenant,
  currency: string,
  time: Date,
  total: bigint,
): Promise<bigint> {
  const [row] = await db.query<{ low: bigint }>(countBefore, [tenant.lane, tenant.id, currency, time, total])
  return row?.low ?? 0n
}

// 0.02 ms for 20 entries, on the first page and on the last one of 1 000 000.
const entriesOf = statement(
  'ledger.entries',
  `select id, currency, credit, amount, kind, reference, balance_after, created_at from ledger_movement
    where lane = $1 and tenant_id = $2 and currency = $3 and entry > $4 and entry <= $5
    order by entry desc`,
)

export function readEntryRows(
  db: Queryable,
  tenant: Tenant,
  currency: string,
  range: { low: bigint; high: bigint },
): Promise<EntryRow[]> {
  return db.query<EntryRow>(entriesOf, [tenant.lane, tenant.id, currency, range.low, range.high])
}
