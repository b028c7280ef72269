// The SQL that proves that what payments moved at their rails is in the float book of these.

import { statement, type InLane } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { pageOf, pages, wrongOf, type Page, type Walk } from '#ledger/walk.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'

// A rail has a float book since its first movement. What ended before that is not in it; what a version before the float
// books ended after that, reconciliation books.
const unbookedPayments = statement(
  'payments.verify_float',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, amount, rail, updated_at',
    parts: wrongOf(
      `(select page.*, t.environment is not null and page.updated_at > (
                 select min(at) from float_movement f where f.environment = t.environment and f.rail = page.rail)
               and not (
                 exists (select 1 from float_movement f
                  where f.environment = t.environment and f.rail = page.rail and f.subject = page.id::text and f.lane = $1
                    and f.kind = case page.kind when 'momo_collection' then 'deposit' else 'payout' end
                    and f.amount = page.amount)
                 and (page.status <> 'REVERSED' or exists (select 1 from float_movement f
                  where f.environment = t.environment and f.rail = page.rail and f.subject = page.id::text and f.lane = $1
                    and f.kind = 'reversal' and f.amount = page.amount))) as is_wrong
          from page join tenant t on t.lane = $1 and t.id = page.tenant_id
         where page.rail not in ('', 'simulator') and page.status in ('SUCCESS', 'REVERSED')) as judged`,
      ['kind', 'status'],
    ),
  }),
)

export type Unbooked = { tenantId: Uuid; kind: PaymentKind; status: PaymentStatus; count: bigint; ids: Uuid[] }

export function unbookedPages(walk: Walk): AsyncGenerator<Page<Unbooked>> {
  return pages<Unbooked>(unbookedPayments, '', walk)
}

/** Of a payment `p` and a movement `page`. The rail of a payment is of one environment. */
const isCause = `p.rail = page.rail and p.id::text = page.subject and p.amount = page.amount
            and p.status = any(case page.kind when 'reversal' then array['REVERSED'] else array['SUCCESS', 'REVERSED'] end)`

// What a movement of a float book says was caused by a payment or by money that came is looked up there: payments by the
// reference of theirs that rails know, money by the provider's own id. What stands in no lane came from a provider's list.
// Rails that tell nothing have payments without such a reference: for those the payments are read, once a page.
const uncaused = statement(
  'payments.verify_float_causes',
  `with page as materialized (
     select environment, rail, kind, subject, reference, lane, amount from float_movement
      where (environment, rail, kind, subject) > ($1, $2, $3, $4) order by environment, rail, kind, subject limit $5),
   judged as (
     select page.*, kind in ('payout', 'reversal') or reference <> subject as of_payment, case
       when kind in ('payout', 'reversal') or reference <> subject then not exists (
         select 1 from payment p
          where p.lane = page.lane and ${isCause}
            and p.rail_reference = case when page.reference ~ '^[0-9a-f-]{36}$' then page.reference::uuid end)
       else not exists (
         select 1 from provider_notice n
          cross join lateral (
            select * from deposit
             where lane = n.lane and (tenant_id, provider, provider_id) >= (n.tenant_id, n.provider, n.provider_id)
             order by tenant_id, provider, provider_id limit 1) as d
          where n.environment = page.environment and n.provider = page.rail and n.provider_id = page.subject
            and d.tenant_id = n.tenant_id and d.provider_id = page.subject and d.amount = page.amount
            and d.lane = page.lane
            and d.status = case page.kind when 'deposit' then 'SUCCESSFUL' else 'FAILED' end) end as is_wrong
       from page where lane > 0 and kind in ('payout', 'reversal', 'deposit', 'unowned')),
   parts as (
     select environment, rail, kind, count(*) as count, (array_agg(subject order by subject))[1:100] as subjects
       from judged page
      where is_wrong and not (of_payment and exists (
        select 1 from payment p where p.lane = page.lane and ${isCause} and p.rail_reference is null))
      group by environment, rail, kind),
   last as (
     select environment, rail, kind, subject from page
      order by environment desc, rail desc, kind desc, subject desc limit 1)
   select (select count(*) from page) as "pageRows", last.environment as "lastEnvironment", last.rail as "lastRail",
          last.kind as "lastKind", last.subject as "lastSubject", parts.*
     from last left join parts on true`,
)

export type Uncaused = { environment: string; rail: string; kind: string; count: bigint; subjects: string[] }

type UncausedRow = {
  pageRows: bigint
  lastEnvironment: string
  lastRail: string
  lastKind: string
  lastSubject: string
} & (Uncaused | { environment: null })

/** Of all lanes, in the order of the key. */
export async function* uncausedPages(
  lane: InLane,
  rowsPerPage: number,
): AsyncGenerator<{ rows: number; parts: Uncaused[] }> {
  let after = ['', '', '', '']
  for (;;) {
    const rows = await lane.query<UncausedRow>(uncaused, [...after, rowsPerPage])
    const [first] = rows
    if (first === undefined) return
    yield { rows: Number(first.pageRows), parts: rows.filter((row) => row.environment !== null) }
    if (Number(first.pageRows) < rowsPerPage) return
    after = [first.lastEnvironment, first.lastRail, first.lastKind, first.lastSubject]
  }
}
