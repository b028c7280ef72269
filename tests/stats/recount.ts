// Recounts stats from payments and deposits; the result must equal the stored ones.

import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const buckets = `case when ms is null then '' when ms < 1000 then '1s' when ms < 2000 then '2s' when ms < 5000 then '5s'
  when ms < 10000 then '10s' when ms < 30000 then '30s' when ms < 60000 then '1m' when ms < 120000 then '2m'
  when ms < 300000 then '5m' when ms < 900000 then '15m' when ms < 3600000 then '1h' when ms < 21600000 then '6h'
  when ms < 86400000 then '1d' else 'longer' end`

const milliseconds = `(extract(epoch from succeeded - created_at) * 1000)::bigint`

const happened = `
  with p as (select *, coalesce(succeeded_at, completed_at) as succeeded from payment),
  happened as (
    select tenant_id, created_at as at, kind, 'accepted' as outcome, '' as reason, amount, 0 as fee, null::bigint as ms from p
    union all
    select tenant_id, succeeded, kind, 'succeeded', '', amount, fee, ${milliseconds} from p where status in ('SUCCESS', 'REVERSED')
    union all
    select tenant_id, completed_at, kind, 'failed', failure_reason, amount, 0, ${milliseconds} from p where status = 'FAILED'
    union all
    select tenant_id, expired_at, kind, 'failed', expired_as, amount, 0, (extract(epoch from expired_at - created_at) * 1000)::bigint
      from p where expired_at is not null
    union all
    select tenant_id, completed_at, kind, 'returned', '', amount, fee, null from p where status = 'REVERSED'
    union all
    select tenant_id, succeeded, kind, 'success_undone', '', amount, 0, null from p where status = 'REVERSED'
    union all
    select tenant_id, expired_at, kind, 'failure_undone', expired_as, amount, 0, null from p where expired_at is not null
    union all
    select tenant_id, created_at, 'deposit', 'accepted', '', amount, 0, null from deposit where account_number <> ''
    union all
    select tenant_id, updated_at, 'deposit', 'succeeded', '', amount, fee, null
      from deposit where account_number <> '' and status = 'SUCCESSFUL'
    union all
    select tenant_id, updated_at, 'deposit', 'failed', coalesce(return_reason, ''), amount, 0, null
      from deposit where account_number <> '' and status = 'FAILED')`

const counted = `
  select tenant_id, date_trunc('hour', at, 'UTC') as hour, kind, outcome, reason, count(*) as count, sum(amount) as amount,
         sum(fee) as fees, ${buckets} as bucket
    from happened group by 1, 2, 3, 4, 5, bucket`

const names = ['1s', '2s', '5s', '10s', '30s', '1m', '2m', '5m', '15m', '1h', '6h', '1d', 'longer']
const tookOf = (name: string): string => `coalesce(sum(count) filter (where bucket = '${name}'), 0)`

const wanted = `${happened}, counted as (${counted})
  select concat_ws(' ', tenant_id, hour at time zone 'UTC', kind, outcome, reason, sum(count), sum(amount), sum(fees),
           ${names.map(tookOf).join(', ')}) as line
    from counted group by tenant_id, hour, kind, outcome, reason`

const found = `
  select concat_ws(' ', tenant_id, hour at time zone 'UTC', kind, outcome, reason, count, amount, fees,
           ${names.map((name) => `took_${name}`).join(', ')}) as line from hourly_stat`

export async function recount(database: TestDatabase): Promise<{ wanted: string[]; found: string[] }> {
  const linesOf = async (sql: string): Promise<string[]> =>
    (await asOwner<{ line: string }>(database, sql)).map(({ line }) => line)
  return { wanted: (await linesOf(wanted)).toSorted(), found: (await linesOf(found)).toSorted() }
}
