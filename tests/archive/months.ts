// Writes months of a business at once, as the service would have left them: transfers with every end, some of them
// returned in a later month and some unfinished, and deposits.

import type { Context, Tenant } from '#platform/context.ts'
import { rebuildFigures } from '#payments/stats.ts'
import { asOwner } from '#tests/support/owner.ts'

export type Filling = {
  tenant: Tenant
  /** When its first payment was accepted. */
  from: Date
  payments: number
  everyMs: number
}

/** Replaces the earlier movements of the business. The clock of `ctx` must be later than all rows. */
export async function fillMonths(ctx: Context, database: { ownerUrl: string }, filling: Filling): Promise<void> {
  const { tenant, from, payments, everyMs } = filling
  const values = [tenant.lane, tenant.id, payments, from, everyMs]
  await asOwner(database, 'delete from ledger_movement where tenant_id = $1', [tenant.id])
  await asOwner(database, 'update ledger_account set debits = 0, credits = 0, movements = 0 where tenant_id = $1', [
    tenant.id,
  ])
  for (const sql of [paymentsSql, eventsSql, depositsSql, movementsSql]) await asOwner(database, sql, values)
  await asOwner(database, accountsSql, [tenant.lane, tenant.id])
  await rebuildFigures(ctx, tenant)
}

const idOf = (kind: number): string =>
  `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(${kind}), 3, '0') || '8' ||
    substr(md5($2::uuid::text || n), 1, 15))::uuid`

// One list of payments, which the rows of every table are made from.
const paymentRows = `
  select n, id, at, amount, 100 as fee, status,
         case status when 'queued' then null when 'REVERSED' then at + interval '35 days' else at + interval '2 s' end as ended_at
    from (select n, at, ${idOf(1)} as id, 1000 + n % 500 as amount,
                 case when n % 100 = 2 then 'queued' when n % 10 = 0 then 'FAILED' when n % 10 = 1 then 'REVERSED' else 'SUCCESS' end as status
            from (select n, $4::timestamptz + n * $5::bigint * interval '1 ms' as at from generate_series(1, $3::int) as n) as times) as dated`

const paymentsSql = `
  insert into payment (lane, tenant_id, reference, id, kind, ordinal, status, currency, amount, fee, bank_slug, bank_name,
    account_number, account_name, failure_reason, created_at, updated_at, completed_at, succeeded_at, submitted_at, due_at)
  select $1, $2, 'PAY-' || n, id, 'bank_transfer', n, status, 'NGN', amount, fee, 'guaranty-trust-bank', 'Guaranty Trust Bank',
         '0123456789', 'ADA OBI', case status when 'FAILED' then 'DO_NOT_HONOR' end, at, coalesce(ended_at, at), ended_at,
         case status when 'REVERSED' then at + interval '2 s' end, at, case status when 'queued' then at + interval '1 year' end
    from (${paymentRows}) as p`

const eventsSql = `
  insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
  select $1, $2, p.id, e.name, gen_random_uuid(), 'PAY-' || n, '{}', e.at
    from (${paymentRows}) as p cross join lateral (values
      ('transfer.success', at + interval '2 s', status in ('SUCCESS', 'REVERSED')), ('transfer.failed', ended_at, status = 'FAILED'),
      ('transfer.reversed', ended_at, status = 'REVERSED')) as e (name, at, is_told)
   where is_told`

const depositRows = `
  select n, at, ${idOf(2)} as id
    from (select n, $4::timestamptz + (20 * n) * $5::bigint * interval '1 ms' + interval '7 s' as at
            from generate_series(1, $3::int / 20) as n) as times`

const depositsSql = `
  insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number,
    account_name, bank_name, sender_account_name, sender_account_number, sender_bank_name, narration, paid_at, created_at, updated_at)
  select $1, $2, id, n, 'SUCCESSFUL', 'NGN', 5000, 10, 'simulator', 'D-' || $2::uuid || n, '0123456789', '', '', '', '', '', '', at, at, at
    from (${depositRows}) as d
   where $5::bigint is not null`

const movementsSql = `
  with posted as (
    select $4::timestamptz as at, 0 as n, 1 as step, 'rail' as debit, 'available' as credit, 100000000000 as amount, 'funding' as kind,
           '00000000-0000-7000-8000-000000000001'::uuid as source_id, 'FUND' as reference
    union all
    select m.at, n, m.step, m.debit, m.credit, m.amount, m.kind, p.id, 'PAY-' || n
      from (${paymentRows}) as p cross join lateral (values
        (at, 2, 'available', 'reserved', amount + fee, 'hold', true),
        (at + interval '2 s', 3, 'reserved', 'rail', amount, 'payout', status in ('SUCCESS', 'REVERSED')),
        (at + interval '2 s', 4, 'reserved', 'fees', fee, 'payout_fee', status in ('SUCCESS', 'REVERSED')),
        (ended_at, 5, 'reserved', 'available', amount + fee, 'release', status = 'FAILED'),
        (ended_at, 6, 'rail', 'available', amount, 'reversal', status = 'REVERSED'),
        (ended_at, 7, 'fees', 'available', fee, 'fee_refund', status = 'REVERSED'))
        as m (at, step, debit, credit, amount, kind, is_called_for)
     where is_called_for
    union all
    select at, n, m.step, m.debit, m.credit, m.amount, m.kind, d.id, 'DEP-' || n
      from (${depositRows}) as d cross join (values
        (8, 'rail', 'available', 5000, 'deposit'), (9, 'available', 'fees', 10, 'deposit_fee')) as m (step, debit, credit, amount, kind)),
  numbered as (
    select *, 'available' in (debit, credit) as is_entry, row_number() over whose as entry,
           sum(case when credit = 'available' then amount else -amount end) over whose as balance_after
      from posted window whose as (partition by 'available' in (debit, credit) order by at, n, step rows unbounded preceding))
  insert into ledger_movement
    (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
  select $1, $2, ${idOf(16).replace('to_hex(16)', 'to_hex(16 + step)')}, 'NGN', debit, credit, amount, kind, source_id, reference,
         case when is_entry then entry end, case when is_entry then balance_after end, at
    from numbered`

const accountsSql = `
  update ledger_account a
     set debits = s.debits, credits = s.credits, movements = s.movements, touched_at = s.touched_at
    from (select name, sum(debits) as debits, sum(credits) as credits, count(*) as movements, max(created_at) as touched_at
            from (select debit as name, amount as debits, 0 as credits, created_at from ledger_movement where lane = $1 and tenant_id = $2
                   union all
                  select credit, 0, amount, created_at from ledger_movement where lane = $1 and tenant_id = $2) as sides
           group by name) as s
   where a.lane = $1 and a.tenant_id = $2 and a.name = s.name`
