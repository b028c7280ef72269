// The SQL that carries a month of movements into a file and out of the table, and back. A row of the file is a line of JSON
// that PostgreSQL makes of the row, so that a row is the same as its line exactly when the texts are.

import { arrayOf, arraysOf, statement, type InLane, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { causes, type Cause } from './causes.ts'
import type { Seal } from './sql-seals.ts'
import type { AccountTotals } from './sql-verify.ts'

/** In the order of a line. Numbers are texts in it, as JSON's own would be read as doubles; times are in UTC, to the microsecond. */
export const movementColumns = [
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

const shown = { uuid: '::text', text: '', bigint: '::text', timestamptz: ` at time zone 'UTC'` } as const
const lineOfRow = `json_build_array(${movementColumns.map(([name, type]) => name + shown[type]).join(', ')})::text`
const names = movementColumns.map(([name]) => name).join(', ')
const valuesOfLine = movementColumns
  .map(([name, type], at) => {
    const value = `(l ->> ${at})::${type === 'timestamptz' ? `timestamp at time zone 'UTC'` : type}`
    return `${value} as ${name}`
  })
  .join(', ')
const rowsOfLines = `select ${valuesOfLine} from unnest($2::text[]) as line cross join lateral (select line::json as l) as parsed`

const oldest = statement(
  'ledger.oldest_movement',
  `select min(first.created_at) as at from tenant t cross join lateral (
     select created_at from ledger_movement where lane = $1 and tenant_id = t.id order by id limit 1) as first
    where t.lane = $1`,
)

/** The date of the oldest movement of a lane that is in the table. */
export async function findOldest(lane: InLane): Promise<Date | undefined> {
  const [row] = await lane.query<{ at: Date | null }>(oldest, [lane.lane])
  return row?.at ?? undefined
}

const tenantsOf = statement(
  'ledger.archive_tenants',
  'select id from tenant where lane = $1 and id > $2 order by id limit $3',
)

export async function findTenants(lane: InLane, after: Uuid, limit: number): Promise<Uuid[]> {
  return (await lane.query<{ id: Uuid }>(tenantsOf, [lane.lane, after, limit])).map(({ id }) => id)
}

const linesOf = statement(
  'ledger.archive_lines',
  `select id, ${lineOfRow} as line from ledger_movement
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
  `with file as materialized (${rowsOfLines})
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
  return lane.query<SealedDigest>(digestsOf, [lane.lane, arrayOf(lines, (line) => line)])
}

// Locked rows stay in place, so they can be deleted where they lie.
const removal = statement(
  'ledger.archive_remove',
  `with file as materialized (select * from unnest($2::uuid[], $3::uuid[], $4::text[]) as f (tenant_id, id, line)),
   found as materialized (
     select m.row_place, f.id, m.line = f.line as is_same from file f cross join lateral (
       select ctid as row_place, ${lineOfRow} as line from ledger_movement
        where lane = $1 and tenant_id = f.tenant_id and id = f.id limit 1 for update) as m),
   removed as (
     delete from ledger_movement where lane = $1 and ctid = any(array(select row_place from found where is_same)) returning 1)
   select (select count(*) from removed) as removed,
          (select (array_agg(id::text order by id))[1:10] from found where not is_same) as differing`,
)

export type Removal = { removed: bigint; differing: Uuid[] | null }

type KeyedLine = { tenantId: Uuid; id: Uuid; line: string }

/** Takes rows out of the table that are as their lines say; `differing` are not, and stay. Those that are gone are gone. */
export async function removeLines(tx: Tx, lines: KeyedLine[]): Promise<Removal> {
  const [row] = await tx.query<Removal>(removal, [tx.lane, ...arraysOf(lines, 'tenantId', 'id', 'line')])
  return row ?? { removed: 0n, differing: null }
}

const back = statement(
  'ledger.archive_bring_back',
  `insert into ledger_movement (lane, ${names}) select $1, ${names} from (${rowsOfLines}) as file on conflict do nothing`,
)

const matching = statement(
  'ledger.archive_matching',
  `select count(*) as count from unnest($2::uuid[], $3::uuid[], $4::text[]) as f (tenant_id, id, line)
    cross join lateral (
      select ${lineOfRow} as line from ledger_movement where lane = $1 and tenant_id = f.tenant_id and id = f.id limit 1) as m
    where m.line = f.line`,
)

/** Puts rows back into the table; resolves with how many of them are there now, exactly as their lines say. */
export async function bringBackLines(tx: Tx, lines: KeyedLine[]): Promise<bigint> {
  tx.send(back, [tx.lane, arrayOf(lines, ({ line }) => line)])
  const [row] = await tx.query<{ count: bigint }>(matching, [tx.lane, ...arraysOf(lines, 'tenantId', 'id', 'line')])
  return row?.count ?? 0n
}

const insertSealRow = statement(
  'ledger.archive_seal',
  `insert into ledger_archive (lane, until, since, rows, digest, previous, sealed_at) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict do nothing returning 1`,
)
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

export type NewSeal = Pick<Seal, 'since' | 'until' | 'rows' | 'digest' | 'previous' | 'sealedAt'> & {
  sums: SealedSum[]
  digests: SealedDigest[]
}

/** Says whether it was not sealed already. */
export async function insertSeal(tx: Tx, { sums, digests, ...seal }: NewSeal): Promise<boolean> {
  const { since, until, rows, digest, previous, sealedAt } = seal
  const inserted = await tx.query(insertSealRow, [tx.lane, until, since, rows, digest, previous, sealedAt])
  if (inserted.length === 0) return false
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

const moveOn = statement(
  'ledger.archive_removed',
  `update ledger_archive set removed = $3, removed_at = $4 where lane = $1 and until = $2`,
)

/** How many rows of its file are out of the table; `at`: since when all are. */
export function noteRemoved(tx: Tx, until: Date, removed: bigint, at: Date | null): void {
  tx.send(moveOn, [tx.lane, until, removed, at])
}

const lockSeal = statement(
  'ledger.archive_lock_seal',
  'select removed, digest from ledger_archive where lane = $1 and until = $2 for update',
)

export async function lockSealOf(tx: Tx, until: Date): Promise<Pick<Seal, 'removed' | 'digest'> | undefined> {
  return (await tx.query<Pick<Seal, 'removed' | 'digest'>>(lockSeal, [tx.lane, until]))[0]
}

const dropSums = statement('ledger.archive_drop_sums', 'delete from ledger_archive_sum where lane = $1 and until = $2')
const dropDigests = statement(
  'ledger.archive_drop_digests',
  'delete from ledger_archive_digest where lane = $1 and until = $2',
)
const dropRow = statement('ledger.archive_drop', 'delete from ledger_archive where lane = $1 and until = $2')

/** The table speaks for this month again. */
export function dropSeal(tx: Tx, until: Date): void {
  for (const what of [dropSums, dropDigests, dropRow]) tx.send(what, [tx.lane, until])
}
