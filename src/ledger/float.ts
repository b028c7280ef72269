// The float books: what each provider should hold for the company, beside what the company owes its tenants. The
// transaction that settles a payment or deposit books what it moved, and reconciliation books what only the provider's
// ledger shows. If both book the same cause, only the first row is stored (docs/adr/0027-a-float-book-per-rail.md).
//
// Rows are inserted and read, and never change. They belong to rails, whose money is that of tenants of all lanes;
// `lane` is the lane of the cause.

import type { Environment } from '#platform/context.ts'
import { arraysOf, statement, type Queryable, type Tx } from '#platform/db/db.ts'
import { millionths, roundMillionths, zero, type Currency, type Money } from '#platform/money.ts'

// Inserts in the order of the key, so that two transactions that book the same rows do not deadlock.
const insertRows = statement(
  'ledger.insert_float',
  `insert into float_movement (environment, rail, currency, country, kind, subject, lane, reference, debit, credit, amount, fraction, at)
   select v.* from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::text[],
     $9::text[], $10::text[], $11::bigint[], $12::integer[], $13::timestamptz[])
     as v (environment, rail, currency, country, kind, subject, lane, reference, debit, credit, amount, fraction, at)
    order by v.environment, v.rail, v.kind, v.subject
   on conflict do nothing`,
)

function insertFloat(tx: Tx, rows: FloatMovement[]): void {
  tx.send(insertRows, [
    ...arraysOf(rows, 'environment', 'rail', 'currency', 'country', 'kind', 'subject', 'lane', 'reference', 'debit'),
    ...arraysOf(rows, 'credit', 'amount', 'fraction', 'at'),
  ])
}

export type FloatName = { environment: Environment; rail: string }

/**
 * `country` is that of a mobile-money wallet; null for other money. `fraction` is added to `balance`, in millionths of
 * the minor unit.
 */
export type FloatBalance = {
  currency: Currency
  country: string | null
  account: FloatAccount
  balance: bigint
  fraction: bigint
}

const sides = `cross join lateral (values (m.credit, m.amount, coalesce(m.fraction, 0)),
  (m.debit, -m.amount, -coalesce(m.fraction, 0))) as side (account, amount, fraction)`

// Sums what went in minus what went out over all lanes, and reads a day or two with the index float_movement_at. The
// bounds are parameters instead of a subquery, so that the planner knows how few rows that is. Leaves out the opening,
// which is dated back; `openingsQuery` reads it.
const balancesBetween = statement(
  'ledger.float_balances',
  `select m.currency, m.country, side.account, sum(side.amount)::bigint as balance,
          sum(side.fraction)::bigint as fraction
     from (select lane, currency, country, credit, debit, amount, fraction from float_movement
            where environment = $1 and rail = $2 and at >= $3 and at < $4 and kind <> 'opening') as m ${sides}
    group by m.currency, m.country, side.account`,
)

type FloatSpan = { since: Date | '-infinity'; until: Date | 'infinity' }

function sumFloat(db: Queryable, { environment, rail }: FloatName, { since, until }: FloatSpan) {
  return db.query<FloatBalance>(balancesBetween, [environment, rail, since, until])
}

// Reads the one opening of each wallet in the order of the key, for the reason given at `unownedOnes`. No kind sorts
// between `opening` and `owned`, so the range has only openings.
const openingsQuery = statement(
  'ledger.float_openings',
  `select m.currency, m.country, side.account, side.amount as balance, side.fraction::bigint as fraction
     from (select lane, environment, rail, kind, subject, currency, country, credit, debit, amount, fraction from float_movement
            where (environment, rail, kind, subject) >= ($1, $2, 'opening', '')
              and (environment, rail, kind, subject) < ($1, $2, 'owned', '')
            order by environment, rail, kind, subject) as m ${sides}`,
)

export function openingSubject(currency: Currency): string {
  return currency === 'NGN' ? 'opening' : `opening ${currency}`
}

function findOpenings(db: Queryable, { environment, rail }: FloatName): Promise<FloatBalance[]> {
  return db.query<FloatBalance>(openingsQuery, [environment, rail])
}

// Reads in the order of the key, which no other index has. With an equality condition the planner may choose the index
// by time, because it expects one row, and reads the whole book for each subject.
const unownedOnes = statement(
  'ledger.float_unowned',
  `select f.subject from unnest($3::text[]) as k (value)
    cross join lateral (
      select lane, environment, rail, kind, subject from float_movement
       where (environment, rail, kind, subject) >= ($1, $2, 'unowned', k.value)
       order by environment, rail, kind, subject limit 1) as f
    where f.environment = $1 and f.rail = $2 and f.kind = 'unowned' and f.subject = k.value`,
)

export async function findUnowned(db: Queryable, { environment, rail }: FloatName, subjects: string[]) {
  const rows = await db.query<{ subject: string }>(unownedOnes, [environment, rail, subjects])
  return new Set(rows.map(({ subject }) => subject))
}

