// The SQL that reads what is known of months of movements that are in files. The tables are small: a handful of rows for a
// tenant and month.

import type { Tenant } from '#base/context.ts'
import { statement, type InLane, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Kobo } from '#base/money.ts'
import { sealsIn } from '#base/months.ts'
import { straysOf, type ArchivedEntries, type Strays } from './archived.ts'
import type { AccountPart } from './sql-verify.ts'
import { pageOf, pages, type Page, type Walk } from './walk.ts'

/** The months of a lane that are sealed, the oldest first. */
export const readSeals = sealsIn('ledger.seals', 'ledger_archive')

const lastSeal = statement('ledger.sealed_until', 'select max(until) as until from ledger_archive where lane = $1')

export async function readSealedUntil(lane: InLane): Promise<Date | undefined> {
  const [row] = await lane.query<{ until: Date | null }>(lastSeal, [lane.lane])
  return row?.until ?? undefined
}

const archivedEntries = statement(
  'ledger.archived_entries',
  `select last_entry as through, balance_after as balance,
          (select max(until) from ledger_archive where lane = $1) as until
     from ledger_archive_sum s
    where lane = $1 and tenant_id = $2 and currency = $3 and name = 'available' order by s.until desc limit 1`,
)

/** Undefined: all that this tenant ever had is in the table. */
export async function findArchivedEntries(
  db: Queryable,
  { lane, id }: Tenant,
  currency: string,
): Promise<ArchivedEntries | undefined> {
  const [row] = await db.query<{ through: bigint; balance: Kobo; until: Date }>(archivedEntries, [lane, id, currency])
  return row
}

const sumsOf = statement(
  'ledger.verify_sealed_sums',
  pageOf({
    table: 'ledger_archive_sum',
    key: 'currency',
    columns: 'name, debits, credits, movements',
    parts: `
      select tenant_id as "tenantId", currency, name, sum(debits)::text as debits, sum(credits)::text as credits,
             sum(movements)::bigint as movements
        from page group by tenant_id, currency, name`,
  }),
)

/** What all sealed months of some tenants moved on their accounts. */
export const sealedSums = (walk: Walk): AsyncGenerator<Page<AccountPart>> => pages(sumsOf, '', walk)

const strays = statement(
  'ledger.verify_strays',
  straysOf({ table: 'ledger_movement', key: 'id', columns: 'created_at', seals: 'ledger_archive' }),
)

export const strayPages = (walk: Walk, first: Uuid): AsyncGenerator<Page<Strays>> => pages(strays, first, walk)
