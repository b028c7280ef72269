// The SQL that proves deposits against movements (how: ledger/digests.ts).

import { statement } from '#base/db.ts'
import { firstUuid, type Uuid } from '#base/ids.ts'
import { listMonthsApart, monthsApart } from '#ledger/archived-months.ts'
import { archivedUntil } from '#ledger/archived.ts'
import { causes } from '#ledger/causes.ts'
import { digests, type Side } from '#ledger/digests.ts'
import { movedFor } from '#ledger/moved.ts'
import { pageOf, pages, type Walk } from '#ledger/walk.ts'

const { where } = causes.deposits

const toBeCreditedPage = statement(
  'deposits.verify_deposits',
  pageOf({
    table: 'deposit',
    key: 'id',
    columns: 'status, amount, fee, updated_at as at',
    parts: digests(
      `(select tenant_id, at, concat_ws(' ', id, 'deposit rail available', amount) as text
          from page where status = 'SUCCESSFUL'
         union all
        select tenant_id, at, concat_ws(' ', id, 'deposit_fee available fees', fee)
          from page where status = 'SUCCESSFUL' and fee > 0) as wanted`,
      'text',
    ),
  }),
)

/** What was credited for deposits. */
const credited: Side = movedFor('deposits')

/** What should have been: a deposit's last change is its success. */
const toBeCredited: Side = (walk, until) => pages(toBeCreditedPage, firstUuid, walk, until)

// Of what is in files nothing can be joined, so it is left out on both sides.
const culpritsOf = statement(
  'deposits.verify_culprits',
  `with moved as (
     select source_id, array_agg(concat_ws(' ', kind, debit, credit, amount) order by kind, amount) as movements
       from ledger_movement
      where lane = $1 and tenant_id = $2 and ${where} and created_at >= ${archivedUntil} group by source_id),
   wanted as (
     select id, status, case when status <> 'SUCCESSFUL' or updated_at < ${archivedUntil} then null
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

function findCulprits({ lane }: Walk, tenantId: Uuid, limit: number): Promise<Culprit[]> {
  return lane.query<Culprit>(culpritsOf, [lane.lane, tenantId, limit])
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

const findMonths = (walk: Walk, tenantId: Uuid): Promise<string[]> => listMonthsApart(apart, walk, tenantId)

export const sides = { found: credited, wanted: toBeCredited, findCulprits, findMonths }