const accountsOfTotal = `(values ('balance', t.balance, t.fraction), ('receivable', t.receivable, 0), ('bank', t.bank, 0),
  ('cost', t.cost, 0), ('tenants', t.tenants, 0), ('suspense', t.suspense, 0)) as side (account, amount, fraction)`

const totalsOf = statement(
  'ledger.float_totals_of',
  `select t.currency, nullif(t.country, '') as country, t.until_at as "untilAt", side.account, side.amount as balance,
          side.fraction
     from float_wallet_total t cross join lateral ${accountsOfTotal} where t.environment = $1 and t.rail = $2`,
)

function findTotalsOf(db: Queryable, { environment, rail }: FloatName): Promise<(FloatBalance & { untilAt: Date })[]> {
  return db.query(totalsOf, [environment, rail])
}

const totalColumns = ['balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense', 'fraction'] as const

// Writes nothing if the stored totals of the rail are no longer those from which the new ones were computed. Then
// another process has stored newer ones, and a wallet that occurs only in these totals would be dated differently from
// the rest.
const writeTotals = statement(
  'ledger.total_float',
  `insert into float_wallet_total (environment, rail, currency, country, until_at, ${totalColumns.join(', ')})
   select $1, $2, v.* from unnest($3::text[], $4::text[], $5::timestamptz[],
     ${totalColumns.map((_, at) => `$${at + 7}::bigint[]`).join(', ')})
     as v (currency, country, until_at, ${totalColumns.join(', ')})
    where not exists (
      select from float_wallet_total as t where t.environment = $1 and t.rail = $2 and t.until_at <> $6)
    order by v.currency, v.country
   on conflict (environment, rail, currency, country) do update
     set until_at = excluded.until_at, ${totalColumns.map((name) => `${name} = excluded.${name}`).join(', ')}
   where float_wallet_total.until_at = $6`,
)

/** `sums` has the balance of each account, and as `fraction` the sum of the fractions in the wallet. */
type NewTotal = Pick<FloatBalance, 'currency' | 'country'> & { sums: Map<string, bigint> }

export async function writeFloatTotals(
  db: Queryable,
  { environment, rail }: FloatName,
  { since, until, totals }: { since: Date | '-infinity'; until: Date; totals: NewTotal[] },
): Promise<void> {
  const columns = totalColumns.map((name) => totals.map(({ sums }) => sums.get(name) ?? 0n))
  const currencies = totals.map(({ currency }) => currency)
  const countries = totals.map(({ country }) => country ?? '')
  const untils = currencies.map(() => until)
  await db.query(writeTotals, [environment, rail, currencies, countries, untils, since, ...columns])
}

export type TotalRow = {
  environment: Environment
  rail: string
  currency: string
  country: string
  untilAt: Date
  /** An account in the wallet, or `fraction`, the sum of the fractions of those accounts. */
  account: string
  amount: bigint
}

const totalsQuery = statement(
  'ledger.float_totals',
  `select t.environment, t.rail, t.currency, t.country, t.until_at as "untilAt", side.account, side.amount
     from float_wallet_total t cross join lateral (
       select account, amount from ${accountsOfTotal} union all select 'fraction', t.fraction) as side
    order by t.environment, t.rail, t.currency, t.country, side.account`,
)

export function findTotals(db: Queryable): Promise<TotalRow[]> {
  return db.query<TotalRow>(totalsQuery, [])
}

// Reads the balances of a float book. `totalFloat` stores the totals up to a time before which nothing more is booked,
// so that the cost depends on what was booked since, not on the age of the book.

export async function readFloat(db: Queryable, name: FloatName): Promise<FloatBalance[]> {
  const totals = await findTotalsOf(db, name)
  const [fresh, openings] = await Promise.all([
    sumFloat(db, name, { since: sinceOf(totals), until: 'infinity' }),
    findOpenings(db, name),
  ])
  return added([...totals, ...fresh, ...openings])
}

/** Stores the totals of the book before `until`, without its opening. */
export async function totalFloat(db: Queryable, name: FloatName, until: Date): Promise<void> {
  const before = await findTotalsOf(db, name)
  const since = sinceOf(before)
  if (since !== '-infinity' && since >= until) return
  const sums = added([...before, ...(await sumFloat(db, name, { since, until }))])
  const totals = [...Map.groupBy(sums, ({ currency, country }) => `${currency} ${country ?? ''}`).values()].flatMap(
    ([first, ...rest]) => {
      if (first === undefined) return []
      const parts = [first, ...rest]
      const total = new Map<string, bigint>(parts.map(({ account, balance }) => [account, balance]))
      total.set('fraction', sumFractions(parts.filter(({ account }) => isInWallet(account))))
      return [{ currency: first.currency, country: first.country, sums: total }]
    },
  )
  await writeFloatTotals(db, name, { since, until, totals })
}

