// The SQL that reads what is known of months of movements that are in files. The tables are small: a handful of rows for a
// tenant and month.

import type { Tenant } from '#base/context.ts'
import { statement, type InLane, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Kobo } from '#base/money.ts'
import type { ArchivedEntries } from './archived.ts'
import type { AccountPart } from './sql-verify.ts'
import { pageOf, pages, type Page, type Walk } from './walk.ts'

/** A month of a lane, as it is sealed. */
export type Seal = {
  since: Date
  until: Date
  rows: bigint
  /** So many rows of its file are out of the table, from the first on. */
  removed: bigint
  digest: Buffer
  previous: Buffer | null
  sealedAt: Date
  removedAt: Date | null
}

const sealsOf = statement(
  'ledger.seals',
  `select since, until, rows, removed, digest, previous, sealed_at as "sealedAt", removed_at as "removedAt"
     from ledger_archive where lane = $1 order by until`,
)

/** The oldest first. */
export function readSeals(lane: InLane): Promise<Seal[]> {
  return lane.query<Seal>(sealsOf, [lane.lane])
}

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

const strayOf = statement(
  'ledger.verify_strays',
  pageOf({
    table: 'ledger_movement',
    key: 'id',
    columns: 'created_at',
    parts: `
      select tenant_id as "tenantId", count(*) as count, (array_agg(id::text order by id))[1:100] as ids
        from page
       where created_at < (select coalesce(max(until), '-infinity') from ledger_archive where lane = $1 and removed_at is not null)
       group by tenant_id`,
  }),
)

export type Strays = { tenantId: Uuid; count: bigint; ids: Uuid[] }

/** Movements in the table that are dated in a month whose rows were all taken out. */
export const strayPages = (walk: Walk, first: Uuid): AsyncGenerator<Page<Strays>> => pages(strayOf, first, walk)
