// Finds what a user pasted, or a part of it, in one environment: first exactly, by the shape of the text, then by words
// of a name, by an amount and by a part of a reference.

import { parsePhoneNumber } from '#directory/operators.ts'
import { listRecipients, type Recipient } from '#payouts/recipients.ts'
import { findPaymentById } from '#payments/list.ts'
import type { PaymentKind } from '#payments/payment.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { endOfPrefix, foldedName, foldName } from '#platform/db/folded-names.ts'
import { idPrefixes, parseId, type IdKind, type Uuid } from '#platform/ids.ts'
import { currencies, decimalsOf, toMoney, type Currency, type Money } from '#platform/money.ts'
import type { Customer } from '#virtual-accounts/customers.ts'
import {
  findAccountById,
  findCustomerById,
  findCustomersByName,
  findCustomersByReference,
} from '#virtual-accounts/list.ts'
import { inLowerCase, prefixesOf, amountMark, hitsMax } from './search-words.ts'

export type Hit = FoundRow

type SearchContext = Pick<Context, 'db'>

/** Records that the whole text identifies, the latest first, then records that contain it. */
export async function searchRecords(ctx: SearchContext, tenant: Tenant, shape: SearchKey): Promise<Hit[]> {
  const exact = latestFirst(await hitsOf(ctx, tenant, shape))
  const partial = await partialHitsOf(ctx, tenant, shape)
  const people = partial.filter(({ kind }) => kind === 'customer' || kind === 'recipient')
  const others = partial.filter(({ kind }) => kind !== 'customer' && kind !== 'recipient')
  const all = [...exact, ...people, ...latestFirst(others)]
  return onceEach(all).slice(0, hitsMax)
}

function latestFirst(hits: Hit[]): Hit[] {
  return hits.toSorted((left, right) => right.at.getTime() - left.at.getTime())
}

const noMoney = { amount: null, currency: null }

function customerHit({ id, reference, firstName, lastName, status, createdAt: at }: Customer): Hit {
  return { kind: 'customer', id, reference, title: `${firstName} ${lastName}`, status, ...noMoney, at }
}

function recipientHit({ id, accountNumber: reference, name: title, createdAt: at }: Recipient): Hit {
  return { kind: 'recipient', id, reference, title, status: null, ...noMoney, at }
}

const partMin = 3
/** The limit for customers, and the same for recipients. The lists on their own pages show more. */
const peopleMax = 5

async function partialHitsOf(ctx: SearchContext, tenant: Tenant, shape: SearchKey): Promise<Hit[]> {
  const { db } = ctx
  if (shape.kind !== 'text' && shape.kind !== 'account-number' && shape.kind !== 'phone-number') return []
  const parts = shape.text.length < partMin ? [] : [findByPartOfReference(db, tenant, shape.text)]
  const amounts = shape.kind === 'text' ? shape.amounts.map((typed) => findByAmount(db, tenant, typed)) : []
  const isName = shape.kind === 'text' && foldName(shape.text).length >= partMin && !/^[\d\s]*$/.test(shape.text)
  const named = isName
    ? [
        findCustomersByName(db, tenant, { text: shape.text, limit: peopleMax }).then((found) => found.map(customerHit)),
        listRecipients(ctx, tenant, { search: shape.text, tag: null, limit: peopleMax }).then((found) =>
          found.map(recipientHit),
        ),
        findByName(db, tenant, shape.text),
      ]
    : []
  return (await Promise.all([...parts, ...amounts, ...named])).flat()
}

async function hitsOf(ctx: SearchContext, tenant: Tenant, shape: SearchKey): Promise<Hit[]> {
  const { db } = ctx
  switch (shape.kind) {
    case 'secret-key':
      return []
    case 'id':
      return (await findByAnyId(ctx, tenant, shape.of, shape.id)).filter(({ id }) => id === shape.id)
    case 'e-mail':
      return findCustomersByEmail(db, tenant, shape.text)
    case 'account-number':
      return together([
        findAccount(db, tenant, shape.text),
        findByTerm(db, tenant, shape.text),
        findByReference(db, tenant, shape.text),
      ])
    case 'phone-number':
      return together([findCustomersByPhone(db, tenant, shape.text), findByTerm(db, tenant, shape.text)])
    case 'text':
      return together([findByReference(db, tenant, shape.text), findByTerm(db, tenant, shape.text)])
  }
}

