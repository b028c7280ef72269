// Proves deposits against movements (how: ledger/digests.ts) and against the float book, for `ledger verify`.

import { archivedUntil, listMonthsApart, monthsApart } from '#ledger/archived.ts'
import { checkSides, digestsSql, movedFor, type Side } from '#ledger/digests.ts'
import {
  type InvariantCheck,
  type Invariant,
  pageOf,
  scanPages,
  type TableScan,
  wrongOf,
  type ScanPage,
} from '#ledger/table-scan.ts'
import { causes } from '#ledger/chart.ts'
import { statement } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { depositReference } from './deposit.ts'

const { where } = causes.deposits

// The currency is left out for sealed months, because their digests have none (`sealedText` in ledger/chart.ts).
const toBeCreditedPage = statement(
  'deposits.verify_deposits',
  pageOf({
    table: 'deposit',
    key: 'id',
    columns: `status, amount, fee, updated_at as at, case when updated_at >= ${archivedUntil} then currency end as currency`,
    parts: digestsSql(
      `(select tenant_id, at, concat_ws(' ', id, 'deposit rail available', amount, currency) as text
          from page where status = 'SUCCESSFUL'
         union all
        select tenant_id, at, concat_ws(' ', id, 'deposit_fee available fees', fee, currency)
          from page where status = 'SUCCESSFUL' and fee > 0) as wanted`,
      'text',
    ),
  }),
)

const credited: Side = movedFor('deposits')

/** `updated_at` is the time of the credit, because a SUCCESSFUL deposit never changes again. */
const toBeCredited: Side = (walk, until) => scanPages(toBeCreditedPage, firstUuid, walk, until)

// Archived rows cannot be joined, so they are left out on both sides.
const culpritsOf = statement(
  'deposits.verify_culprits',
  `with moved as (
     select source_id, array_agg(concat_ws(' ', kind, debit, credit, amount, currency) order by kind, amount) as movements
       from ledger_movement
      where lane = $1 and tenant_id = $2 and ${where} and created_at >= ${archivedUntil} group by source_id),
   wanted as (
     select id, status, case when status <> 'SUCCESSFUL' or updated_at < ${archivedUntil} then null
              when fee = 0 then array[concat_ws(' ', 'deposit rail available', amount, currency)]
              else array[concat_ws(' ', 'deposit rail available', amount, currency),
                         concat_ws(' ', 'deposit_fee available fees', fee, currency)] end as movements
       from deposit where lane = $1 and tenant_id = $2)
   select coalesce(wanted.id, moved.source_id) as id, wanted.status, count(*) over () as total
     from wanted full join moved on moved.source_id = wanted.id
    where wanted.movements is distinct from moved.movements
    order by 1 limit $3`,
)

type WrongDeposit = { id: Uuid; status: string | null; total: bigint }

function findCulprits({ lane }: TableScan, tenantId: Uuid, limit: number): Promise<WrongDeposit[]> {
  return lane.query<WrongDeposit>(culpritsOf, [lane.lane, tenantId, limit])
}

const apart = statement(
  'deposits.verify_months',
  monthsApart({
    wanted: `
      select at, concat_ws(' ', id, moved) as text
        from (select id, updated_at as at, amount, fee from deposit
               where lane = $1 and tenant_id = $2 and status = 'SUCCESSFUL' and updated_at < ${archivedUntil}) as d
       cross join lateral (values
         (concat_ws(' ', 'deposit rail available', amount), true), (concat_ws(' ', 'deposit_fee available fees', fee), fee > 0))
         as m (moved, is_called_for)
       where is_called_for`,
    text: 'text',
    sealed: `select until, count, digest from ledger_archive_digest where lane = $1 and tenant_id = $2 and cause = 'deposits'`,
  }),
)

const findMonths = (walk: TableScan, tenantId: Uuid): Promise<string[]> => listMonthsApart(apart, walk, tenantId)

const sides = { found: credited, wanted: toBeCredited, findCulprits, findMonths }

// A deposit is wrong if it ended after the first movement in its rail's float book and is not in that book. Payments
// are proved in the same way (payments/verify-queries.ts).
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

type UnbookedDeposit = { tenantId: Uuid; count: bigint; ids: Uuid[] }

function unbookedPages(walk: TableScan): AsyncGenerator<ScanPage<UnbookedDeposit>> {
  return scanPages<UnbookedDeposit>(unbookedDeposits, firstUuid, walk)
}

export const depositInvariants: Invariant[] = [
  { name: 'each SUCCESSFUL deposit is credited exactly once, less its fee, and no other ever', run: checkCredits },
  { name: 'each SUCCESSFUL deposit of a rail is in its float book once', run: checkFloat },
]

function checkCredits(check: InvariantCheck): Promise<void> {
  return checkSides(check, { ...sides, tell: tellCulprit, name: 'deposits and movements' })
}

async function checkFloat(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of unbookedPages(check)) {
    for (const { tenantId, count, ids } of parts) {
      const message = 'SUCCESSFUL, but the float book of its rail does not say so'
      check.report({ tenantId, ids: ids.map(depositReference), count: Number(count), message })
    }
    check.progress(rows)
  }
}

function tellCulprit({ id, status }: WrongDeposit): { id: string; message: string } {
  return { id: depositReference(id), message: messageOf(status) }
}

function messageOf(status: string | null): string {
  if (status === null) return 'movements credit a deposit that does not exist'
  return status === 'SUCCESSFUL' ? 'SUCCESSFUL, but not credited exactly once' : `${status}, but credited`
}
