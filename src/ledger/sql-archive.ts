// The SQL that carries a month of movements into a file and out of the table, and back (base/months.ts), and that seals what
// the books need to know of it.

import { arraysOf, statement, type InLane, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { lineOf, monthsOf, oldestIn, rowsOf, textsOf, type SealHead } from '#base/months.ts'
import { causes, type Cause } from './causes.ts'
import { readSeals } from './sql-seals.ts'
import type { AccountTotals } from './sql-verify.ts'

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

export type Line = { id: Uuid; line: string }
export type LinesQuestion = { after: Uuid; before: Uuid; since: Date; until: Date; limit: number }

/** Movements that are dated in a month, by their ids. */
export function readLines(
  lane: InLane,
  tenantId: Uuid,
  { after, before, since, until, limit }: LinesQuestion,
): Promise<Line[]> {
  return lane.query<Line>(linesOf, [lane.lane, tenantId, after, before, since, until, limit])
}

const digestsOf = statement(
  'ledger.archive_digests',
  `with file as materialized (${rowsOf(movementColumns, '$2')})
   select $1::smallint as lane, tenant_id as "tenantId", cause, count(*) as count, sum(hashtextextended(text, 0)::numeric)::text as digest
     from (${Object.entries(causes)
       .map(
         ([cause, { where, text }]) =>
           `select tenant_id, '${cause}' as cause, ${text} as text from file where ${where}`,
       )
       .join(' union all ')}) as moved
    group by tenant_id, cause`,
)

export type SealedDigest = { tenantId: Uuid; cause: Cause; count: bigint; digest: string }

/** What these lines come to when they are held against what caused them. */
export function readDigests(lane: InLane, lines: string[]): Promise<SealedDigest[]> {
  return lane.query<SealedDigest>(digestsOf, [lane.lane, textsOf(lines)])
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

/** What a month moved on an account; of `available` also its last entry, and the balance that it left. */
export type SealedSum = Omit<AccountTotals, 'touchedAt'> & {
  lastEntry: bigint | null
  balanceAfter: bigint | null
}

type NewSeal = SealHead & {
  sums: SealedSum[]
  digests: SealedDigest[]
}

/** Says whether it was not sealed already. */
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

/** What a seal says of its month. */
export async function readSealed(lane: InLane, until: Date): Promise<Pick<NewSeal, 'sums' | 'digests'>> {
  const values = [lane.lane, until]
  const [sums, digests] = await Promise.all([
    lane.query<SumRow>(sumsOfSeal, values),
    lane.query<SealedDigest>(digestsOfSeal, values),
  ])
  const numbered = sums.map((sum) => ({ ...sum, debits: BigInt(sum.debits), credits: BigInt(sum.credits) }))
  return { sums: numbered, digests }
}

const lastEntry = statement(
  'ledger.archive_last_entry',
  `select last_entry as through, balance_after as balance from ledger_archive_sum
    where lane = $1 and tenant_id = $2 and currency = $3 and name = 'available' and until <= $4 order by until desc limit 1`,
)

/** Where a statement stood when a month ended, as the seals up to then say. Undefined: it had not begun. */
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

/** How a month is taken out and brought back; when its seal is dropped, the table speaks for it again. */
export const carrying = { ...months, columns: movementColumns, dropSeal, findOldest, readSeals }
