// Writes customers with an account each, and many deposits, for scenarios with a large table.

import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { depositReference } from '#deposits/deposit.ts'
import { asOwner } from './owner.ts'
import type { Rig } from './scenario.ts'
import { rowsPerStatement, timeOf, uuidOf } from './tenant.ts'

const firstNumber = 2_000_000_000

/** The account of the customer BENCH-`index`, counted from 1. */
export function accountNumberOf(index: number): string {
  return String(firstNumber + index)
}

/** Writes this many customers, each with a static account. */
export async function loadAccounts({ ownerUrl }: Rig, tenant: Tenant, count: number): Promise<void> {
  await asOwner(ownerUrl, async (owner) => {
    const values = [tenant.lane, tenant.id, count]
    await owner.query(customersSql, values)
    await owner.query(accountsSql, values)
    await owner.query(numbersSql, [...values, tenant.environment])
    await owner.query('vacuum (analyze) customer, virtual_account, virtual_account_number')
  })
}

const serialOf = `n + ${firstNumber}::bigint`

const customersSql = `
  insert into customer (lane, tenant_id, reference, id, ordinal, first_name, last_name, status, created_at, updated_at)
  select $1, $2, 'BENCH-' || n, ${uuidOf('n', '4')}, n, 'ADA', 'OBI', 'ACTIVE', now(), now()
    from generate_series(1, $3::bigint) as n`

const accountsSql = `
  insert into virtual_account (lane, tenant_id, account_number, id, ordinal, type, reference, account_name, bank_name,
    bank_slug, currency, status, customer_id, customer_reference, created_at, updated_at)
  select $1, $2, ${serialOf}, ${uuidOf('n', '5')}, n, 'static', 'BENCH-' || n, 'ADA OBI', 'Wema Bank', 'wema-bank', 'NGN',
         'ACTIVE', ${uuidOf('n', '4')}, 'BENCH-' || n, now(), now()
    from generate_series(1, $3::bigint) as n`

const numbersSql = `
  insert into virtual_account_number (lane, tenant_id, environment, account_number, rail)
  select $1, $2, $4, ${serialOf}, 'simulator' from generate_series(1, $3::bigint) as n`

/** Returns the id of the n-th loaded transfer or deposit: the same id that `uuidOf` computes in SQL. */
export function loadedId(n: number): Uuid {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  return `01900000-${hex(n >> 16, 4)}-7${hex((n >> 4) & 4_095, 3)}-80${hex(n & 15, 2)}-000000000000` as Uuid
}

export function loadedReference(n: number): string {
  return depositReference(loadedId(n))
}

/**
 * Writes successful deposits with their movements and totals as the service would, so that `ledger verify` finds them
 * right. Each deposit has an amount of 1 000 and a fee of 10, and is a second later than the one before it. The
 * deposits are spread evenly over the accounts.
 */
export async function loadDeposits(
  rig: Rig,
  tenant: Tenant,
  { deposits, accounts }: { deposits: number; accounts: number },
  say: (text: string) => void,
): Promise<void> {
  await loadAccounts(rig, tenant, accounts)
  await asOwner(rig.ownerUrl, async (owner) => {
    for (let from = 1; from <= deposits; from += rowsPerStatement) {
      const to = Math.min(deposits, from + rowsPerStatement - 1)
      const values = [tenant.lane, tenant.id, from, to, deposits]
      await owner.query(depositsSql, [...values, accounts])
      await owner.query(movementsSql, values)
      say(`loaded ${to.toLocaleString('en')} of ${deposits.toLocaleString('en')} deposits …`)
    }
    await owner.query(totalsSql, [tenant.lane, tenant.id, deposits])
    await owner.query('vacuum (analyze) deposit, ledger_movement')
    // Writes the loaded pages to disk now, so that PostgreSQL does not do it during the measurement.
    await owner.query('checkpoint')
  })
}

const depositsSql = `
  insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number,
    account_name, bank_name, customer_reference, sender_account_name, sender_account_number, sender_bank_name, narration,
    paid_at, created_at, updated_at)
  select $1, $2, ${uuidOf('n', '0')}, n, 'SUCCESSFUL', 'NGN', 1000, 10, 'simulator', 'LOADED-' || n,
         n % $6::bigint + 1 + ${firstNumber}::bigint, 'ADA OBI', 'Wema Bank', 'BENCH-' || (n % $6 + 1), 'CHIDI NWOSU',
         '0123456789', 'Guaranty Trust Bank', 'Invoice 881', ${timeOf}, ${timeOf}, ${timeOf}
    from generate_series($3::bigint, $4::bigint) as n`

const movementsSql = `
  insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry,
    balance_after, created_at)
  select $1, $2, case step.kind when 'deposit' then ${uuidOf('n', '1')} else ${uuidOf('n', '2')} end, 'NGN', step.debit,
         step.credit, step.amount, step.kind, ${uuidOf('n', '0')}, 'LOADED-' || n, 2 * n + step.place,
         100000000000 + n * 990 + step.ahead, ${timeOf}
    from generate_series($3::bigint, $4::bigint) as n
    cross join (values ('deposit', 'rail', 'available', 1000, 0, 10), ('deposit_fee', 'available', 'fees', 10, 1, 0))
      as step (kind, debit, credit, amount, place, ahead)`

const totalsSql = `
  update ledger_account a
     set debits = a.debits + v.debits, credits = a.credits + v.credits, movements = a.movements + v.movements, touched_at = now()
    from (values ('available', $3::bigint * 10, $3::bigint * 1000, $3::bigint * 2), ('rail', $3 * 1000, 0, $3),
                 ('fees', 0, $3 * 10, $3)) as v (name, debits, credits, movements)
   where a.lane = $1 and a.tenant_id = $2 and a.name = v.name`
