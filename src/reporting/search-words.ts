// The SQL that adds names, references and amounts to the search index. It walks the lists of a tenant like search-index.ts.

import { statement, type Tx } from '#platform/db/db.ts'
import { nameKeys } from '#platform/db/folded-names.ts'
import type { Uuid } from '#platform/ids.ts'

/** Stands before an amount in `search_term`, where account numbers have digits alone. */
export const amountMark = '='

// A part of a reference begins behind a separator, or where at least three digits follow a letter. The whole reference and its last
// three parts are indexed, each up to the end of the reference.
const wordsOfReference = `
  (select string_to_array(regexp_replace(lower(left(next.reference, 100) collate "C"),
            '([^[:alnum:]])(?=[[:alnum:]])|([[:alpha:]])(?=[[:digit:]]{3})', '\\1\\2' || chr(31), 'g'), chr(31)) as parts) as p
   cross join lateral (
     select array_to_string(parts[i:], '') as word, i from generate_series(1, cardinality(parts)) as i
      where i = 1 or i > cardinality(parts) - 3) as part`

const addNames = (kind: string): string => `names as (
       insert into search_name (lane, tenant_id, name, kind, number)
       select distinct $1::smallint, $2::uuid, n.name, ${kind}, next.number
         from (select distinct name, number from next) as next cross join lateral ${nameKeys('next.name')}
        where n.name not in ('', 'erased') and next.number <> '' and length(next.number) <= 200
        order by 3, 4, 5
       on conflict do nothing)`

const addAmounts = (kind: string): string => `amounts as (
       insert into search_term (lane, tenant_id, term, kind, ordinal)
       select $1, $2, term, ${kind}, ordinal
         from (select '${amountMark}' || amount as term, ordinal from next
               union all select number, ordinal from next where number = '#' || ordinal) as terms
        order by term
       on conflict do nothing)`

const move = (kind: string): string => `moved as (
       update search_progress p set worded = reached.last
         from (select max(ordinal) as last from next) as reached
        where p.lane = $1 and p.tenant_id = $2 and p.kind = ${kind} and reached.last is not null)
   select count(*)::int as count from next`

const wordPayments = statement(
  'search.word_payments',
  `with next as materialized (
       select r.* from (
         select tenant_id, kind, ordinal, reference, amount, coalesce(account_number, phone_number) as number,
                coalesce(account_name, customer_name) as name
           from payment
          where lane = $1 and ordinal > 0 and (tenant_id, kind, ordinal) > ($2, $3, $4)
            and (tenant_id, kind, ordinal) <= ($2, $3, 9223372036854775807)
          order by tenant_id, kind, ordinal limit $5) as r
        where r.tenant_id = $2 and r.kind = $3),
     words as (
       insert into search_word (lane, tenant_id, word, kind, ordinal)
       select distinct $1::smallint, $2::uuid, part.word, $3, next.ordinal from next cross join lateral ${wordsOfReference}
        where length(part.word) >= 3 or part.i = 1
        order by 3
       on conflict do nothing),
     ${addNames('$3')},
     ${addAmounts('$3')},
     ${move('$3')}`,
)

// The money of a collection is found as the collection. A deposit without its sender's number has one that leads to it alone.
const wordDeposits = statement(
  'search.word_deposits',
  `with next as materialized (
       select r.* from (
         select tenant_id, ordinal, amount, sender_account_name as name,
                case when provider <> 'momo' then coalesce(nullif(sender_account_number, ''), '#' || ordinal) end as number
           from deposit
          where lane = $1 and ordinal > 0 and (tenant_id, ordinal) > ($2, $3) and (tenant_id, ordinal) <= ($2, 9223372036854775807)
          order by tenant_id, ordinal limit $4) as r
        where r.tenant_id = $2),
     ${addNames(`'deposit'`)},
     ${addAmounts(`'deposit'`)},
     ${move(`'deposit'`)}`,
)

type WordStep = { tenantId: Uuid; kind: string; after: bigint; limit: number }

/** Resolves with how many rows it went through. */
export async function addWords(tx: Tx, { tenantId, kind, after, limit }: WordStep): Promise<number> {
  const [row] =
    kind === 'deposit'
      ? await tx.query<{ count: number }>(wordDeposits, [tx.lane, tenantId, after, limit])
      : await tx.query<{ count: number }>(wordPayments, [tx.lane, tenantId, kind, after, limit])
  return row?.count ?? 0
}
