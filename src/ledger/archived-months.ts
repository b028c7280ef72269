// Finds the archived months in which two sides disagree. A seal has a digest per month, so the other side is summed
// by month.

import type { Statement } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { TableScan } from './table-scan.ts'

/**
 * SQL for the months in which the seals of a tenant differ from what is expected. `wanted` selects rows with the time
 * `at` at which they happened; `text` is what is compared of each; `sealed` selects `until`, `count` and `digest` of
 * each seal.
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
