// The SQL of provider accounts: which rail has which account. A row is one mark of an account; a rail has several.

import type { Environment } from '#base/context.ts'
import { arrayOf, statement, type Tx } from '#base/db.ts'
import type { RailName } from '#rails/rail.ts'

const insertMarks = statement(
  'payments.note_provider_account',
  `insert into provider_account (environment, mark, rail, known_since)
   select $1, v.mark, $3, $4 from unnest($2::text[]) as v (mark) order by v.mark on conflict do nothing`,
)

/** Waits for other transactions that note the same marks. */
export function noteMarks(tx: Tx, { environment, rail }: RailName, marks: string[], at: Date): void {
  tx.send(insertMarks, [environment, arrayOf(marks, (mark) => mark), rail, at])
}

const selectMarks = statement(
  'payments.provider_accounts',
  'select mark, rail from provider_account where environment = $1 order by mark limit 10000',
)

export type KnownMark = { mark: string; rail: string }

/** All of an environment: there are a few for each rail that was ever configured. */
export function findMarks(tx: Tx, environment: Environment): Promise<KnownMark[]> {
  return tx.query<KnownMark>(selectMarks, [environment])
}
