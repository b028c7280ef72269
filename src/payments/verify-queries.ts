// SQL that proves payments against movements, balances, deposits and the float books (how: ledger/digests.ts).
//
// Measured on 1 100 000 payments with 3 300 000 movements: 28 s for all of it, with 107 MB of memory all the time.

import { archivedUntil as eventsArchivedUntil } from '#events/archive.ts'
import { archivedUntil, listMonthsApart, monthsApart } from '#ledger/archived.ts'
import { digestsSql, movedFor, type Side } from '#ledger/digests.ts'
import { causes } from '#ledger/chart.ts'
import { pageOf, type ScanPage, scanPages, type TableScan, wrongOf } from '#ledger/table-scan.ts'
import { arraysOf, type Queryable, statement, type Statement } from '#platform/db/db.ts'
import { firstUuid, type Uuid, uuidAfter } from '#platform/ids.ts'
import type { PaymentKind, PaymentStatus } from './payment.ts'

const { where, text } = causes.payments

const outgoing = `kind in ('bank_transfer', 'momo_transfer')`

// The movements that a payment's status requires, each with its time. This repeats the accounting of ledger/chart.ts on
// purpose. A movement has the time of the payment's acceptance or last change. The success of a reversed payment was
// before its last change, so the caller passes the time of the success as `paid_out_at`.
const wantedMovements = (payments: string): string =>
  `select p.tenant_id, p.id as source_id, p.reference, p.currency, p.kind as payment_kind, p.status,
          m.kind, m.debit, m.credit, m.amount, m.at
     from ${payments} p cross join lateral (values
       ('hold', 'available', 'reserved', p.amount + p.fee, p.created_at, true),
       ('payout', 'reserved', 'rail', p.amount, p.paid_out_at, p.status in ('SUCCESS', 'REVERSED')),
       ('payout_fee', 'reserved', 'fees', p.fee, p.paid_out_at, p.status in ('SUCCESS', 'REVERSED')),
       ('release', 'reserved', 'available', p.amount + p.fee, p.updated_at, p.status = 'FAILED'),
       ('reversal', 'rail', 'available', p.amount, p.updated_at, p.status = 'REVERSED'),
       ('fee_refund', 'fees', 'available', p.fee, p.updated_at, p.status = 'REVERSED'))
       as m (kind, debit, credit, amount, at, is_called_for)
    where m.is_called_for and m.amount > 0`

// The time at which a reversed payment succeeded. The few payments that are older than the column `succeeded_at` take
// the time of their success event. If that event may be archived, they take the time of their acceptance.
const succeededAt = `
  case when status = 'REVERSED' and updated_at >= $6::timestamptz then
    (select coalesce(page.succeeded_at, min(event.created_at),
                     case when page.created_at < ${eventsArchivedUntil} then page.created_at else page.updated_at end) from event
      where lane = $1 and tenant_id = page.tenant_id and source_id = page.id and name like '%.success')
  else updated_at end as paid_out_at`

const wantedPage = statement(
  'payments.verify_wanted',
  pageOf({
    table: 'payment',
    key: 'reference',
    columns: 'id, kind, status, amount, fee, currency, created_at, updated_at, succeeded_at',
    parts: digestsSql(`(${wantedMovements(`(select *, ${succeededAt} from page where ${outgoing})`)}) as wanted`, text),
  }),
)

const moved: Side = movedFor('payments')

const toBeMoved: Side = (walk, until) => scanPages(wantedPage, '', walk, until)

// Joins all rows of a tenant: 9 s for 1 000 000 payments. It runs only after a mismatch. Archived rows cannot be
// joined, so both sides leave them out.
const culpritsOf = statement(
  'payments.verify_culprits',
  `with found as (
     select source_id, array_agg(${text} order by kind, amount) as movements from ledger_movement
      where lane = $1 and tenant_id = $2 and ${where} and created_at >= ${archivedUntil} group by source_id),
   wanted as (
     select source_id, payment_kind, status, array_agg(${text} order by kind, amount) as movements
       from (${wantedMovements(`(
             select *, coalesce(succeeded_at, updated_at) as paid_out_at from payment
              where lane = $1 and tenant_id = $2 and ${outgoing})`)}) as rows
      where at >= ${archivedUntil} group by source_id, payment_kind, status)
   select coalesce(wanted.source_id, found.source_id) as id, payment_kind as kind, status, count(*) over () as total
     from wanted full join found on found.source_id = wanted.source_id
    where wanted.movements is distinct from found.movements
    order by 1 limit $3`,
)

