// The SQL that proves that deposits of rails are in the float book of these.

import { statement } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { pageOf, pages, wrongOf, type Page, type Walk } from '#ledger/walk.ts'

// As for payments (payments/sql-verify-float.ts).
const unbookedDeposits = statement(
  'deposits.verify_float',
  pageOf({
    table: 'deposit',
    key: 'id',
    columns: 'status, amount, provider, provider_id, updated_at',
    parts: wrongOf(
      `(select page.*, page.updated_at > (
                 select min(at) from float_movement f where f.environment = t.environment and f.rail = page.provider)
               and not exists (select 1 from float_movement f
                 where f.environment = t.environment and f.rail = page.provider and f.kind = 'deposit'
                   and f.subject = page.provider_id and f.amount = page.amount) as is_wrong
          from page join tenant t on t.lane = $1 and t.id = page.tenant_id
         where page.provider not in ('momo', 'simulator') and page.status = 'SUCCESSFUL') as judged`,
    ),
  }),
)

export type Unbooked = { tenantId: Uuid; count: bigint; ids: Uuid[] }

export function unbookedPages(walk: Walk): AsyncGenerator<Page<Unbooked>> {
  return pages<Unbooked>(unbookedDeposits, firstUuid, walk)
}
