// The SQL that proves that collections and deposits are the same money: both sides summed up as digests (sql-verify.ts).

import { statement } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { digests, firstUuid, pageOf, pages, type Digest, type Page, type Walk } from './sql-verify.ts'

const inflowText = `concat_ws(' ', deposit_id, amount, fee, currency)`

const collectionDigests = statement(
  'payments.verify_collections',
  pageOf(
    'payment',
    'kind, status, deposit_id, amount, fee, currency',
    'reference',
    digests(`(select * from page where kind = 'momo_collection' and status = 'SUCCESS') as collections`, inflowText),
  ),
)

const inflowDigests = statement(
  'payments.verify_inflows',
  pageOf(
    'deposit',
    'id as deposit_id, provider, status, amount, fee, currency',
    'id',
    digests(`(select * from page where provider = 'momo' and status = 'SUCCESSFUL') as inflows`, inflowText),
  ),
)

/** What was collected. */
export const collectedPages = (walk: Walk): AsyncGenerator<Page<Digest>> => pages(collectionDigests, '', walk)

/** What came in by it. */
export const inflowPages = (walk: Walk): AsyncGenerator<Page<Digest>> => pages(inflowDigests, firstUuid, walk)

const straysOf = statement(
  'payments.verify_strays',
  `with collected as (
     select id, deposit_id, ${inflowText} as text from payment
      where lane = $1 and tenant_id = $2 and kind = 'momo_collection' and status = 'SUCCESS'),
   inflow as (
     select deposit_id, ${inflowText} as text
       from (select id as deposit_id, amount, fee, currency from deposit
              where lane = $1 and tenant_id = $2 and provider = 'momo' and status = 'SUCCESSFUL') as rows)
   select collected.id, coalesce(collected.deposit_id, inflow.deposit_id) as deposit_id, count(*) over () as total
     from collected full join inflow on inflow.deposit_id = collected.deposit_id
    where collected.text is distinct from inflow.text
    order by 2 limit $3`,
)

/** Without `id`: a deposit that no collection names. */
export type Stray = { id: Uuid | null; deposit_id: Uuid; total: bigint }

export function findStrays({ tx, lane }: Walk, tenantId: Uuid, limit: number): Promise<Stray[]> {
  return tx.query<Stray>(straysOf, [lane, tenantId, limit])
}
