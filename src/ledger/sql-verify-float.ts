// The SQL that proves the totals of the float books from their movements, a page a statement.

import { statement, type InLane } from '#base/db.ts'
import type { TotalRow } from './sql-float-totals.ts'

const sumsOfPage = statement(
  'ledger.verify_float',
  `with page as materialized (
     select lane, kind, subject, currency, debit, credit, amount, at from float_movement
      where environment = $1 and rail = $2 and (kind, subject) > ($3, $4) order by kind, subject limit $5),
   parts as (
     select side.account, sum(side.amount) as amount from page
      cross join lateral (values (credit, amount), (debit, -amount)) as side (account, amount)
      where currency = $6 and at < $7 and kind <> 'opening' group by side.account),
   last as (select kind, subject from page order by kind desc, subject desc limit 1)
   select (select count(*) from page) as "pageRows", last.kind as "lastKind", last.subject as "lastSubject",
          parts.account, parts.amount::text as amount
     from last left join parts on true`,
)

type PageRow = {
  pageRows: bigint
  lastKind: string
  lastSubject: string
  account: string | null
  amount: string | null
}

export type FloatPage = { rows: number; sums: { account: string; amount: bigint }[] }

/** Of one book, up to the moment of its total. Sums are numeric: what was tampered with may not fit a bigint. */
export async function* floatPages(
  lane: InLane,
  { environment, rail, currency, untilAt }: TotalRow,
  rowsPerPage: number,
): AsyncGenerator<FloatPage> {
  let after: [string, string] = ['', '']
  for (;;) {
    const values = [environment, rail, ...after, rowsPerPage, currency, untilAt]
    const rows = await lane.query<PageRow>(sumsOfPage, values)
    const [first] = rows
    if (first === undefined) return
    const sums = rows.flatMap(({ account, amount }) =>
      account === null || amount === null ? [] : [{ account, amount: BigInt(amount) }],
    )
    yield { rows: Number(first.pageRows), sums }
    if (Number(first.pageRows) < rowsPerPage) return
    after = [first.lastKind, first.lastSubject]
  }
}
