// The SQL that proves balances that a backlog explains: what queued payments hold, and what is under way to a tenant.

import { statement, type Statement } from '#base/db.ts'
import { uuidAfter, type Uuid } from '#base/ids.ts'
import type { Page, Walk } from '#ledger/walk.ts'

// One statement, so that balances and backlog are seen at one moment. Unfinished payments are all due, and PENDING deposits
// have an index of their own, so it costs the backlog. `materialized`: a planner without statistics would else walk all
// payments of the tenants.
const backlogOf = ({ account, balance, rows }: { account: string; balance: string; rows: string }): string =>
  `with page as materialized (
     select tenant_id, currency, ${balance} as balance from ledger_account
      where lane = $1 and tenant_id >= $2 and tenant_id <= $3 and name = '${account}'
      order by tenant_id fetch first $4 rows with ties),
   last as (
     select case when count(*) < $4 then $3 else (array_agg(tenant_id order by tenant_id desc))[1] end as up_to from page),
   due as materialized (
     select tenant_id, currency, kind, status, amount, fee from payment where lane = $1 and due_at is not null),
   held as materialized (
     select tenant_id, currency, sum(amount) as held, count(*) as payments from (${rows}) as backlog
      where tenant_id >= $2 and tenant_id <= (select up_to from last)
      group by tenant_id, currency),
   wrong as (
     select tenant_id as "tenantId", currency, balance, coalesce(held, 0)::text as held
       from page full join held using (tenant_id, currency)
      where balance is distinct from coalesce(held, 0))
   select last.up_to as "upTo", (select count(*) from page) + (select coalesce(sum(payments), 0) from held) as "pageRows", wrong.*
     from last left join wrong on true order by "tenantId", currency`

const reservedOf = statement(
  'payments.verify_reserved',
  backlogOf({
    account: 'reserved',
    balance: 'credits - debits',
    rows: `select tenant_id, currency, amount + fee as amount from due
            where status = 'queued' and kind in ('bank_transfer', 'momo_transfer')`,
  }),
)

const incomingOf = statement(
  'payments.verify_incoming',
  backlogOf({
    account: 'available',
    balance: 'incoming',
    rows: `select tenant_id, currency, amount from due
            where kind = 'momo_collection' and status in ('PENDING', 'OTP_REQUIRED')
            union all
           select tenant_id, currency, amount from deposit where lane = $1 and status = 'PENDING'`,
  }),
)

/** Without `balance`: there is no such account. */
export type WrongBalance = { tenantId: Uuid; currency: string; balance: bigint | null; held: string }

/** Reserved balances that are not what the queued payments hold. */
export const reservedPages = (walk: Walk): AsyncGenerator<Page<WrongBalance>> => backlogPages(reservedOf, walk)

/** What books count as under way, where unfinished collections and PENDING deposits would bring something else. */
export const incomingPages = (walk: Walk): AsyncGenerator<Page<WrongBalance>> => backlogPages(incomingOf, walk)

type Row = { upTo: Uuid; pageRows: string } & (WrongBalance | { tenantId: null })

/** Between the pages lies no tenant. */
async function* backlogPages(what: Statement, walk: Walk): AsyncGenerator<Page<WrongBalance>> {
  const { lane, rowsPerPage, upTo } = walk
  for (let { from } = walk; ;) {
    const rows = await lane.query<Row>(what, [lane.lane, from, upTo, rowsPerPage])
    const [head] = rows
    if (head === undefined) return
    yield { rows: Number(head.pageRows), parts: rows.filter((row) => row.tenantId !== null) }
    if (head.upTo === upTo) return
    from = uuidAfter(head.upTo)
  }
}
