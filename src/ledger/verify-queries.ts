// SQL that verifies accounts, entries and float totals. Measured on two shared cores with 1 000 000 movements of 1 001
// tenants, half of the movements of one tenant: 5 s in total, and at most 0.3 s for a statement.

import { statement, type Queryable, type InLane } from '#platform/db/db.ts'
import { uuidAfter, type Uuid } from '#platform/ids.ts'
import { archivedUntil } from './archived.ts'
import type { TotalRow } from './float.ts'
import {
  numberedPageOf,
  numberedPages,
  pageOf,
  scanPages,
  type Broken,
  type ScanPage,
  type TableScan,
} from './table-scan.ts'

const nextLane = statement(
  'ledger.verify_next_lane',
  `select least((select min(lane) from ledger_account where lane > $1),
                (select min(lane) from ledger_movement where lane > $1)) as lane`,
)

/** Every lane that has rows, also one that should not exist. */
export async function* lanesWithRows(db: Queryable): AsyncGenerator<number> {
  for (let after = -1; ;) {
    const [row] = await db.query<{ lane: number | null }>(nextLane, [after])
    if (row === undefined || row.lane === null) return
    yield row.lane
    after = row.lane
  }
}

export type AccountTotals = {
  tenantId: Uuid
  currency: string
  name: string
  debits: bigint
  credits: bigint
  movements: bigint
  touchedAt: Date
}

// `with ties` keeps the accounts of a tenant on one page. The order within a tenant makes two reports of one breach
// equal, whichever query plans PostgreSQL chose.
const accountsOf = statement(
  'ledger.verify_accounts',
  `select tenant_id as "tenantId", currency, name, debits, credits, movements, touched_at as "touchedAt"
     from (select * from ledger_account
            where lane = $1 and tenant_id >= $2 and tenant_id <= $3
            order by tenant_id fetch first $4 rows with ties) as page
    order by tenant_id, currency, name`,
)

export function accountsOfTenant({ lane }: TableScan, tenantId: Uuid): Promise<AccountTotals[]> {
  return lane.query<AccountTotals>(accountsOf, [lane.lane, tenantId, tenantId, 1])
}

/**
 * The accounts of some tenants. The next page starts right after `upTo`, so that movements of a tenant without accounts
 * are checked too.
 */
type AccountTotalsPage = { accounts: AccountTotals[]; from: Uuid; upTo: Uuid }

export async function* accountPages({ lane, rowsPerPage, from, upTo }: TableScan): AsyncGenerator<AccountTotalsPage> {
  for (let next = from; ;) {
    const accounts = await lane.query<AccountTotals>(accountsOf, [lane.lane, next, upTo, rowsPerPage])
    const last = accounts.length < rowsPerPage ? upTo : (accounts.at(-1)?.tenantId ?? upTo)
    yield { accounts, from: next, upTo: last }
    if (last === upTo) return
    next = uuidAfter(last)
  }
}

// Sums are numeric, because tampered values may not fit a bigint.
const sumsOf = statement(
  'ledger.verify_sums',
  pageOf({
    table: 'ledger_movement',
    key: 'id',
    columns: 'currency, debit, credit, amount, created_at',
    where: 'id < $6',
    parts: `
      select tenant_id as "tenantId", currency, name, sum(debits)::text as debits, sum(credits)::text as credits,
             count(*) as movements
        from (select * from page where created_at >= ${archivedUntil}) as counted
       cross join lateral (values (debit, amount, 0), (credit, 0, amount)) as sides (name, debits, credits)
       group by tenant_id, currency, name`,
  }),
)

export type AccountPart = Omit<AccountTotals, 'debits' | 'credits' | 'touchedAt'> & { debits: string; credits: string }

/** The sums of the movements between two ids, in parts, because a tenant may span several pages. */
export function movementSums(walk: TableScan, after: Uuid, before: Uuid): AsyncGenerator<ScanPage<AccountPart>> {
  return scanPages(sumsOf, after, walk, before)
}

// The first entry in the table must continue from the last archived entry, whose number and balance this table stores.
const lastSealed = (column: string): string =>
  `(select ${column} from ledger_archive_sum
     where lane = $1 and tenant_id = page.tenant_id and currency = page.currency and name = 'available'
     order by until desc limit 1)`

const entriesOf = statement(
  'ledger.verify_entries',
  numberedPageOf({
    table: 'ledger_movement',
    list: 'currency',
    number: 'entry',
    isNumbered: 'entry is not null',
    columns: `created_at, balance_after, case when credit = 'available' then amount else -amount end as change`,
    isJudged: `created_at >= ${archivedUntil}`,
    before: lastSealed('last_entry'),
    isWrong: `balance_after <> coalesce(lag(balance_after) over list, ${lastSealed('balance_after')}, 0)::numeric + change`,
  }),
)

export const entryPages = (walk: TableScan): AsyncGenerator<ScanPage<Broken<string>>> => numberedPages(entriesOf, walk)

// SQL that verifies the totals of the float books against their movements, one page per statement.

const sumsOfPage = statement(
  'ledger.verify_float',
  `with page as materialized (
     select lane, kind, subject, currency, country, debit, credit, amount, coalesce(fraction, 0) as fraction, at from float_movement
      where environment = $1 and rail = $2 and (kind, subject) > ($3, $4) order by kind, subject limit $5),
   parts as (
     select page.currency, coalesce(page.country, '') as country, side.account, sum(side.amount) as amount from page
      cross join lateral (values (credit, amount), (debit, -amount),
        ('fraction', case when credit in ('balance', 'receivable') then fraction else 0 end
                     - case when debit in ('balance', 'receivable') then fraction else 0 end)) as side (account, amount)
      where at < $6 and kind <> 'opening' group by page.currency, coalesce(page.country, ''), side.account),
   last as (select kind, subject from page order by kind desc, subject desc limit 1)
   select (select count(*) from page) as "pageRows", last.kind as "lastKind", last.subject as "lastSubject",
          parts.currency, parts.country, parts.account, parts.amount::text as amount
     from last left join parts on true`,
)

type FloatSum = { currency: string; country: string; account: string; amount: string }
type FloatPageRow = { pageRows: bigint; lastKind: string; lastSubject: string } & (FloatSum | { account: null })

type FloatPage = { rows: number; sums: FloatSum[] }

/** Sums the books of a rail up to `untilAt`. Sums are numeric, because tampered values may not fit a bigint. */
export async function* floatPages(
  lane: InLane,
  { environment, rail, untilAt }: Pick<TotalRow, 'environment' | 'rail' | 'untilAt'>,
  rowsPerPage: number,
): AsyncGenerator<FloatPage> {
  let after: [string, string] = ['', '']
  for (;;) {
    const rows = await lane.query<FloatPageRow>(sumsOfPage, [environment, rail, ...after, rowsPerPage, untilAt])
    const [first] = rows
    if (first === undefined) return
    yield { rows: Number(first.pageRows), sums: rows.filter((row) => row.account !== null) }
    if (Number(first.pageRows) < rowsPerPage) return
    after = [first.lastKind, first.lastSubject]
  }
}
