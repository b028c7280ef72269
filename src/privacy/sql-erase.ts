// The SQL that erases a customer. What deposits told of, and to whom, is found through the deposits; kept notices are in
// sql-notices.ts.

import { arrayOf, arraysOf, statement, type InLane, type Statement, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { erased } from './personal.ts'
import { forgotten } from './sql-retain.ts'

export type CustomerKey = { tenantId: Uuid; reference: string }

const lockCustomerRow = statement(
  'privacy.lock_customer',
  `select id, status from customer
    where lane = $1 and tenant_id = $2 and reference = $3 for update`,
)

export type LockedCustomer = { id: Uuid; status: 'ACTIVE' | 'ERASED' }

export async function lockCustomer(tx: Tx, { tenantId, reference }: CustomerKey): Promise<LockedCustomer | undefined> {
  return (await tx.query<LockedCustomer>(lockCustomerRow, [tx.lane, tenantId, reference]))[0]
}

// Under the tenant's lock. Openings are few, and PENDING deposits are those of the last minutes.
const underWay = statement(
  'privacy.under_way',
  `select (select array_agg(account_number order by account_number) from virtual_account
            where lane = $1 and tenant_id = $2 and customer_reference = $3 and status = 'ACTIVE') as "openAccounts",
          (select count(*) from virtual_account_opening
            where lane = $1 and tenant_id = $2 and type = 'static' and reference = $3) as openings,
          (select count(*) from deposit
            where lane = $1 and tenant_id = $2 and status = 'PENDING' and customer_reference = $3) as "pendingDeposits"`,
)

export type UnderWay = { openAccounts: string[]; openings: number; pendingDeposits: number }

type Counted = { openAccounts: string[] | null; openings: bigint; pendingDeposits: bigint }

export async function findUnderWay(tx: Tx, { tenantId, reference }: CustomerKey): Promise<UnderWay> {
  const [row] = await tx.query<Counted>(underWay, [tx.lane, tenantId, reference])
  const { openAccounts = null, openings = 0n, pendingDeposits = 0n } = row ?? {}
  return { openAccounts: openAccounts ?? [], openings: Number(openings), pendingDeposits: Number(pendingDeposits) }
}

const eraseCustomerRow = statement(
  'privacy.erase_customer',
  `update customer
      set status = 'ERASED', first_name = '${erased}', last_name = '${erased}', email = null, phone_number = null, bvn = null,
          metadata = null, updated_at = greatest(updated_at, $4)
    where lane = $1 and tenant_id = $2 and reference = $3`,
)

// Nothing is said of when: a closed account's last change is its closing, by which late payments are judged.
const eraseAccountRows = statement(
  'privacy.erase_accounts',
  `update virtual_account set account_name = '${erased}', narration = null, metadata = null
    where lane = $1 and tenant_id = $2 and customer_reference = $3`,
)

export function eraseCustomerAndAccounts(tx: Tx, { tenantId, reference }: CustomerKey, now: Date): void {
  tx.send(eraseCustomerRow, [tx.lane, tenantId, reference, now])
  tx.send(eraseAccountRows, [tx.lane, tenantId, reference])
}

// Deposits of a customer behind the number $4. Said like this, the index of all the tenant's deposits in their order is none
// for it: it holds numbers above 0 alone.
export const ofCustomerBehind = `customer_reference = $3 and (customer_reference, ordinal) > ($3, $4)
    order by ordinal limit $5`

const nextDeposits = statement(
  'privacy.deposits_of_customer',
  `select id, ordinal, status, return_reason as "returnReason" from deposit
    where lane = $1 and tenant_id = $2 and ${ofCustomerBehind}`,
)

export type DepositOfCustomer = {
  id: Uuid
  ordinal: bigint
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
  returnReason: string | null
}

type ReadBehind<R> = (db: InLane, customer: CustomerKey, after: bigint, limit: number) => Promise<R[]>

/** The next ones behind a number, the oldest first. */
export function readBehind<R extends object>(what: Statement): ReadBehind<R> {
  return (db, { tenantId, reference }, after, limit) => db.query<R>(what, [db.lane, tenantId, reference, after, limit])
}

export const findDepositsAfter = readBehind<DepositOfCustomer>(nextDeposits)

// The first row from the key on, in an order that one index alone has (see deposits/sql.ts).
const places = `with v as materialized (
     select d.place
       from unnest($3::uuid[]) as k (id)
       cross join lateral (
         select ctid as place, tenant_id, id from deposit
          where lane = $1 and (tenant_id, id) >= ($2, k.id) order by tenant_id, id limit 1 for update) as d
      where d.tenant_id = $2 and d.id = k.id)
   update deposit`
const those = `lane = $1 and ctid = any(array(select place from v))`

const eraseDepositRows = statement(
  'privacy.erase_deposits',
  `${places} set ${['account_name', 'sender_account_name', 'sender_account_number', 'narration'].map(forgotten).join(', ')}
    where ${those}`,
)
const unnameAccountRows = statement(
  'privacy.unname_accounts_of_deposits',
  `${places} set account_name = '${erased}' where ${those}`,
)

// Who fills the finder holds this row: what is filled after this sees what is forgotten here. It is made where it is not there,
// so that there is something to wait for when somebody else is making it at this moment.
const beginFinder = statement(
  'privacy.begin_finder',
  `insert into finder_progress (lane, tenant_id, kind) values ($1, $2, 'deposit') on conflict do nothing`,
)
const lockFinder = statement(
  'privacy.lock_finder',
  `select 1 from finder_progress where lane = $1 and tenant_id = $2 and kind = 'deposit' for update`,
)
const eraseTerms = statement(
  'privacy.erase_terms',
  `with v as materialized (
     select f.place
       from unnest($3::uuid[]) as k (id)
       cross join lateral (
         select tenant_id, id, ordinal, sender_account_number from deposit
          where lane = $1 and (tenant_id, id) >= ($2, k.id) order by tenant_id, id limit 1) as d
       cross join lateral (
         select ctid as place from finder
          where lane = $1 and tenant_id = $2 and term = d.sender_account_number and kind = 'deposit' and ordinal = d.ordinal
          limit 1) as f
      where d.tenant_id = $2 and d.id = k.id)
   delete from finder where lane = $1 and ctid = any(array(select place from v))`,
)

/** The customer's name leaves all of them; who paid leaves those of which no money has to go back. */
export function eraseDeposits(
  tx: Tx,
  tenantId: Uuid,
  { settled, returned }: { settled: Uuid[]; returned: Uuid[] },
): void {
  if (settled.length > 0) {
    tx.send(beginFinder, [tx.lane, tenantId])
    tx.send(lockFinder, [tx.lane, tenantId])
    tx.send(eraseTerms, [tx.lane, tenantId, idsOf(settled)])
    tx.send(eraseDepositRows, [tx.lane, tenantId, idsOf(settled)])
  }
  if (returned.length > 0) tx.send(unnameAccountRows, [tx.lane, tenantId, idsOf(returned)])
}

// In the order of their ids, as whoever records attempts and whoever prunes the log lock them.
const lockDeliveries = statement(
  'privacy.lock_deliveries',
  `with found as materialized (
     select d.id
       from unnest($3::text[], $4::uuid[]) as k (reference, source_id)
       cross join lateral (
         select id, source_id from webhook_delivery
          where lane = $1 and tenant_id = $2 and reference = k.reference and reference <> '' offset 0) as d
      where d.source_id = k.source_id order by d.id)
   select d.id, d.due_at is not null as "isDue"
     from found cross join lateral (
       select id, due_at from webhook_delivery
        where lane = $1 and tenant_id = $2 and id = found.id limit 1 for update) as d`,
)

export function lockDeliveriesOf(
  tx: Tx,
  tenantId: Uuid,
  told: { id: Uuid; reference: string }[],
): Promise<{ id: Uuid; isDue: boolean }[]> {
  return tx.query(lockDeliveries, [tx.lane, tenantId, ...arraysOf(told, 'reference', 'id')])
}

const eraseAnswers = statement(
  'privacy.erase_answers',
  `with v as materialized (
     select a.place from unnest($3::uuid[]) as k (id)
       cross join lateral (
         select ctid as place, response_body from webhook_attempt
          where lane = $1 and tenant_id = $2 and delivery_id = k.id offset 0) as a
      where a.response_body is not null)
   update webhook_attempt set response_body = null
    where lane = $1 and ctid = any(array(select place from v)) returning 1`,
)

/** What receivers answered may repeat what they were told. The deliveries must be locked. */
export async function eraseAnswersTo(tx: Tx, tenantId: Uuid, deliveryIds: Uuid[]): Promise<number> {
  return (await tx.query(eraseAnswers, [tx.lane, tenantId, idsOf(deliveryIds)])).length
}

function idsOf(ids: Uuid[]): string {
  return arrayOf(ids.toSorted(), (id) => id)
}
