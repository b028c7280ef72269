// The SQL that looks up by exactly what somebody pasted. Each is a probe of one index, however many rows there are.

import type { Tenant } from '#base/context.ts'
import { statement, type Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Kobo } from '#base/money.ts'

/** As the tables call it. */
export type FoundRow = {
  kind: string
  id: Uuid
  reference: string
  title: string
  status: string | null
  amount: Kobo | null
  at: Date
}

const hitsMax = 20

const paymentColumns = (r: string): string => `${r}.kind, ${r}.id, ${r}.reference,
  coalesce(${r}.account_name, ${r}.customer_name, ${r}.account_number, ${r}.phone_number) as title, ${r}.status, ${r}.amount,
  ${r}.created_at as at`
const customerColumns = (r: string): string => `'customer' as kind, ${r}.id, ${r}.reference,
  ${r}.first_name || ' ' || ${r}.last_name as title, ${r}.status, null::bigint as amount, ${r}.created_at as at`
const accountColumns = (r: string): string => `'account' as kind, ${r}.id, ${r}.account_number as reference,
  ${r}.account_name as title, ${r}.status, ${r}.amount, ${r}.created_at as at`
const depositColumns = (r: string): string => `'deposit' as kind, ${r}.id, '' as reference,
  coalesce(nullif(${r}.sender_account_name, ''), ${r}.account_number) as title, ${r}.status, ${r}.amount, ${r}.created_at as at`

const mine = 'lane = $1 and tenant_id = $2'

const one = (name: string, columns: string, where: string) =>
  statement(`finder.${name}`, `select ${columns} from ${where} limit 1`)

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
export function findByReference(db: Queryable, tenant: Tenant, text: string): Promise<FoundRow[]> {
  return askAll(db, byText, [tenant.lane, tenant.id, text])
}

const accountByNumber = one(
  'account_by_number',
  accountColumns('a'),
  `virtual_account a where a.${mine} and a.account_number = $3`,
)

export function findAccount(db: Queryable, tenant: Tenant, accountNumber: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(accountByNumber, [tenant.lane, tenant.id, accountNumber])
}

// The row is asked whether it still says so: what was forgotten since is not found by what it was.
const byTerm = statement(
  'finder.by_term',
  `select found.*
     from unnest('{bank_transfer,momo_transfer,momo_collection,deposit}'::text[]) as k (kind)
    cross join lateral (
      select kind, ordinal from finder
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
export function findByTerm(db: Queryable, tenant: Tenant, term: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(byTerm, [tenant.lane, tenant.id, term])
}

const customersBy = (name: string, condition: string, order: string) =>
  statement(
    `finder.customers_by_${name}`,
    `select ${customerColumns('c')} from customer c
      where c.${mine} and ${condition} order by ${order}, c.ordinal desc limit ${hitsMax}`,
  )

const byEmail = customersBy('email', 'c.email is not null and lower(c.email) = $3', 'lower(c.email) desc')
const byPhone = customersBy('phone', 'c.phone_number is not null and c.phone_number = $3', 'c.phone_number desc')

export function findCustomersByEmail(db: Queryable, tenant: Tenant, email: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(byEmail, [tenant.lane, tenant.id, email])
}

export function findCustomersByPhone(db: Queryable, tenant: Tenant, phoneNumber: string): Promise<FoundRow[]> {
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
    `'subscription' as kind, s.id, '' as reference, s.url as title, s.status, null::bigint as amount, s.created_at as at`,
    `webhook_subscription s where s.${mine} and s.id = $3 and s.status <> 'deleted'`,
  ),
  event: one(
    'delivery_by_id',
    `'event' as kind, d.id, d.reference, d.event as title, d.status, null::bigint as amount, d.created_at as at`,
    `webhook_delivery d where d.${mine} and d.id = $3`,
  ),
  key: one(
    'key_by_id',
    `'key' as kind, k.id, '' as reference, k.name as title, null as status, null::bigint as amount, k.created_at as at`,
    `(select * from api_key where id = $3 offset 0) as k where k.${mine}`,
  ),
}

export type KeyedKind = keyof typeof byId

export function isKeyed(kind: string): kind is KeyedKind {
  return Object.hasOwn(byId, kind)
}

/** Of what has its id for a key. */
export function findById(db: Queryable, tenant: Tenant, kind: KeyedKind, id: Uuid): Promise<FoundRow[]> {
  return db.query<FoundRow>(byId[kind], [tenant.lane, tenant.id, id])
}

async function askAll(db: Queryable, statements: typeof byText, values: unknown[]): Promise<FoundRow[]> {
  return (await Promise.all(statements.map((what) => db.query<FoundRow>(what, values)))).flat()
}
