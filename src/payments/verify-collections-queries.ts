// The SQL that proves that collections and deposits are the same money (how: ledger/digests.ts).

import { digestsSql, type Side } from '#ledger/digests.ts'
import { pageOf, scanPages, type TableScan, wrongOf, type ScanPage } from '#ledger/table-scan.ts'
import { statement, arraysOf, type Queryable } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'

const inflowText = `concat_ws(' ', deposit_id, amount, fee, currency)`

const collectedPage = statement(
  'payments.verify_collections',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'kind, status, deposit_id, amount, fee, currency, updated_at as at',
    parts: digestsSql(
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
    parts: digestsSql(`(select * from page where provider = 'momo' and status = 'SUCCESSFUL') as inflows`, inflowText),
  }),
)

/** What was collected. Both are changed for the last time, and at the same time, when the collection succeeds. */
export const collected: Side = (walk, until) => scanPages(collectedPage, '', walk, until)

/** What came in by it. */
export const inflows: Side = (walk, until) => scanPages(inflowPage, firstUuid, walk, until)

const strayCollections = statement(
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

export function findStrays({ lane }: TableScan, tenantId: Uuid, limit: number): Promise<Stray[]> {
  return lane.query<Stray>(strayCollections, [lane.lane, tenantId, limit])
}

// The SQL that proves that what payments moved at their rails is in the float book of these.

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

type Unbooked = { tenantId: Uuid; kind: PaymentKind; status: PaymentStatus; count: bigint; ids: Uuid[] }

export function unbookedPages(walk: TableScan): AsyncGenerator<ScanPage<Unbooked>> {
  return scanPages<Unbooked>(unbookedPayments, '', walk)
}

/** Of a payment `p` and a movement `page`. The rail of a payment is of one environment. */
const isCause = `p.rail = page.rail and p.id::text = page.subject and p.amount = page.amount
            and p.status = any(case page.kind when 'reversal' then array['REVERSED'] else array['SUCCESS', 'REVERSED'] end)`

// In the order of the key, with whose the money is that a provider told of.
const movementsOf = statement(
  'payments.verify_float_page',
  `select f.environment, f.rail, f.kind, f.subject, f.reference, f.lane, f.amount, n.tenant_id as "tenantId"
     from (select * from float_movement
            where (environment, rail, kind, subject) > ($1, $2, $3, $4)
            order by environment, rail, kind, subject limit $5) as f
     left join provider_notice n on n.environment = f.environment and n.provider = f.rail and n.provider_id = f.subject
                                and n.lane = f.lane
    order by f.environment, f.rail, f.kind, f.subject`,
)

// What a movement of a float book says was caused by a payment or by money that came is looked up there: payments by the
// reference of theirs that rails know, money by the provider's own id. Rails that tell nothing have payments without such a
// reference: for those the payments are read, once a page.
const uncaused = statement(
  'payments.verify_float_causes',
  `with page as materialized (
     select v.*, kind in ('payout', 'reversal') or reference <> subject as of_payment
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::uuid[])
         as v (environment, rail, kind, subject, reference, amount, tenant_id)),
   judged as (
     select page.*, case
       when of_payment then not exists (
         select 1 from payment p
          where p.lane = $1 and ${isCause}
            and p.rail_reference = case when page.reference ~ '^[0-9a-f-]{36}$' then page.reference::uuid end)
       else not exists (
         select 1 from (
             select * from deposit
              where lane = $1 and (tenant_id, provider, provider_id) >= (page.tenant_id, page.rail, page.subject)
              order by tenant_id, provider, provider_id limit 1) as d
          where d.tenant_id = page.tenant_id and d.provider = page.rail and d.provider_id = page.subject
            and d.amount = page.amount and d.status = case page.kind when 'deposit' then 'SUCCESSFUL' else 'FAILED' end) end as is_wrong
       from page)
   select environment, rail, kind, subject from judged page
    where is_wrong and not (of_payment and exists (
      select 1 from payment p where p.lane = $1 and ${isCause} and p.rail_reference is null))`,
)

type Uncaused = { environment: string; rail: string; kind: string; count: bigint; subjects: string[] }

type Key = { environment: string; rail: string; kind: string; subject: string }
type Movement = Key & { reference: string; lane: number; amount: bigint; tenantId: Uuid | null }

/** Of all lanes, in the order of the key. What stands in no lane came from a provider's list. */
export async function* uncausedPages(
  db: Queryable,
  rowsPerPage: number,
): AsyncGenerator<{ rows: number; parts: Uncaused[] }> {
  let after = ['', '', '', '']
  for (;;) {
    const page = await db.query<Movement>(movementsOf, [...after, rowsPerPage])
    const last = page.at(-1)
    if (last === undefined) return
    yield { rows: page.length, parts: partsOf(await uncausedOf(db, page)) }
    if (page.length < rowsPerPage) return
    after = [last.environment, last.rail, last.kind, last.subject]
  }
}

const causedByUs = new Set(['payout', 'reversal', 'deposit', 'unowned'])

/** Each lane is asked for its own. */
async function uncausedOf(db: Queryable, page: Movement[]): Promise<Key[]> {
  const ours = page.filter(({ lane, kind }) => lane > 0 && causedByUs.has(kind))
  const found: Key[] = []
  for (const [lane, movements] of Map.groupBy(ours, (movement) => movement.lane)) {
    const columns = arraysOf(movements, 'environment', 'rail', 'kind', 'subject', 'reference', 'amount', 'tenantId')
    found.push(...(await db.query<Key>(uncaused, [lane, ...columns])))
  }
  return found
}

const subjectsMax = 100

function partsOf(keys: Key[]): Uncaused[] {
  const groups = Map.groupBy(keys, ({ environment, rail, kind }) => `${environment} ${rail} ${kind}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { environment, rail, kind } = first
    const subjects = group.map(({ subject }) => subject).toSorted()
    return [{ environment, rail, kind, count: BigInt(group.length), subjects: subjects.slice(0, subjectsMax) }]
  })
}
