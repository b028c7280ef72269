// SQL that archives events by month. It writes the seal of a month (its digests, which stay in the database), moves the
// rows out of the table and back (platform/db/months.ts), and reads the seals.

import { arraysOf, statement, type InLane, type Tx } from '#platform/db/db.ts'
import {
  lineOf,
  monthsOf,
  oldestIn,
  rowsOf,
  sealsIn,
  textsOf,
  type SealHead,
  archivedUntilIn,
  tenantsIn,
  type MonthlyRows,
} from '#platform/db/months.ts'
import { type Uuid, firstUuid } from '#platform/ids.ts'

const eventColumns = [
  ['tenant_id', 'uuid'],
  ['id', 'uuid'],
  ['source_id', 'uuid'],
  ['name', 'text'],
  ['reference', 'text'],
  ['data', 'text'],
  ['sample', 'boolean'],
  ['trace', 'text'],
  ['created_at', 'timestamptz'],
] as const

const months = monthsOf({
  name: 'events',
  table: 'event',
  columns: eventColumns,
  key: ['tenant_id', 'source_id', 'name'],
  seals: 'event_archive',
})

export const readSeals = sealsIn('events.seals', 'event_archive')

/**
 * The events that a verification compares with payments, and the text that it compares. The text must never change,
 * because the digests of sealed months were made of it.
 */
export const ofPayments = {
  where: `(name like 'transfer.%' or name like 'momo.%') and not sample`,
  text: `concat_ws(' ', source_id, name, reference)`,
}

// The condition on `created_at` is always true. It lets the planner use the partial index, which excludes nulls.
const findOldest = oldestIn(
  'events.oldest',
  `select created_at from event where lane = $1 and tenant_id = t.id and created_at > '-infinity' order by created_at`,
)

// The time is text, because a Date has no microseconds.
const linesOf = statement(
  'events.archive_lines',
  `select created_at::text as at, id, ${lineOf(eventColumns)} as line from event
    where lane = $1 and tenant_id = $2 and created_at >= $3::timestamptz and (created_at, id) > ($3::timestamptz, $4::uuid)
      and created_at < $5
    order by event.created_at, id limit $6`,
)

type Line = { at: string; id: Uuid; line: string }

function readLines(
  lane: InLane,
  tenantId: Uuid,
  { after, until, limit }: { after: { at: string; id: Uuid }; until: Date; limit: number },
): Promise<Line[]> {
  return lane.query<Line>(linesOf, [lane.lane, tenantId, after.at, after.id, until, limit])
}

const digestsOf = statement(
  'events.archive_digests',
  `with file as materialized (${rowsOf(eventColumns, '$2')})
   select $1::smallint as lane, tenant_id as "tenantId", count(*) as count,
          sum(hashtextextended(${ofPayments.text}, 0)::numeric)::text as digest
     from file where ${ofPayments.where} group by tenant_id`,
)

export type SealedDigest = { tenantId: Uuid; count: bigint; digest: string }

export function readDigests(lane: InLane, lines: string[]): Promise<SealedDigest[]> {
  return lane.query<SealedDigest>(digestsOf, [lane.lane, textsOf(lines)])
}

const insertDigests = statement(
  'events.archive_seal_digests',
  `insert into event_archive_digest (lane, tenant_id, until, count, digest)
   select $1, v.tenant_id, $2, v.count, v.digest from unnest($3::uuid[], $4::bigint[], $5::numeric[]) as v (tenant_id, count, digest)`,
)

/** Returns false if the month was already sealed. */
export async function insertSeal(
  tx: Tx,
  { digests, ...head }: SealHead & { digests: SealedDigest[] },
): Promise<boolean> {
  if (!(await months.insertSeal(tx, head))) return false
  tx.send(insertDigests, [tx.lane, head.until, ...arraysOf(digests, 'tenantId', 'count', 'digest')])
  return true
}

const digestsOfSeal = statement(
  'events.archive_digests_of_seal',
  'select tenant_id as "tenantId", count, digest::text from event_archive_digest where lane = $1 and until = $2',
)

export function readSealed(lane: InLane, until: Date): Promise<SealedDigest[]> {
  return lane.query<SealedDigest>(digestsOfSeal, [lane.lane, until])
}

const dropDigests = statement(
  'events.archive_drop_digests',
  'delete from event_archive_digest where lane = $1 and until = $2',
)

function dropSeal(tx: Tx, until: Date): void {
  tx.send(dropDigests, [tx.lane, until])
  months.dropSeal(tx, until)
}

export const archivedUntil = archivedUntilIn('event_archive')

async function* eventLines(
  lane: InLane,
  { since, until }: { since: Date; until: Date },
  linesAtOnce: number,
): AsyncGenerator<string[]> {
  for await (const tenantId of tenantsIn(lane)) {
    for (let after = { at: since.toISOString(), id: firstUuid }; ;) {
      const rows = await readLines(lane, tenantId, { after, until, limit: linesAtOnce })
      if (rows.length > 0) yield rows.map(({ line }) => line)
      const last = rows.at(-1)
      if (last === undefined || rows.length < linesAtOnce) break
      after = last
    }
  }
}

export const monthlyEvents: MonthlyRows = {
  ...months,
  columns: eventColumns,
  dropSeal,
  findOldest,
  readSeals,
  lines: eventLines,
}
