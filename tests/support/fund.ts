// Puts money into a production balance as if it had come in: a balance, and the movement that explains it.

import type { Uuid } from '#platform/ids.ts'
import type { TestDatabase } from './database.ts'
import { asOwner } from './owner.ts'

export async function fundTenant(database: TestDatabase, id: Uuid, kobo: number): Promise<void> {
  await asOwner(
    database,
    `update ledger_account set credits = ${kobo}, movements = 1 where tenant_id = '${id}' and name = 'available';
     update ledger_account set debits = ${kobo}, movements = 1 where tenant_id = '${id}' and name = 'opening';
     insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry, balance_after, created_at)
     values (1, '${id}', '${id}', 'NGN', 'opening', 'available', ${kobo}, 'opening', '${id}', 'opening balance', 1, ${kobo}, now());`,
  )
}
