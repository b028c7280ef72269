// Creates the business whose key sends the requests, and writes many settled transfers for scenarios with a large table.

import { createBusiness } from '#businesses/business.ts'
import { createKey } from '#businesses/keys.ts'
import type { Tenant } from '#platform/context.ts'
import { asOwner } from './owner.ts'
import type { Rig } from './scenario.ts'

export async function createTenant({ ctx }: Rig, name = 'Bench'): Promise<{ key: string; tenant: Tenant }> {
  const business = await createBusiness(ctx, name)
  const { secret } = await createKey(ctx, business.tenants.staging, 'Bench')
  return { key: secret, tenant: business.tenants.staging }
}

export const rowsPerStatement = 250_000

/**
 * Writes settled transfers LOADED-1 … LOADED-n with their movements and totals as the service would, so that `ledger
 * verify` finds them right. Each transfer has an amount of 1 000 and a fee of 1 000, and is a second later than the one
 * before it.
 */
export async function loadTransfers(
  { ownerUrl }: Rig,
  { lane, id }: Tenant,
  count: number,
  say: (text: string) => void,
): Promise<void> {
  await asOwner(ownerUrl, async (owner) => {
    for (let from = 1; from <= count; from += rowsPerStatement) {
      const to = Math.min(count, from + rowsPerStatement - 1)
      await owner.query(paymentsSql, [lane, id, from, to, count])
      await owner.query(movementsSql, [lane, id, from, to, count])
      say(`loaded ${to.toLocaleString('en')} of ${count.toLocaleString('en')} transfers …`)
    }
    await owner.query(totalsSql, [lane, id, count])
    await owner.query('vacuum (analyze) payment')
    await owner.query('vacuum (analyze) ledger_movement')
    // Writes the loaded pages to disk now, so that PostgreSQL does not do it during the measurement.
    await owner.query('checkpoint')
  })
}

/** Returns the SQL of an id that grows with n, like a UUIDv7. `group` keeps the ids of different kinds of rows apart. */
export const uuidOf = (n: string, group: string): string =>
  `('01900000-' || lpad(to_hex(${n} >> 16), 4, '0') || '-7' || lpad(to_hex(((${n} >> 4) & 4095)::int), 3, '0') || '-8${group}' || lpad(to_hex((${n} & 15)::int), 2, '0') || '-000000000000')::uuid`

/** Returns the SQL of the session id of the n-th loaded transfer. */
export const sessionOf = (n: string): string => `lpad(${n}::text, 30, '9')`

export const timeOf = `now() - ($5::bigint - n) * interval '1 second'`

const paymentsSql = `
  insert into payment (lane, tenant_id, reference, id, kind, ordinal, status, currency, amount, fee, bank_slug, bank_name,
    account_number, account_name, narration, session_id, created_at, updated_at, completed_at, submitted_at)
  select $1, $2, 'LOADED-' || n, ${uuidOf('n', '0')}, 'bank_transfer', n, 'SUCCESS', 'NGN', 1000, 1000,
         'guaranty-trust-bank', 'Guaranty Trust Bank', '0123456789', 'ADA OBI', 'Invoice 881', ${sessionOf('n')},
         ${timeOf}, ${timeOf}, ${timeOf}, ${timeOf}
    from generate_series($3::bigint, $4::bigint) as n`

const movementsSql = `
  insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry,
    balance_after, created_at)
  select $1, $2, case step.kind when 'hold' then ${uuidOf('n', '1')} when 'payout' then ${uuidOf('n', '2')} else ${uuidOf('n', '3')} end,
         'NGN', step.debit, step.credit, step.amount, step.kind, ${uuidOf('n', '0')}, 'LOADED-' || n,
         case when step.kind = 'hold' then n + 1 end,
         case when step.kind = 'hold' then 100000000000 - n * 2000 end, ${timeOf}
    from generate_series($3::bigint, $4::bigint) as n
    cross join (values ('hold', 'available', 'reserved', 2000), ('payout', 'reserved', 'rail', 1000), ('payout_fee', 'reserved', 'fees', 1000))
      as step (kind, debit, credit, amount)`

const totalsSql = `
  update ledger_account a
     set debits = a.debits + v.debits, credits = a.credits + v.credits, movements = a.movements + v.movements, touched_at = now()
    from (values ('available', $3::bigint * 2000, 0::bigint, $3::bigint), ('reserved', $3 * 2000, $3 * 2000, $3 * 3),
                 ('rail', 0, $3 * 1000, $3), ('fees', 0, $3 * 1000, $3)) as v (name, debits, credits, movements)
   where a.lane = $1 and a.tenant_id = $2 and a.name = v.name`
