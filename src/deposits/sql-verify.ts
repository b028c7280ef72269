// The SQL that proves deposits against movements. Movements have no index by what caused them, and shall have none for
// the sake of this: both sides are walked by their keys, page by page, and summed up as digests that must agree. Only
// where they do not is one tenant's rows joined, to name the culprits.

import { statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

const firstUuid = '00000000-0000-0000-0000-000000000000' as Uuid

/** What a page adds to a tenant. The sum of digests is the same in whatever order they come. */
export type Part = { tenantId: Uuid; count: bigint; digest: bigint }
export type Page = { rows: number; parts: Part[] }

const digestOf = (text: string): string =>
  `count(*) as count, sum(hashtextextended(${text}, 0)::numeric)::text as digest`

const pageOf = (columns: string, table: string, parts: string): string =>
  `with page as materialized (
     select ${columns} from ${table} where lane = $1 and (tenant_id, id) > ($2, $3) order by tenant_id, id limit $4),
   parts as (${parts}),
   last as (select tenant_id, id from page order by tenant_id desc, id desc limit 1)
   select (select count(*) from page) as rows, last.tenant_id as last_tenant, last.id as last_id,
          parts.tenant_id, parts.count, parts.digest
     from last left join parts on true`

const movementsOf = statement(
  'deposits.verify_movements',
  pageOf(
    'tenant_id, id, debit, credit, kind, source_id, amount',
    'ledger_movement',
    `select tenant_id, ${digestOf(`concat_ws(' ', source_id, kind, debit, credit, amount)`)}
       from page where kind in ('deposit', 'deposit_fee') group by tenant_id`,
  ),
)

const depositsOf = statement(
  'deposits.verify_deposits',
  pageOf(
    'tenant_id, id, status, amount, fee',
    'deposit',
    `select tenant_id, ${digestOf('text')}
       from (
         select tenant_id, concat_ws(' ', id, 'deposit rail available', amount) as text from page where status = 'SUCCESSFUL'
         union all
         select tenant_id, concat_ws(' ', id, 'deposit_fee available fees', fee) from page where status = 'SUCCESSFUL' and fee > 0
       ) as wanted group by tenant_id`,
  ),
)

type PageRow = {
  rows: bigint
  last_tenant: Uuid
  last_id: Uuid
  tenant_id: Uuid | null
  count: bigint | null
  digest: string | null
}

/** Where to walk, and in what steps. */
export type Walk = { tx: Queryable; lane: number; rowsPerPage: number }

async function* pages(what: typeof movementsOf, { tx, lane, rowsPerPage }: Walk): AsyncGenerator<Page> {
  let after = { tenantId: firstUuid, id: firstUuid }
  for (;;) {
    const rows = await tx.query<PageRow>(what, [lane, after.tenantId, after.id, rowsPerPage])
    const [first] = rows
    if (first === undefined) return
    const parts = rows.flatMap(({ tenant_id: tenantId, count, digest }) =>
      tenantId === null || count === null || digest === null ? [] : [{ tenantId, count, digest: BigInt(digest) }],
    )
    yield { rows: Number(first.rows), parts }
    after = { tenantId: first.last_tenant, id: first.last_id }
  }
}

/** What was credited for deposits. */
export function movementPages(walk: Walk): AsyncGenerator<Page> {
  return pages(movementsOf, walk)
}

/** What should have been. */
export function depositPages(walk: Walk): AsyncGenerator<Page> {
  return pages(depositsOf, walk)
}

const culpritsOf = statement(
  'deposits.verify_culprits',
  `with moved as (
     select source_id, array_agg(concat_ws(' ', kind, debit, credit, amount) order by kind, amount) as movements
       from ledger_movement
      where lane = $1 and tenant_id = $2 and kind in ('deposit', 'deposit_fee') group by source_id),
   wanted as (
     select id, status, case when status <> 'SUCCESSFUL' then null
              when fee = 0 then array[concat_ws(' ', 'deposit rail available', amount)]
              else array[concat_ws(' ', 'deposit rail available', amount), concat_ws(' ', 'deposit_fee available fees', fee)] end
              as movements
       from deposit where lane = $1 and tenant_id = $2)
   select coalesce(wanted.id, moved.source_id) as id, wanted.status, count(*) over () as total
     from wanted full join moved on moved.source_id = wanted.id
    where wanted.movements is distinct from moved.movements
    order by 1 limit $3`,
)

export type Culprit = { id: Uuid; status: string | null; total: bigint }

export function findCulprits({ tx, lane }: Walk, tenantId: Uuid, limit: number): Promise<Culprit[]> {
  return tx.query<Culprit>(culpritsOf, [lane, tenantId, limit])
}