async function together(parts: Promise<Hit[]>[]): Promise<Hit[]> {
  return onceEach((await Promise.all(parts)).flat())
}

function onceEach(hits: Hit[]): Hit[] {
  return [...new Map(hits.map((hit) => [`${hit.kind} ${hit.id}`, hit])).values()]
}

const paymentKinds: Partial<Record<IdKind, PaymentKind>> = {
  transfer: 'bank_transfer',
  momoTransfer: 'momo_transfer',
  momoCollection: 'momo_collection',
}

async function findByAnyId(ctx: SearchContext, tenant: Tenant, of: IdKind, id: Uuid): Promise<Hit[]> {
  if (isKeyed(of)) return findById(ctx.db, tenant, of, id)
  const kind = paymentKinds[of]
  if (kind !== undefined) {
    const payment = await findPaymentById(ctx, tenant, kind, id)
    return payment === undefined ? [] : findByReference(ctx.db, tenant, payment.reference)
  }
  if (of === 'customer') {
    const customer = await findCustomerById(ctx, tenant, id)
    return customer === undefined ? [] : findByReference(ctx.db, tenant, customer.reference)
  }
  const account = of === 'virtualAccount' ? await findAccountById(ctx, tenant, id) : undefined
  return account === undefined ? [] : findAccount(ctx.db, tenant, account.accountNumber)
}

const listedMax = 50

/**
 * The customers that a text names: by account number, phone number, e-mail address, reference or the beginning of a
 * name.
 */
export async function searchCustomers(ctx: SearchContext, tenant: Tenant, shape: SearchKey): Promise<Customer[]> {
  const exact = await hitsOf(ctx, tenant, shape)
  const references = exact.flatMap(({ kind, reference }) => (kind === 'customer' ? [reference] : []))
  const accounts = exact.flatMap(({ kind, reference }) => (kind === 'account' ? [reference] : []))
  const known = await findCustomersByReference(ctx, tenant, { references, accounts })
  const named =
    shape.kind === 'text' ? await findCustomersByName(ctx.db, tenant, { text: shape.text, limit: listedMax }) : []
  return [...new Map([...known, ...named].map((customer) => [customer.id, customer])).values()]
}

export type SearchKey =
  /** The text contains a secret, so it must not be searched for, logged or sent anywhere. */
  | { kind: 'secret-key' }
  | { kind: 'id'; of: IdKind; id: Uuid }
  | { kind: 'account-number'; text: string }
  | { kind: 'phone-number'; text: string }
  | { kind: 'e-mail'; text: string }
  /** `amounts`: the amounts that the text may mean, one for each number of decimals that a currency can have. */
  | { kind: 'text'; text: string; amounts: readonly TypedAmount[] }

type TypedAmount = { decimals: number; amount: Money }

/** References, and the numbers of banks and operators, are never longer. */
export const queryLengthMax = 200

const secretForm = /(sk_(test|live)_|whsec_)/i

export function shapeOf(unchecked: string): SearchKey {
  if (secretForm.test(unchecked)) return { kind: 'secret-key' }
  const text = unchecked.trim()
  const deposit = /^DEP([0-9A-HJKMNP-TV-Z]{26})$/.exec(text)?.[1]
  const named = deposit === undefined ? text : `dep_${deposit.toLowerCase()}`
  const of = (Object.keys(idPrefixes) as IdKind[]).find((kind) => parseId(kind, named) !== undefined)
  const id = of === undefined ? undefined : parseId(of, named)
  if (of !== undefined && id !== undefined) return { kind: 'id', of, id }
  if (/^\S+@\S+$/.test(text)) return { kind: 'e-mail', text: text.toLowerCase() }
  const digits = text.replaceAll(/[\s-]/g, '')
  if (/^\d{10}$/.test(digits)) return { kind: 'account-number', text: digits }
  const phone = parsePhoneNumber(digits)
  if (phone !== undefined) return { kind: 'phone-number', text: phone }
  return { kind: 'text', text: /^[\d\s]{20,}$/.test(text) ? digits : text, amounts: amountsOf(text) }
}

const amountForm = /^(?:[A-Za-z]{3}|₦)?\s*(\d{1,13}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{1,2}))?$/

