// The SQL of deposits that somebody looks after.

import type { Environment } from '#base/context.ts'
import { statement, type InLane } from '#base/db.ts'
import type { Deposit } from './deposit.ts'
import { depositColumnsOf } from './sql.ts'

// Found without a lock, and decided under that of the tenant: deposits change under it alone (sql.ts).
const dueRows = statement(
  'deposits.find_due',
  `with due as materialized (
     select * from deposit where lane = $1 and due_at <= $2 order by due_at limit $3)
   select ${depositColumnsOf('due')}, t.environment
     from due cross join lateral (select environment from tenant where lane = $1 and id = due.tenant_id limit 1) as t`,
)

export type Due = Deposit & { environment: Environment }

export function findDueDeposits(db: InLane, now: Date, limit: number): Promise<Due[]> {
  return db.query<Due>(dueRows, [db.lane, now, limit])
}

// The index of failed ones alone: a static account may have had any number of payments since.
const lastFailedRow = statement(
  'deposits.last_failed',
  `select ${depositColumnsOf('d')} from deposit d
    where d.lane = $1 and d.tenant_id = $2 and d.account_number = $3 and d.account_number <> '' and d.status = 'FAILED'
      and (d.account_number, d.ordinal) > ($3, 0) and d.ordinal > 0
    order by d.account_number desc, d.ordinal desc limit 1`,
)

export async function findLastFailed(
  db: InLane,
  { tenantId, accountNumber }: PaidNumber,
): Promise<Deposit | undefined> {
  return (await db.query<Deposit>(lastFailedRow, [db.lane, tenantId, accountNumber]))[0]
}

export type PaidNumber = Pick<Deposit, 'tenantId' | 'accountNumber'>
