// The SQL that proves that what payments moved at their rails is in the float book of these.

import { statement } from '#base/db.ts'
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