function amountsOf(text: string): TypedAmount[] {
  const [, whole, fraction = ''] = amountForm.exec(text) ?? []
  if (whole === undefined) return []
  return [0, 2]
    .filter((decimals) => fraction.length <= decimals)
    .map((decimals) => ({
      decimals,
      amount: toMoney(BigInt(whole.replaceAll(',', '') + fraction.padEnd(decimals, '0'))),
    }))
}

// The SQL that finds records by exactly the text that a user pasted. Each statement probes indexes, so it costs the
// same in a table of any size.

/** `kind` and `status` have the values that the tables store. */
type FoundRow = {
  kind: string
  id: Uuid
  reference: string
  title: string
  status: string | null
  amount: Money | null
  currency: Currency | null
  at: Date
}

const paymentColumns = (r: string): string => `${r}.kind, ${r}.id, ${r}.reference,
  coalesce(${r}.account_name, ${r}.customer_name, ${r}.account_number, ${r}.phone_number) as title, ${r}.status, ${r}.amount, ${r}.currency,
  ${r}.created_at as at`
const customerColumns = (r: string): string => `'customer' as kind, ${r}.id, ${r}.reference,
  ${r}.first_name || ' ' || ${r}.last_name as title, ${r}.status, null::bigint as amount, null::text as currency, ${r}.created_at as at`
const accountColumns = (r: string): string => `'account' as kind, ${r}.id, ${r}.account_number as reference,
  ${r}.account_name as title, ${r}.status, ${r}.amount, ${r}.currency, ${r}.created_at as at`
const depositColumns = (r: string): string => `'deposit' as kind, ${r}.id, '' as reference,
  coalesce(nullif(${r}.sender_account_name, ''), ${r}.account_number) as title, ${r}.status, ${r}.amount, ${r}.currency, ${r}.created_at as at`

const mine = 'lane = $1 and tenant_id = $2'

const one = (name: string, columns: string, where: string) =>
  statement(`search.${name}`, `select ${columns} from ${where} limit 1`)

const byText = [
  one('payment_by_reference', paymentColumns('p'), `payment p where p.${mine} and p.reference = $3`),
  one('customer_by_reference', customerColumns('c'), `customer c where c.${mine} and c.reference = $3`),
  one(
    'account_by_reference',
    accountColumns('a'),
    // A range in the order of (tenant_id, reference), because only one index has this order. If the condition compared
    // both columns with `=`, a planner without statistics would take any index that begins with tenant_id.
    `(select * from virtual_account
        where lane = $1 and type = 'dynamic' and reference is not null and (tenant_id, reference) >= ($2, $3)
        order by tenant_id, reference limit 1) as a
      where a.tenant_id = $2 and a.reference = $3`,
  ),
]

/**
 * Finds the payment, the customer and the dynamic account with this reference. Also tries capitals and small letters,
 * because references are case-sensitive and people type them in any case.
 */
async function findByReference(db: Queryable, tenant: Tenant, text: string): Promise<FoundRow[]> {
  const spellings = [...new Set([text, text.toUpperCase(), text.toLowerCase()])]
  return together(spellings.map((spelling) => askAll(db, byText, [tenant.lane, tenant.id, spelling])))
}

const accountByNumber = one(
  'account_by_number',
  accountColumns('a'),
  `virtual_account a where a.${mine} and a.account_number = $3`,
)

function findAccount(db: Queryable, tenant: Tenant, accountNumber: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(accountByNumber, [tenant.lane, tenant.id, accountNumber])
}

// Compares the row itself too, because an index entry may be older than an erasure.
const ofTerm = (ofPayment: string, ofDeposit: string): string => `
  select found.*
     from unnest('{bank_transfer,momo_transfer,momo_collection,deposit}'::text[]) as k (kind)
    cross join lateral (
      select kind, ordinal from search_term
       where ${mine} and term = $3 and kind = k.kind order by ordinal desc limit ${hitsMax}) as f
    cross join lateral (
      select * from (
        select ${paymentColumns('p')} from payment p
         where p.${mine} and p.kind = f.kind and p.ordinal > 0 and p.ordinal = f.ordinal
           and ${ofPayment} limit 1) as payments
      union all
      select * from (
        select ${depositColumns('d')} from deposit d
         where f.kind = 'deposit' and d.${mine} and d.ordinal > 0 and d.ordinal = f.ordinal
           and ${ofDeposit} limit 1) as deposits) as found`

