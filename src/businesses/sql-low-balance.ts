// SQL of the balance below which a business wants to be told. Its row is written under its tenant's lock alone.

import { statement, type InLane, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Kobo } from '#base/money.ts'

const select = statement('businesses.low_balance', 'select amount from low_balance where lane = $1 and tenant_id = $2')

export async function selectLowBalance(lane: InLane, tenantId: Uuid): Promise<Kobo | null> {
  const [row] = await lane.query<{ amount: Kobo }>(select, [lane.lane, tenantId])
  return row?.amount ?? null
}

const put = statement(
  'businesses.put_low_balance',
  `insert into low_balance (lane, tenant_id, amount) values ($1, $2, $3)
   on conflict (lane, tenant_id) do update set amount = excluded.amount`,
)

export function putLowBalance(tx: Tx, tenantId: Uuid, amount: Kobo): void {
  tx.send(put, [tx.lane, tenantId, amount])
}

const remove = statement('businesses.delete_low_balance', 'delete from low_balance where lane = $1 and tenant_id = $2')

export function deleteLowBalance(tx: Tx, tenantId: Uuid): void {
  tx.send(remove, [tx.lane, tenantId])
}
