// Months whose movements are in files (docs/adr/0032-months-in-files.md). A month is sealed before its rows leave the
// table: its seal, in the database, has their sums and digests. From then on, the seal counts for all rows dated before
// the end of the month, even while they are still in the table. Later rows are read from the table.

import type { Statement } from '#platform/db/db.ts'
import { archivedUntilIn } from '#platform/db/months.ts'
import type { TimeRange } from '#platform/db/numbered-list.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import { pageOf, type TableScan } from './table-scan.ts'

/** SQL for the time before which the movements of a lane are archived. Later movements are read from the table. */
export const archivedUntil = archivedUntilIn('ledger_archive')

export type Strays = { tenantId: Uuid; count: bigint; ids: Uuid[] }

/** SQL for a page of rows that are dated in a month whose rows were all removed. */
export const straysOf = ({
  table,
  key,
  columns,
  seals,
}: Record<'table' | 'key' | 'columns' | 'seals', string>): string =>
  pageOf({
    table,
    key,
    columns,
    parts: `
      select tenant_id as "tenantId", count(*) as count, (array_agg(id::text order by id))[1:100] as ids
        from page
       where created_at < (select coalesce(max(until), '-infinity') from ${seals} where lane = $1 and removed_at is not null)
       group by tenant_id`,
  })

/**
 * The archived entries of one currency: all up to number `through`, dated before `until`, with the balance after the
 * last.
 */
export type ArchivedEntries = { through: bigint; balance: Money; until: Date }

/** The requested entries are not in the table; `field` is the parameter that caused it. */
export type InArchive = { kind: 'archived'; until: Date; field: 'page' | 'from' | 'to' }

/**
 * Refuses a time range that begins or ends among archived entries. A range without `from` is accepted, although its
 * first entries are archived.
 */
export function archivedEnd(archived: ArchivedEntries | undefined, { from, before }: TimeRange): InArchive | undefined {
  if (archived === undefined) return undefined
  const { until } = archived
  if (from !== undefined && from < until) return { kind: 'archived', until, field: 'from' }
  if (before !== undefined && before < until) return { kind: 'archived', until, field: 'to' }
  return undefined
}

// Finds the archived months in which a seal disagrees with the rows that it must match. A seal has one digest per
// month, so these rows are summed by month.

/**
 * SQL for the months in which the seals of a tenant differ from the expected ones. `wanted` selects rows with their
 * time `at`; `text` is the compared text of each row; `sealed` selects `until`, `count` and `digest` of each seal.
 */
export const monthsApart = ({ wanted, text, sealed }: Record<'wanted' | 'text' | 'sealed', string>): string =>
  `with wanted as (
     select (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC' as until, count(*) as count,
            sum(hashtextextended(${text}, 0)::numeric) as digest
       from (${wanted}) as rows group by 1)
   select $1::smallint as lane, to_char(until at time zone 'UTC' - interval '1 month', 'YYYY-MM') as month
     from wanted full join (${sealed}) as sealed using (until)
    where (wanted.count, wanted.digest) is distinct from (sealed.count, sealed.digest)
    order by until limit 100`

export async function listMonthsApart(what: Statement, { lane }: TableScan, tenantId: Uuid): Promise<string[]> {
  return (await lane.query<{ month: string }>(what, [lane.lane, tenantId])).map(({ month }) => month)
}