const byTerm = statement(
  'search.by_term',
  ofTerm(
    '$3 in (p.account_number, p.phone_number, p.session_id, p.operator_reference)',
    '$3 in (d.sender_account_number, d.provider_id)',
  ),
)

function findByTerm(db: Queryable, tenant: Tenant, term: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(byTerm, [tenant.lane, tenant.id, term])
}

const customersBy = (name: string, condition: string, order: string) =>
  statement(
    `search.customers_by_${name}`,
    `select ${customerColumns('c')} from customer c
      where c.${mine} and ${condition} order by ${order}, c.ordinal desc limit ${hitsMax}`,
  )

const byEmail = customersBy('email', 'c.email is not null and lower(c.email) = $3', 'lower(c.email) desc')
const byPhone = customersBy('phone', 'c.phone_number is not null and c.phone_number = $3', 'c.phone_number desc')

function findCustomersByEmail(db: Queryable, tenant: Tenant, email: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(byEmail, [tenant.lane, tenant.id, email])
}

function findCustomersByPhone(db: Queryable, tenant: Tenant, phoneNumber: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(byPhone, [tenant.lane, tenant.id, phoneNumber])
}

const byId = {
  deposit: one(
    'deposit_by_id',
    depositColumns('d'),
    `(select * from deposit where lane = $1 and (tenant_id, id) >= ($2, $3) order by tenant_id, id limit 1) as d
      where d.tenant_id = $2 and d.id = $3`,
  ),
  webhook: one(
    'subscription_by_id',
    `'subscription' as kind, s.id, '' as reference, s.url as title, s.status, null::bigint as amount, null::text as currency, s.created_at as at`,
    `webhook_subscription s where s.${mine} and s.id = $3 and s.status <> 'deleted'`,
  ),
  event: one(
    'delivery_by_id',
    `'event' as kind, d.id, d.reference, d.event as title, d.status, null::bigint as amount, null::text as currency, d.created_at as at`,
    `webhook_delivery d where d.${mine} and d.id = $3`,
  ),
  key: one(
    'key_by_id',
    `'key' as kind, k.id, '' as reference, k.name as title, null as status, null::bigint as amount, null::text as currency, k.created_at as at`,
    `(select * from api_key where id = $3 offset 0) as k where k.${mine}`,
  ),
}

type KeyedKind = keyof typeof byId

function isKeyed(kind: string): kind is KeyedKind {
  return Object.hasOwn(byId, kind)
}

// References of which the whole or a part begins with the text. Takes the last ones in alphabetical order, which are
// the latest if references are numbered.
const byWord = statement(
  'search.by_word',
  `select found.*
     from (select kind, ordinal from search_word
            where ${mine} and word >= $3 and word < $4 order by word desc, kind desc, ordinal desc limit ${hitsMax}) as f
    cross join lateral (
      select ${paymentColumns('p')} from payment p
       where p.${mine} and p.kind = f.kind and p.ordinal > 0 and p.ordinal = f.ordinal limit 1) as found`,
)

const beginningsQuery = statement(
  'search.beginnings',
  'select unnest(beginnings) as beginning from search_progress where lane = $1 and tenant_id = $2 order by kind',
)

// Reads backward in the order of the index of references, starting at the last reference with each prefix.
const byPrefix = statement(
  'search.by_prefix',
  `select found.*
     from unnest($3::text[], $4::text[]) as r (low, high)
    cross join lateral (
      select ${paymentColumns('p')} from payment p
       where p.${mine} and p.reference >= r.low and p.reference < r.high order by p.reference desc limit $5) as found
    order by found.at desc limit ${hitsMax}`,
)

/** Reads at most 400 payments, shared among the prefixes, but up to three for each prefix even if that is more. */
const [readMax, readMin] = [400, 3]

