// On a PostgreSQL whose tables Citus spreads over machines by lane (docs/adr/0031-lanes-over-machines.md). A statement must go
// to one machine as a whole, and Citus recognises fewer forms than PostgreSQL in which it says its lane. Those of ours that it
// does not see through are put differently there, all in the same two ways; on PostgreSQL alone no text changes.

import type pg from 'pg'
import { run, speakTo, statement } from './statement.ts'

/** One row for each number that a lane can have: what a row is put beside, so that Citus sees where it belongs. */
export const laneTable = 'citus_lane'

// The table is made in the transaction that spreads the others, so it is there when they are.
const find = statement('base.is_distributed', `select to_regclass('${laneTable}') is not null as "isDistributed"`)

/** Asks whether the database is spread, and makes the connection speak as that wants. */
export async function learnDialect(client: pg.ClientBase): Promise<boolean> {
  const [row] = await run<{ isDistributed: boolean }>(client, find, [])
  const isDistributed = row?.isDistributed === true
  if (isDistributed) speakTo(client, distributedText)
  return isDistributed
}

const translated = new Map<string, string>()

/** The same question, in the words in which Citus sends it to the one machine that has the lane. */
export function distributedText(text: string): string {
  const known = translated.get(text)
  if (known !== undefined) return known
  const made = withPlacesInLane(withLaneOfRows(text))
  translated.set(text, made)
  return made
}

// `is not distinct from` keeps a kept plan from walking the lane (docs/adr/0019-plans-that-are-kept.md), but hides the lane
// from Citus. There each statement is planned with its values, so the form for that is right: the places as an array, too.
const joinedByPlace = /\b(\w+)\.lane is not distinct from \$1 and \1\.ctid = (\w+)\.(\w+)/g
const anyPlace = /\blane is not distinct from \$1 and ctid = any\(/g

function withPlacesInLane(text: string): string {
  return text
    .replaceAll(joinedByPlace, '$1.lane = $$1 and $1.ctid = any(array(select $3 from $2)) and $1.ctid = $2.$3')
    .replaceAll(anyPlace, 'lane = $$1 and ctid = any(')
}

// Rows that come as parameters lie on no machine, so Citus would carry each to its own, and commit in two phases. Put beside
// the row of their lane, they lie where that one does. The two tables that say whose something is are of no lane.
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

/** Not inside a pair of brackets: what groups there is a question of its own, and knows nothing of the row of the lane. */
function isOutermost(text: string, at: number): boolean {
  const before = text.slice(0, at)
  return before.split('(').length === before.split(')').length
}
