// SQL that archives ledger movements by month. It writes the seal of a month (its sums and digests, which stay in the
// database), moves the rows out of the table and back (platform/db/months.ts), and reads the seals. The tables of seals
// are small: a handful of rows per tenant and month.

import type { Tenant } from '#platform/context.ts'
import { statement, type InLane, type Queryable, arraysOf, type Tx } from '#platform/db/db.ts'
import {
  sealsIn,
  lineOf,
  monthsOf,
  oldestIn,
  rowsOf,
  textsOf,
  type SealHead,
  tenantsIn,
  type MonthlyRows,
} from '#platform/db/months.ts'
import { hourMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'
import { straysOf, type ArchivedEntries, type Strays } from './archived.ts'
import { firstIdAt } from './chunks.ts'
import { type CauseList, causes } from './chart.ts'
import { pageOf, scanPages, type ScanPage, type TableScan } from './table-scan.ts'
import type { AccountPart, AccountTotals } from './verify-queries.ts'

export { lanesWithRows } from './verify-queries.ts'

/** Reads the sealed months of a lane, the oldest first. */
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

/** Returns undefined if all entries of this tenant are in the table. */
export async function findArchivedEntries(
  db: Queryable,
  { lane, id }: Tenant,
  currency: string,
): Promise<ArchivedEntries | undefined> {
  const [row] = await db.query<{ through: bigint; balance: Money; until: Date }>(archivedEntries, [lane, id, currency])
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

export const sealedSums = (walk: TableScan): AsyncGenerator<ScanPage<AccountPart>> => scanPages(sumsOf, '', walk)

const strays = statement(
  'ledger.verify_strays',
  straysOf({ table: 'ledger_movement', key: 'id', columns: 'created_at', seals: 'ledger_archive' }),
)

export const strayPages = (walk: TableScan, first: Uuid): AsyncGenerator<ScanPage<Strays>> =>
  scanPages(strays, first, walk)

const movementColumns = [
  ['tenant_id', 'uuid'],
  ['id', 'uuid'],
  ['currency', 'text'],
  ['debit', 'text'],
  ['credit', 'text'],
  ['amount', 'bigint'],
  ['kind', 'text'],
  ['source_id', 'uuid'],
  ['reference', 'text'],
  ['entry', 'bigint'],
  ['balance_after', 'bigint'],
  ['created_at', 'timestamptz'],
] as const

const months = monthsOf({
  name: 'ledger',
  table: 'ledger_movement',
  columns: movementColumns,
  key: ['tenant_id', 'id'],
  seals: 'ledger_archive',
})

const findOldest = oldestIn(
  'ledger.oldest_movement',
  'select created_at from ledger_movement where lane = $1 and tenant_id = t.id order by id',
)

const linesOf = statement(
  'ledger.archive_lines',
  `select id, ${lineOf(movementColumns)} as line from ledger_movement
    where lane = $1 and tenant_id = $2 and id > $3 and id < $4 and created_at >= $5 and created_at < $6 order by id limit $7`,
)

type MovementLine = { id: Uuid; line: string }
type LinesQuestion = { after: Uuid; before: Uuid; since: Date; until: Date; limit: number }

function readLines(
  lane: InLane,
  tenantId: Uuid,
  { after, before, since, until, limit }: LinesQuestion,
): Promise<MovementLine[]> {
  return lane.query<MovementLine>(linesOf, [lane.lane, tenantId, after, before, since, until, limit])
}

const digestsOf = statement(
  'ledger.archive_digests',
  `with file as materialized (${rowsOf(movementColumns, '$2')})
   select $1::smallint as lane, tenant_id as "tenantId", cause, count(*) as count, sum(hashtextextended(text, 0)::numeric)::text as digest
     from (${Object.entries(causes)
       .map(
         ([cause, { where, sealedText }]) =>
           `select tenant_id, '${cause}' as cause, ${sealedText} as text from file where ${where}`,
       )
       .join(' union all ')}) as moved
    group by tenant_id, cause`,
)

export type CauseDigest = { tenantId: Uuid; cause: CauseList; count: bigint; digest: string }

export function readDigests(lane: InLane, lines: string[]): Promise<CauseDigest[]> {
  return lane.query<CauseDigest>(digestsOf, [lane.lane, textsOf(lines)])
}

const insertSums = statement(
  'ledger.archive_seal_sums',
  `insert into ledger_archive_sum
     (lane, tenant_id, currency, name, until, debits, credits, movements, last_entry, balance_after)
   select $1, v.tenant_id, v.currency, v.name, $2, v.debits, v.credits, v.movements, v.last_entry, v.balance_after
     from unnest($3::uuid[], $4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::bigint[], $9::bigint[], $10::bigint[])
       as v (tenant_id, currency, name, debits, credits, movements, last_entry, balance_after)`,
)
const insertDigests = statement(
  'ledger.archive_seal_digests',
  `insert into ledger_archive_digest (lane, tenant_id, cause, until, count, digest)
   select $1, v.tenant_id, v.cause, $2, v.count, v.digest
     from unnest($3::uuid[], $4::text[], $5::bigint[], $6::numeric[]) as v (tenant_id, cause, count, digest)`,
)

/**
 * The totals of a month on an account; for `available` also the number of its last entry and the balance after it.
 */
export type SealedSum = Omit<AccountTotals, 'touchedAt'> & {
  lastEntry: bigint | null
  balanceAfter: bigint | null
}

type NewSeal = SealHead & {
  sums: SealedSum[]
  digests: CauseDigest[]
}

/** Returns false if the month was already sealed. */
export async function insertSeal(tx: Tx, { sums, digests, ...head }: NewSeal): Promise<boolean> {
  if (!(await months.insertSeal(tx, head))) return false
  const { until } = head
  const columns = arraysOf(
    sums,
    'tenantId',
    'currency',
    'name',
    'debits',
    'credits',
    'movements',
    'lastEntry',
    'balanceAfter',
  )
  tx.send(insertSums, [tx.lane, until, ...columns])
  tx.send(insertDigests, [tx.lane, until, ...arraysOf(digests, 'tenantId', 'cause', 'count', 'digest')])
  return true
}

const sumsOfSeal = statement(
  'ledger.archive_sums_of_seal',
  `select tenant_id as "tenantId", currency, name, debits::text, credits::text, movements, last_entry as "lastEntry",
          balance_after as "balanceAfter"
     from ledger_archive_sum where lane = $1 and until = $2`,
)
const digestsOfSeal = statement(
  'ledger.archive_digests_of_seal',
  'select tenant_id as "tenantId", cause, count, digest::text from ledger_archive_digest where lane = $1 and until = $2',
)

type SumRow = Omit<SealedSum, 'debits' | 'credits'> & { debits: string; credits: string }

export async function readSealed(lane: InLane, until: Date): Promise<Pick<NewSeal, 'sums' | 'digests'>> {
  const values = [lane.lane, until]
  const [sums, digests] = await Promise.all([
    lane.query<SumRow>(sumsOfSeal, values),
    lane.query<CauseDigest>(digestsOfSeal, values),
  ])
  const numbered = sums.map((sum) => ({ ...sum, debits: BigInt(sum.debits), credits: BigInt(sum.credits) }))
  return { sums: numbered, digests }
}

const lastEntry = statement(
  'ledger.archive_last_entry',
  `select last_entry as through, balance_after as balance from ledger_archive_sum
    where lane = $1 and tenant_id = $2 and currency = $3 and name = 'available' and until <= $4 order by until desc limit 1`,
)

/**
 * The last entry before a month ended, and the balance after it, from the seals. Undefined if there was no entry yet.
 */
export async function findLastEntry(
  lane: InLane,
  { tenantId, currency, until }: { tenantId: Uuid; currency: string; until: Date },
): Promise<{ through: bigint; balance: bigint } | undefined> {
  const values = [lane.lane, tenantId, currency, until]
  return (await lane.query<{ through: bigint; balance: bigint }>(lastEntry, values))[0]
}

const dropSums = statement('ledger.archive_drop_sums', 'delete from ledger_archive_sum where lane = $1 and until = $2')
const dropDigests = statement(
  'ledger.archive_drop_digests',
  'delete from ledger_archive_digest where lane = $1 and until = $2',
)

function dropSeal(tx: Tx, until: Date): void {
  for (const what of [dropSums, dropDigests]) tx.send(what, [tx.lane, until])
  months.dropSeal(tx, until)
}

/** After a seal is dropped, the rows of its month are read from the table again. */
const carrying = { ...months, columns: movementColumns, dropSeal, findOldest, readSeals }

/**
 * How far an id may be ahead of the date of its movement. If the clocks of the processes agree, it is ahead by
 * milliseconds (see `newUuid`). This allows much more, because a file must miss no movement.
 */
const idAheadMsMax = hourMs

async function* movementLines(
  lane: InLane,
  { since, until }: { since: Date; until: Date },
  linesAtOnce: number,
): AsyncGenerator<string[]> {
  const before = firstIdAt(new Date(until.getTime() + idAheadMsMax))
  for await (const tenantId of tenantsIn(lane)) {
    for (let after = firstIdAt(since); ;) {
      const rows = await readLines(lane, tenantId, { after, before, since, until, limit: linesAtOnce })
      if (rows.length > 0) yield rows.map(({ line }) => line)
      const last = rows.at(-1)
      if (last === undefined || rows.length < linesAtOnce) break
      after = last.id
    }
  }
}

export const monthlyMovements: MonthlyRows = { ...carrying, lines: movementLines }