async function findByPartOfReference(db: Queryable, tenant: Tenant, text: string): Promise<FoundRow[]> {
  const values = [tenant.lane, tenant.id]
  const word = inLowerCase(text)
  const inWords = db.query<FoundRow>(byWord, [...values, word, endOfPrefix(word)])
  const known = await db.query<{ beginning: string }>(beginningsQuery, values)
  const lows = prefixesOf(text, [...new Set(known.map(({ beginning }) => beginning))])
  const limit = Math.max(readMin, Math.min(hitsMax, Math.floor(readMax / Math.max(lows.length, 1))))
  const behind = lows.length === 0 ? [] : db.query<FoundRow>(byPrefix, [...values, lows, lows.map(endOfPrefix), limit])
  return (await Promise.all([inWords, behind])).flat()
}

const inCurrency = (r: string): string => `${r}.currency = any($4::text[])`

const byAmount = statement('search.by_amount', ofTerm(inCurrency('p'), `${inCurrency('d')} and d.provider <> 'momo'`))

function findByAmount(db: Queryable, tenant: Tenant, { decimals, amount }: TypedAmount): Promise<FoundRow[]> {
  const among = currencies.filter((currency) => decimalsOf(currency) === decimals)
  return db.query<FoundRow>(byAmount, [tenant.lane, tenant.id, `${amountMark}${amount}`, among])
}

// Measured with 1,000,000 payments of one tenant to 200,000 names, 42 beginnings of references, and 200 searches of
// each kind, on two cores with a run queue of 20. 95 of 100 searches took at most: 66 ms by two words of a name, 44 ms
// by a common first name, 36 ms by an amount, 52 ms by the number in a reference, 70 ms by three letters that half of
// the references have.

/**
 * The most names that are read for each word, and the most account numbers whose payments are read, so that a search
 * costs the same in a table of any size.
 */
const [namesMax, numbersMax] = [1_000, 50]

const hasWords = (sql: string): string =>
  `(select bool_and(position(word in ' ' || ${foldedName(sql)}) > 0) from unnest($5::text[]) as w (word))`

// Finds names that begin with one of the words and contain all of them. The account numbers stored with these names
// lead to the latest payments and deposits. The name in each of those rows is compared too.
const byName = statement(
  'search.by_name',
  `with named as materialized (
     select distinct n.kind, n.number
       from unnest($3::text[], $4::text[]) as r (low, high)
      cross join lateral (
        select name, kind, number from search_name
         where ${mine} and name >= r.low and name < r.high order by name, kind, number limit ${namesMax}) as n
      where (select bool_and(position(word in ' ' || n.name) > 0) from unnest($5::text[]) as w (word))
      limit ${numbersMax}),
   latest as materialized (
     select kind, ordinal
       from (select f.kind, f.ordinal, row_number() over (partition by f.kind order by f.ordinal desc) as nth
               from named cross join lateral (
                 select kind, ordinal from search_term
                  where ${mine} and term = named.number and kind = named.kind order by ordinal desc limit ${hitsMax}) as f) as ranked
      where nth <= ${hitsMax})
   select found.*
     from latest as f
    cross join lateral (
      select * from (
        select ${paymentColumns('p')} from payment p
         where p.${mine} and p.kind = f.kind and p.ordinal > 0 and p.ordinal = f.ordinal
           and ${hasWords('coalesce(p.account_name, p.customer_name)')} limit 1) as payments
      union all
      select * from (
        select ${depositColumns('d')} from deposit d
         where f.kind = 'deposit' and d.${mine} and d.ordinal > 0 and d.ordinal = f.ordinal
           and ${hasWords('d.sender_account_name')} limit 1) as deposits) as found`,
)

const wordsMax = 5

/** The latest payments to and deposits of people in whose name each word of the text is the beginning of a word. */
function findByName(db: Queryable, tenant: Tenant, text: string): Promise<FoundRow[]> {
  const words = foldName(text).split(' ').slice(0, wordsMax)
  const lows = [words.join(' '), ...(words.length === 1 ? [] : words)]
  const values = [tenant.lane, tenant.id, lows, lows.map(endOfPrefix), words.map((word) => ` ${word}`)]
  return db.query<FoundRow>(byName, values)
}

function findById(db: Queryable, tenant: Tenant, kind: KeyedKind, id: Uuid): Promise<FoundRow[]> {
  return db.query<FoundRow>(byId[kind], [tenant.lane, tenant.id, id])
}

async function askAll(db: Queryable, statements: typeof byText, values: unknown[]): Promise<FoundRow[]> {
  return (await Promise.all(statements.map((what) => db.query<FoundRow>(what, values)))).flat()
}
