// The SQL that adds names, references and amounts to the search index. It walks the lists of a tenant like search-index.ts. A step
// reads the payments into this process, which finds the words: PostgreSQL takes five times as long for its regular expressions.

import { arraysOf, statement, type Tx } from '#platform/db/db.ts'
import { keysOfName } from '#platform/db/folded-names.ts'
import type { Uuid } from '#platform/ids.ts'
import { wordsOf } from './search-references.ts'

/** Stands before an amount in `search_term`, where account numbers have digits alone. */
export const amountMark = '='

/** How many hits a search shows. */
export const hitsMax = 20

const nextPayments = statement(
  'search.next_payments',
  `select r.ordinal, r.reference, r.amount, r.currency, r.name, r.number from (
     select tenant_id, kind, ordinal, reference, amount::text as amount, currency, coalesce(account_number, phone_number) as number,
            coalesce(account_name, customer_name) as name
       from payment
      where lane = $1 and ordinal > 0 and (tenant_id, kind, ordinal) > ($2, $3, $4)
        and (tenant_id, kind, ordinal) <= ($2, $3, 9223372036854775807)
      order by tenant_id, kind, ordinal limit $5) as r
    where r.tenant_id = $2 and r.kind = $3`,
)

// The money of a collection is found as the collection. A deposit without its sender's number has one that leads to it alone.
const nextDeposits = statement(
  'search.next_deposits',
  `select r.ordinal, r.amount, r.currency, r.name, r.number from (
     select tenant_id, ordinal, case when provider <> 'momo' then amount::text end as amount, currency, sender_account_name as name,
            case when provider <> 'momo' then coalesce(nullif(sender_account_number, ''), '#' || ordinal) end as number
       from deposit
      where lane = $1 and ordinal > 0 and (tenant_id, ordinal) > ($2, $3) and (tenant_id, ordinal) <= ($2, 9223372036854775807)
      order by tenant_id, ordinal limit $4) as r
    where r.tenant_id = $2`,
)

/**
 * Leaves out rows that the table has. It writes a sixth less WAL than `on conflict do nothing`. The transaction has locked the
 * progress of the list, so no other one adds its rows. `offset 0` makes it a probe of the key for each row.
 */
export const isNew = (table: string, key: string): string =>
  `not exists (select 1 from ${table} where lane = $1 and tenant_id = $2 and ${key} offset 0)`

const addAll = statement(
  'search.add_words',
  `with words as (
     insert into search_word (lane, tenant_id, word, kind, ordinal)
     select $1, $2, n.word, $3, n.ordinal from unnest($4::text[], $5::bigint[]) as n (word, ordinal)
      where ${isNew('search_word', 'word = n.word and kind = $3 and ordinal = n.ordinal')}),
   terms as (
     insert into search_term (lane, tenant_id, term, kind, ordinal)
     select $1, $2, n.term, $3, n.ordinal from unnest($6::text[], $7::bigint[]) as n (term, ordinal)
      where ${isNew('search_term', 'term = n.term and kind = $3 and ordinal = n.ordinal')}),
   names as (
     insert into search_name (lane, tenant_id, name, kind, number)
     select $1, $2, n.name, $3, n.number from unnest($8::text[], $9::text[]) as n (name, number)
      where ${isNew('search_name', 'name = n.name and kind = $3 and number = n.number')}),
   moved as (
     update search_progress set worded = $10, beginnings = coalesce($11::text[], beginnings)
      where lane = $1 and tenant_id = $2 and kind = $3)
   select 1 as done`,
)

export type WordProgress = { worded: bigint; beginnings: string[]; isByteOrdered: boolean }

type WordStep = { tenantId: Uuid; kind: string; progress: WordProgress; limit: number }

type NextRow = {
  ordinal: bigint
  /** Undefined: a deposit, which is found by its id. */
  reference?: string
  amount: string | null
  currency: string
  name: string | null
  number: string | null
}

/** Resolves with how many rows it went through. */
export async function addWords(tx: Tx, { tenantId, kind, progress, limit }: WordStep): Promise<number> {
  const known = progress.isByteOrdered ? new Set(progress.beginnings) : undefined
  // A database that was moved to another collation finds nothing behind beginnings, so the list is walked once more.
  const after = known === undefined && progress.beginnings.length > 0 ? 0n : progress.worded
  const rows =
    kind === 'deposit'
      ? await tx.query<NextRow>(nextDeposits, [tx.lane, tenantId, after, limit])
      : await tx.query<NextRow>(nextPayments, [tx.lane, tenantId, kind, after, limit])
  const last = rows.at(-1)
  if (last === undefined) return 0
  const { words, beginnings } = wordsOf(
    rows.flatMap(({ reference }) => reference ?? []),
    known,
  )
  const wordRows = words.flatMap((own, at) => own.map((word) => ({ word, ordinal: rows[at]?.ordinal ?? 0n })))
  tx.send(addAll, [
    tx.lane,
    tenantId,
    kind,
    ...arraysOf(wordRows, 'word', 'ordinal'),
    ...arraysOf(termsOf(rows), 'term', 'ordinal'),
    ...arraysOf(namesOf(rows), 'name', 'number'),
    last.ordinal,
    beginnings.size === progress.beginnings.length ? null : [...beginnings],
  ])
  return rows.length
}

/** No search shows more of an amount than the latest, so of a popular one no more of each step are kept. */
function termsOf(rows: readonly NextRow[]): { term: string; ordinal: bigint }[] {
  const counts = new Map<string, number>()
  const terms = rows
    .filter(({ number, ordinal }) => number === `#${ordinal}`)
    .map(({ ordinal }) => ({ term: `#${ordinal}`, ordinal }))
  for (const { amount, currency, ordinal } of rows.toReversed()) {
    if (amount === null) continue
    const count = counts.get(`${amount} ${currency}`) ?? 0
    counts.set(`${amount} ${currency}`, count + 1)
    if (count < hitsMax) terms.push({ term: `${amountMark}${amount}`, ordinal })
  }
  return terms
}

function namesOf(rows: readonly NextRow[]): { name: string; number: string }[] {
  const seen = new Set<string>()
  const keys = new Map<string, { name: string; number: string }>()
  for (const { name, number } of rows) {
    if (name === null || number === null || number === '' || number.length > 200 || seen.has(`${number} ${name}`))
      continue
    seen.add(`${number} ${name}`)
    for (const key of keysOfName(name)) keys.set(`${number} ${key}`, { name: key, number })
  }
  return [...keys.values()].filter(({ name }) => name !== 'erased')
}
