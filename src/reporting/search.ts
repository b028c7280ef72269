// What a person pasted, by its shape; pure.

import { parsePhoneNumber } from '#directory/operators.ts'
import { findPaymentById } from '#payments/list.ts'
import type { PaymentKind } from '#payments/payment.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { statement, type Queryable } from '#platform/db/db.ts'
import { idPrefixes, parseId, type IdKind, type Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'
import { findAccountById, findCustomerById } from '#virtual-accounts/list.ts'

export type SearchKey =
  /** It must not be looked for, logged or sent anywhere. */
  | { kind: 'secret-key' }
  | { kind: 'id'; of: IdKind; id: Uuid }
  | { kind: 'account-number'; text: string }
  | { kind: 'phone-number'; text: string }
  | { kind: 'e-mail'; text: string }
  | { kind: 'text'; text: string }

/** No reference and no number of a bank or an operator is longer. */
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
  // As people write them, in groups.
  const digits = text.replaceAll(/[\s-]/g, '')
  if (/^\d{10}$/.test(digits)) return { kind: 'account-number', text: digits }
  const phone = parsePhoneNumber(digits)
  if (phone !== undefined) return { kind: 'phone-number', text: phone }
  return { kind: 'text', text: /^[\d\s]{20,}$/.test(text) ? digits : text }
}

// The SQL that looks up by exactly what somebody pasted. Each is a probe of one index, however many rows there are.

/** As the tables call it. */
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

const hitsMax = 20

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
    // In an order that one index alone has: asked for equality, a planner without statistics takes any that begins alike.
    `(select * from virtual_account
        where lane = $1 and type = 'dynamic' and reference is not null and (tenant_id, reference) >= ($2, $3)
        order by tenant_id, reference limit 1) as a
      where a.tenant_id = $2 and a.reference = $3`,
  ),
]

/** Whatever the text names by itself: the business's own reference of a payment, a customer, an account for one payment. */
function findByReference(db: Queryable, tenant: Tenant, text: string): Promise<FoundRow[]> {
  return askAll(db, byText, [tenant.lane, tenant.id, text])
}

const accountByNumber = one(
  'account_by_number',
  accountColumns('a'),
  `virtual_account a where a.${mine} and a.account_number = $3`,
)

function findAccount(db: Queryable, tenant: Tenant, accountNumber: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(accountByNumber, [tenant.lane, tenant.id, accountNumber])
}

// The row is asked whether it still says so: what was forgotten since is not found by what it was.
const byTerm = statement(
  'search.by_term',
  `select found.*
     from unnest('{bank_transfer,momo_transfer,momo_collection,deposit}'::text[]) as k (kind)
    cross join lateral (
      select kind, ordinal from search_term
       where ${mine} and term = $3 and kind = k.kind order by ordinal desc limit ${hitsMax}) as f
    cross join lateral (
      select * from (
        select ${paymentColumns('p')} from payment p
         where p.${mine} and p.kind = f.kind and p.ordinal > 0 and p.ordinal = f.ordinal
           and $3 in (p.account_number, p.phone_number, p.session_id, p.operator_reference) limit 1) as payments
      union all
      select * from (
        select ${depositColumns('d')} from deposit d
         where f.kind = 'deposit' and d.${mine} and d.ordinal > 0 and d.ordinal = f.ordinal
           and $3 in (d.sender_account_number, d.provider_id) limit 1) as deposits) as found`,
)

/** The latest payments and deposits that have this number. */
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

/** Of what has its id for a key. */
function findById(db: Queryable, tenant: Tenant, kind: KeyedKind, id: Uuid): Promise<FoundRow[]> {
  return db.query<FoundRow>(byId[kind], [tenant.lane, tenant.id, id])
}

async function askAll(db: Queryable, statements: typeof byText, values: unknown[]): Promise<FoundRow[]> {
  return (await Promise.all(statements.map((what) => db.query<FoundRow>(what, values)))).flat()
}

// Finds what a person has pasted: exactly that, by its shape, in one environment.

export type Hit = FoundRow

type SearchContext = Pick<Context, 'db'>

/** The latest first. */
export async function searchRecords(ctx: SearchContext, tenant: Tenant, shape: SearchKey): Promise<Hit[]> {
  const hits = await hitsOf(ctx, tenant, shape)
  return hits.toSorted((left, right) => right.at.getTime() - left.at.getTime()).slice(0, hitsMax)
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
  const hits = (await Promise.all(parts)).flat()
  return [...new Map(hits.map((hit) => [`${hit.kind} ${hit.id}`, hit])).values()]
}

const paymentKinds: Partial<Record<IdKind, PaymentKind>> = {
  transfer: 'bank_transfer',
  momoTransfer: 'momo_transfer',
  momoCollection: 'momo_collection',
}

/** What has its id for a key is asked here; of the rest the rooms know by when it was made. */
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