/** Any total shows the time, because all totals of a rail are written together. */
function sinceOf([first]: { untilAt: Date }[]): Date | '-infinity' {
  return first?.untilAt ?? '-infinity'
}

function added(parts: FloatBalance[]): FloatBalance[] {
  const sums = new Map<string, FloatBalance>()
  for (const part of parts) {
    const { currency, country, account } = part
    const key = `${currency} ${country ?? ''} ${account}`
    const { balance, fraction } = sums.get(key) ?? { balance: 0n, fraction: 0n }
    sums.set(key, {
      currency,
      country,
      account,
      balance: balance + part.balance,
      fraction: fraction + part.fraction,
    })
  }
  return [...sums.values()]
}

/** A wallet at a provider: of a currency, or of a currency in one country. */
export type FloatWallet = { currency: Currency; country?: string | undefined }

/**
 * The balances in the book of a wallet. A wallet without a country has those of all countries, because its provider
 * holds their money together.
 */
function ofWallet(book: FloatBalance[], { currency, country }: FloatWallet): FloatBalance[] {
  return book.filter((one) => one.currency === currency && (country === undefined || one.country === country))
}

export function receivableIn(book: FloatBalance[], wallet: FloatWallet): bigint {
  return sumOf(ofWallet(book, wallet).filter(({ account }) => account === 'receivable'))
}

/**
 * Returns the balance that the wallet should have, rounded to the minor unit; undefined if nothing was booked for it.
 * Collections go into the wallet of a country at once, so its balance includes the receivable amount.
 */
export function heldByBook(book: FloatBalance[], wallet: FloatWallet): bigint | undefined {
  const isThere = (account: FloatAccount): boolean =>
    wallet.country === undefined ? account === 'balance' : isInWallet(account)
  const found = ofWallet(book, wallet).filter(({ account }) => isThere(account))
  return found.length === 0 ? undefined : roundMillionths(sumOf(found) * millionths + sumFractions(found))
}

export function hasFraction(book: FloatBalance[], wallet: FloatWallet): boolean {
  return ofWallet(book, wallet).some(({ fraction }) => fraction !== 0n)
}

const isInWallet = (account: FloatAccount): boolean => account === 'balance' || account === 'receivable'

const sumFractions = (parts: FloatBalance[]): bigint => parts.reduce((sum, { fraction }) => sum + fraction, 0n)

const sumOf = (parts: FloatBalance[]): bigint => parts.reduce((sum, { balance }) => sum + balance, 0n)

/**
 * balance     what the provider's balance should show;   receivable  paid in, not yet settled to that balance;
 * bank        the company's own bank;                    cost        what the provider took;
 * tenants     the other side of all tenants' `rail`;     suspense    money without an owner so far.
 */
const floatAccounts = ['balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense'] as const
type FloatAccount = (typeof floatAccounts)[number]

export type FloatKind =
  | 'opening'
  | 'payout'
  | 'payout_cost'
  | 'reversal'
  | 'deposit'
  | 'deposit_cost'
  | 'unowned'
  | 'owned'
  | 'settlement'
  | 'refund'
  | 'top_up'
  | 'withdrawal'

/**
 * `subject` is the cause, booked once per kind. `reference` is the provider's reference for it. `lane` 0 means no
 * tenant. `country` is that of a mobile-money wallet; null for other money.
 */
export type FloatCause = {
  environment: Environment
  rail: string
  currency: Currency
  country: string | null
  subject: string
  reference: string
  lane: number
  at: Date
  /** What the provider counts in addition to the amount, in millionths of the minor unit. Nothing if left out. */
  fraction?: number
}

type FloatMovement = Omit<FloatCause, 'fraction'> & {
  fraction: number | null
  kind: FloatKind
  debit: FloatAccount
  credit: FloatAccount
  amount: Money
}

const accountsOfKind: Record<FloatKind, readonly [FloatAccount, FloatAccount]> = {
  opening: ['bank', 'balance'],
  payout: ['balance', 'tenants'],
  payout_cost: ['balance', 'cost'],
  reversal: ['tenants', 'balance'],
  deposit: ['tenants', 'receivable'],
  deposit_cost: ['receivable', 'cost'],
  unowned: ['suspense', 'receivable'],
  owned: ['receivable', 'suspense'],
  settlement: ['receivable', 'balance'],
  refund: ['balance', 'suspense'],
  top_up: ['bank', 'balance'],
  withdrawal: ['balance', 'bank'],
}

const gathered = Symbol('float movements')

export function bookFloat(tx: Tx, kind: FloatKind, cause: FloatCause, amount: Money): void {
  if (amount === zero) return
  const rows = tx.shared(gathered, () => {
    const made: FloatMovement[] = []
    tx.beforeCommit(() => insertFloat(tx, made))
    return made
  })
  const [debit, credit] = accountsOfKind[kind]
  rows.push({ ...cause, kind, debit, credit, amount, fraction: cause.fraction ?? null })
}
