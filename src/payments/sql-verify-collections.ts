// The SQL that proves that collections and deposits are the same money (how: ledger/digests.ts).

import { statement } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { digests, type Side } from '#ledger/digests.ts'
import { pageOf, pages, type Walk } from '#ledger/walk.ts'

const inflowText = `concat_ws(' ', deposit_id, amount, fee, currency)`

const collectedPage = statement(
  'payments.verify_collections',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'kind, status, deposit_id, amount, fee, currency, updated_at as at',
    parts: digests(
      `(select * from page where kind = 'momo_collection' and status = 'SUCCESS') as collections`,
      inflowText,
    ),
  }),
)

const inflowPage = statement(
  'payments.verify_inflows',
  pageOf({
    table: 'deposit',
    key: 'id',
    columns: 'id as deposit_id, provider, status, amount, fee, currency, updated_at as at',
    parts: digests(`(select * from page where provider = 'momo' and status = 'SUCCESSFUL') as inflows`, inflowText),
  }),
)

/** What was collected. Both are changed for the last time, and at the same time, when the collection succeeds. */
export const collected: Side = (walk, until) => pages(collectedPage, '', walk, until)

/** What came in by it. */
export const inflows: Side = (walk, until) => pages(inflowPage, firstUuid, walk, until)

const straysOf = statement(
  'payments.verify_strays',
  `with collected as (
     select id, deposit_id, ${inflowText} as text from payment
      where lane = $1 and tenant_id = $2 and kind = 'momo_collection' and status = 'SUCCESS'),
   inflow as (
     select deposit_id, ${inflowText} as text
       from (select id as deposit_id, amount, fee, currency from deposit
              where lane = $1 and tenant_id = $2 and provider = 'momo' and status = 'SUCCESSFUL') as rows)
   select collected.id, coalesce(collected.deposit_id, inflow.deposit_id) as "depositId", count(*) over () as total
     from collected full join inflow on inflow.deposit_id = collected.deposit_id
    where collected.text is distinct from inflow.text
    order by 2 limit $3`,
)

/** Without `id`: a deposit that no collection names. */
export type Stray = { id: Uuid | null; depositId: Uuid; total: bigint }

export function findStrays({ lane }: Walk, tenantId: Uuid, limit: number): Promise<Stray[]> {
  return lane.query<Stray>(straysOf, [lane.lane, tenantId, limit])
}
