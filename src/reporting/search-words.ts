// Adds names, references and amounts to the search index, list by list like search-index.ts. A step reads the payments
// into this process, which finds the words: the regular expressions of PostgreSQL take five times as long.

import { arraysOf, statement, type Tx } from '#platform/db/db.ts'
import { keysOfName } from '#platform/db/folded-names.ts'
import type { Uuid } from '#platform/ids.ts'

// A search finds references by their parts, in capitals or small letters. Most references of a business begin alike:
// `PAYOUT-0001`, `PAYOUT-0002`. If a user types `0001`, the search also looks for `PAYOUT-0001` in the index of
// references, so these payments need no row in the search index. The beginnings that many payments of a list share are
// stored with the progress of the list.

/**
 * The most beginnings that are stored of a list, because a search probes the index of references once or twice for
 * each.
 */
const beginningsMax = 50
/** A beginning is stored if at least this many payments of one step share it. */
const sharingMin = 20
/** At most this many parts of a reference are searchable: its last parts. */
const partsMax = 3
const partLengthMin = 3

const uuidForm = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-(?=[0-9a-f]{12})/i
const [uuidLength, uuidTailLength] = [36, 12]

/** Only ASCII letters change their case, as in PostgreSQL under the collation C. */
export const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
const inUpperCase = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

type Split = { reference: string; starts: number[] }

/**
 * The positions where the words of a reference begin: 0 for the whole reference, and those of its last parts. The inner
 * groups of a UUID are left out, because they would be most of the index, and a search for four digits would find
 * anything.
 */
function startsOf(reference: string): number[] {
  const all = partStartsOf(reference)
  const uuid = reference.length < uuidLength ? null : uuidForm.exec(reference)
  if (uuid === null) return [0, ...all.slice(-partsMax)]
  const tail = uuid.index + uuid[0].length
  const starts = all.filter((at) => at <= uuid.index || at === tail || at >= tail + uuidTailLength)
  return [0, ...starts.slice(-partsMax)]
}

/**
 * A part begins after a separator, or where at least three digits follow letters. Runs for each payment, so it compares
 * characters instead of matching a regular expression at each.
 */
function partStartsOf(reference: string): number[] {
  const starts: number[] = []
  let isWord = false // There are only letters since the last separator.
  let before: CharacterKind = 'other'
  for (let at = 0; at < reference.length; at++) {
    const kind = kindAt(reference, at)
    if (before === 'other') {
      if (kind !== 'other' && at > 0) starts.push(at)
      isWord = kind === 'letter'
    } else if (kind !== 'letter') {
      if (isWord && /^[0-9]{3}/.test(reference.slice(at, at + 3))) starts.push(at)
      isWord = false
    }
    before = kind
  }
  return starts
}

type CharacterKind = 'letter' | 'digit' | 'other'

function kindAt(text: string, at: number): CharacterKind {
  const code = text.charCodeAt(at)
  if (code >= 48 && code <= 57) return 'digit'
  const small = code | 32
  return small >= 97 && small <= 122 ? 'letter' : 'other'
}

/**
 * After a beginning, a search tries the typed text in small letters and in capitals, so it finds no mixture of both.
 */
function hasOneCase(text: string): boolean {
  return !/[a-z]/.test(text) || !/[A-Z]/.test(text)
}

/**
 * Returns the words of each reference, in lower case. Each word goes from the start of the reference, or of one of its
 * last parts, to its end: PAY-INV-1234 has `pay-inv-1234`, `inv-1234` and `1234`. If `PAY-` is a known beginning, the
 * first two are left out, because a search for them finds the reference itself. The empty beginning does that for whole
 * references. If `known` is undefined, no word is left out.
 */
export function wordsOf(
  references: readonly string[],
  known: ReadonlySet<string> | undefined,
): { words: string[][]; beginnings: ReadonlySet<string> } {
  const split = references.map((reference) => ({ reference, starts: startsOf(reference) }))
  const beginnings = known === undefined ? new Set<string>() : withShared(known, split)
  return { words: split.map((one) => ownWordsOf(one, beginnings)), beginnings }
}

function ownWordsOf({ reference, starts }: Split, beginnings: ReadonlySet<string>): string[] {
  const found = starts.findLast((at) => isFoundBehind(reference, at, beginnings)) ?? -1
  return starts
    .filter((at) => at > found && (at === 0 || reference.length - at >= partLengthMin))
    .map((at) => inLowerCase(reference.slice(at)))
}

function isFoundBehind(reference: string, at: number, beginnings: ReadonlySet<string>): boolean {
  return beginnings.has(reference.slice(0, at)) && hasOneCase(reference.slice(at))
}

/**
 * Adds beginnings that many references of a step share. The shortest come first, because longer ones may contain a date
 * and soon go out of use.
 */
function withShared(known: ReadonlySet<string>, split: readonly Split[]): ReadonlySet<string> {
  if (known.size >= beginningsMax) return known
  const counts = new Map<string, number>()
  for (const { reference, starts } of split) {
    for (const at of starts.toReversed()) {
      if (isFoundBehind(reference, at, known)) break
      const beginning = reference.slice(0, at)
      if (hasOneCase(reference.slice(at))) counts.set(beginning, (counts.get(beginning) ?? 0) + 1)
    }
  }
  const shared = [...counts].filter(([beginning, count]) => beginning === '' || count >= sharingMin)
  if (shared.length === 0) return known
  const added = shared.map(([beginning]) => beginning).toSorted((left, right) => left.length - right.length)
  return new Set([...known, ...added].slice(0, beginningsMax))
}

/**
 * With these prefixes a search looks for a typed text in the index of references: each beginning followed by the text.
 * The text may also start at a part within the beginning; then the beginning is followed by the rest of the text. The
 * text is tried in small letters and in capitals.
 */
export function prefixesOf(typed: string, beginnings: readonly string[]): string[] {
  const text = inLowerCase(typed)
  const prefixes = new Set<string>()
  for (const beginning of beginnings) {
    for (const at of new Set([...startsOf(beginning), beginning.length])) {
      const end = inLowerCase(beginning.slice(at))
      const rest = text.slice(end.length)
      if (text.startsWith(end)) prefixes.add(beginning + rest).add(beginning + inUpperCase(rest))
      else if (end.startsWith(text)) prefixes.add(beginning)
    }
  }
  return [...prefixes]
}

/** Precedes an amount in `search_term`, so that it is not mistaken for an account number. */
export const amountMark = '='

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

// Leaves out the amounts and numbers of collections' deposits, because a search finds the collection instead. A deposit
// without its sender's number gets `#` and its ordinal as a number, which leads only to this deposit.
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
 * Leaves out rows that the table has already. Writes a sixth less WAL than `on conflict do nothing`. The transaction
 * has locked the progress of the list, so no other transaction adds its rows. `offset 0` makes PostgreSQL probe the key
 * for each row.
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

export async function addWords(tx: Tx, { tenantId, kind, progress, limit }: WordStep): Promise<number> {
  const known = progress.isByteOrdered ? new Set(progress.beginnings) : undefined
  // If the database was moved to a language collation, searches by beginnings find nothing. So the list is read again
  // from its start, without beginnings.
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

/** A search shows only the latest `hitsMax` payments of an amount, so each step stores no more rows for one amount. */
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
