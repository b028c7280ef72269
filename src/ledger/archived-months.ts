// Where two sides disagree about what is in files: in which months. A seal has a digest for each, so the other side is summed up
// by the months in which it says that it happened.

import type { Statement } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Walk } from './table-scan.ts'

/**
 * The SQL of the months in which a tenant's seals do not say what they should. `wanted`: rows with the time `at` that they happened
 * and what is compared of each, `text`; `sealed`: `until`, `count` and `digest` of each seal.
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

export async function listMonthsApart(what: Statement, { lane }: Walk, tenantId: Uuid): Promise<string[]> {
  return (await lane.query<{ month: string }>(what, [lane.lane, tenantId])).map(({ month }) => month)
}