export type Culprit = { id: Uuid; kind: PaymentKind | null; status: PaymentStatus | null; total: bigint }

function findCulprits({ lane }: TableScan, tenantId: Uuid, limit: number): Promise<Culprit[]> {
  return lane.query<Culprit>(culpritsOf, [lane.lane, tenantId, limit])
}

const apart = statement(
  'payments.verify_months',
  monthsApart({
    wanted: `select * from (${wantedMovements(`(
        select *, coalesce(succeeded_at, updated_at) as paid_out_at from payment
         where lane = $1 and tenant_id = $2 and ${outgoing})`)}) as rows where at < ${archivedUntil}`,
    text,
    sealed: `select until, count, digest from ledger_archive_digest where lane = $1 and tenant_id = $2 and cause = 'payments'`,
  }),
)

const findMonths = (walk: TableScan, tenantId: Uuid): Promise<string[]> => listMonthsApart(apart, walk, tenantId)

export const sides = { found: moved, wanted: toBeMoved, findCulprits, findMonths }

// One statement, so both sides are of one moment. One index has all payments with a due time, and so every unfinished
// one; another has the PENDING and FAILED deposits. So the cost depends on the number of these, not on the size of the
// tables. `materialized`, because a planner without statistics would scan all payments of the tenants.
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

/** `balance` null: there is no such account. */
export type WrongBalance = { tenantId: Uuid; currency: string; balance: bigint | null; held: string }

export const reservedPages = (walk: TableScan): AsyncGenerator<ScanPage<WrongBalance>> => backlogPages(reservedOf, walk)

export const incomingPages = (walk: TableScan): AsyncGenerator<ScanPage<WrongBalance>> => backlogPages(incomingOf, walk)

type VerifiedRow = { upTo: Uuid; pageRows: string } & (WrongBalance | { tenantId: null })

/** No tenant is skipped between two pages. */
async function* backlogPages(what: Statement, walk: TableScan): AsyncGenerator<ScanPage<WrongBalance>> {
  const { lane, rowsPerPage, upTo } = walk
  for (let { from } = walk; ;) {
    const rows = await lane.query<VerifiedRow>(what, [lane.lane, from, upTo, rowsPerPage])
    const [head] = rows
    if (head === undefined) return
    yield { rows: Number(head.pageRows), parts: rows.filter((row) => row.tenantId !== null) }
    if (head.upTo === upTo) return
    from = uuidAfter(head.upTo)
  }
}

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

/**
 * Successful collections. When a collection succeeds, it and its deposit change for the last time, both at the same
 * time.
 */
export const collected: Side = (walk, until) => scanPages(collectedPage, '', walk, until)

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

/** `id` null: the deposit belongs to no collection. */
export type Stray = { id: Uuid | null; depositId: Uuid; total: bigint }

export function findStrays({ lane }: TableScan, tenantId: Uuid, limit: number): Promise<Stray[]> {
  return lane.query<Stray>(strayCollections, [lane.lane, tenantId, limit])
}

// A rail has a float book since its first movement, and payments that ended before are not in it. After that movement,
// a process of a version without float books may still end payments; reconciliation books those.
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

/** The environment is not compared, because each rail belongs to one environment. */
const isCause = `p.rail = page.rail and p.id::text = page.subject and p.amount = page.amount
            and p.status = any(case page.kind when 'reversal' then array['REVERSED'] else array['SUCCESS', 'REVERSED'] end)`

// Movements in the order of the key. A movement that a provider's notice reported has the tenant of that notice.
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

// Finds movements of a float book without a cause: payments are looked up by their reference at the rail, deposits by
// the provider's own id. If a rail has no such references, its payments are read once for each page.
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

/** Reads all lanes, in the order of the key. A movement without a lane came from a provider's list. */
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
