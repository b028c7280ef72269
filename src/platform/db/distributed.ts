// Translates statements for a PostgreSQL whose tables Citus distributes over machines by lane
// (docs/adr/0031-lanes-over-machines.md). Citus sends a statement to one machine as a whole only if it sees the lane.
// Two forms of our statements hide the lane, and those are rewritten. On plain PostgreSQL no statement changes.
// postgres/migrations/distribute.ts decides which table is on which machine.

import type pg from 'pg'
import { run, translateStatements, statement } from './statement.ts'

/** One row for each possible lane. A join to it shows Citus to which machine a row belongs. */
export const laneTable = 'citus_lane'

// The transaction that distributes the other tables creates this table, so it exists exactly when they are distributed.
const find = statement('base.is_distributed', `select to_regclass('${laneTable}') is not null as "isDistributed"`)

export async function translateIfDistributed(client: pg.ClientBase): Promise<boolean> {
  const [row] = await run<{ isDistributed: boolean }>(client, find, [])
  const isDistributed = row?.isDistributed === true
  if (isDistributed) translateStatements(client, distributedText)
  return isDistributed
}

const translated = new Map<string, string>()

export function distributedText(text: string): string {
  const known = translated.get(text)
  if (known !== undefined) return known
  const made = withPlacesInLane(withLaneOfRows(text))
  translated.set(text, made)
  return made
}

// `is not distinct from` keeps a cached plan from scanning the lane (docs/adr/0019-plans-that-are-kept.md), but hides
// the lane from Citus. Citus plans each statement with its values, so there a plain equality does not lead to such a
// scan. The ctids become an array.
const joinedByPlace = /\b(\w+)\.lane is not distinct from \$1 and \1\.ctid = (\w+)\.(\w+)/g
const anyPlace = /\blane is not distinct from \$1 and ctid = any\(/g

function withPlacesInLane(text: string): string {
  return text
    .replaceAll(joinedByPlace, '$1.lane = $$1 and $1.ctid = any(array(select $3 from $2)) and $1.ctid = $2.$3')
    .replaceAll(anyPlace, 'lane = $$1 and ctid = any(')
}

// Rows that come as parameters lie on no machine, so Citus would send each row to its machine and use two-phase commit.
// A join to the row of their lane keeps the whole statement on the machine of that lane. The two excluded tables are
// not distributed by lane.
const rowsOfLane =
  /^(\s*insert into (?!provider_notice\b|virtual_account_number\b)\w+\s*\(lane, [^)]*\)\s*select) \$1,([\s\S]*?)\bfrom /

function withLaneOfRows(text: string): string {
  if (!rowsOfLane.test(text)) return text
  return text
    .replace(rowsOfLane, `$1 home.lane,$2from (select lane from ${laneTable} where lane = $$1) as home cross join `)
    .replaceAll('group by ', (found, at: number, whole: string) =>
      isOutermost(whole, at) ? `${found}home.lane, ` : found,
    )
}

/** A `group by` in brackets belongs to a subquery, which does not see the row of the lane. */
function isOutermost(text: string, at: number): boolean {
  const before = text.slice(0, at)
  return before.split('(').length === before.split(')').length
}
