// Erases a customer: no row names the customer any more, and the ledger stays unchanged. First, one transaction under
// the tenant's lock erases the customer and the customer's virtual accounts, and makes the audit entry; from then on
// nothing new names the customer. Then the data in deposits, events, deliveries and notices is erased in batches of
// deposits. If the process dies in between, the customer is erased, and the same command continues.
//
// Events and deliveries are found through the deposits; the replacement text and the SQL of stored notices are in
// personal.ts. docs/privacy.md lists what is erased and what stays.

import { recordEntry } from '#audit/record.ts'
import { depositReference } from '#deposits/deposit.ts'
import { withTenants } from '#ledger/post.ts'
import type { Context, Tenant } from '#platform/context.ts'
import {
  arrayOf,
  arraysOf,
  statement,
  type InLane,
  type Statement,
  type Tx,
  type ColumnValues,
} from '#platform/db/db.ts'
import { nameKeys } from '#platform/db/folded-names.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import {
  forgetEvents,
  lockEventsOf,
  countOpenNotices,
  forgetNoticesOfCustomer,
  erased,
  erasedColumn,
} from './personal.ts'

export type CustomerOfTenant = { tenantId: Uuid; reference: string }

const lockCustomerRow = statement(
  'privacy.lock_customer',
  `select id, status from customer
    where lane = $1 and tenant_id = $2 and reference = $3 for update`,
)

type LockedCustomer = { id: Uuid; status: 'ACTIVE' | 'ERASED' }

async function lockCustomer(tx: Tx, { tenantId, reference }: CustomerOfTenant): Promise<LockedCustomer | undefined> {
  return (await tx.query<LockedCustomer>(lockCustomerRow, [tx.lane, tenantId, reference]))[0]
}

// Runs under the lock of the tenant, so it must read little: few virtual accounts are being opened at a time, and only
// deposits of the last minutes are PENDING.
const underWayQuery = statement(
  'privacy.under_way',
  `select (select array_agg(account_number order by account_number) from virtual_account
            where lane = $1 and tenant_id = $2 and customer_reference = $3 and status = 'ACTIVE') as "openAccounts",
          (select count(*) from virtual_account_opening
            where lane = $1 and tenant_id = $2 and type = 'static' and reference = $3) as openings,
          (select count(*) from deposit
            where lane = $1 and tenant_id = $2 and status = 'PENDING' and customer_reference = $3) as "pendingDeposits"`,
)

type UnderWay = { openAccounts: string[]; openings: number; pendingDeposits: number }

type OpenWorkRow = { openAccounts: string[] | null; openings: bigint; pendingDeposits: bigint }

async function findUnderWay(tx: Tx, { tenantId, reference }: CustomerOfTenant): Promise<UnderWay> {
  const [row] = await tx.query<OpenWorkRow>(underWayQuery, [tx.lane, tenantId, reference])
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

// `updated_at` stays: for a closed account it is the time of closing, by which late payments are judged.
const eraseAccountRows = statement(
  'privacy.erase_accounts',
  `update virtual_account set account_name = '${erased}', narration = null, metadata = null
    where lane = $1 and tenant_id = $2 and customer_reference = $3`,
)

function eraseCustomerAndAccounts(tx: Tx, { tenantId, reference }: CustomerOfTenant, now: Date): void {
  tx.send(eraseCustomerRow, [tx.lane, tenantId, reference, now])
  tx.send(eraseAccountRows, [tx.lane, tenantId, reference])
}

// Deposits of a customer after the number $4. The condition does not say `ordinal > 0`, so the planner cannot use the
// index of all the tenant's deposits, which covers only numbers above 0.
export const ofCustomerBehind = `customer_reference = $3 and (customer_reference, ordinal) > ($3, $4)
    order by ordinal limit $5`

const nextDeposits = statement(
  'privacy.deposits_of_customer',
  `select id, ordinal, status,
          return_reason is not null and not exists (
            select from deposit_refund
             where lane = $1 and tenant_id = $2 and deposit_id = deposit.id and status = 'REFUNDED') as "mustGoBack"
     from deposit
    where lane = $1 and tenant_id = $2 and ${ofCustomerBehind}`,
)

type DepositOfCustomer = {
  id: Uuid
  ordinal: bigint
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
  /** True if its money could not be accepted and was not refunded yet. */
  mustGoBack: boolean
}

type ReadBehind<R> = (db: InLane, customer: CustomerOfTenant, after: bigint, limit: number) => Promise<R[]>

export function readBehind<R extends object>(what: Statement): ReadBehind<R> {
  return (db, { tenantId, reference }, after, limit) => db.query<R>(what, [db.lane, tenantId, reference, after, limit])
}

const findDepositsAfter = readBehind<DepositOfCustomer>(nextDeposits)

// For each key, reads the first row at or after it, in an order that only one index has, so that the planner must use
// that index (see deposits/queries.ts).
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
  `${places} set ${['account_name', 'sender_account_name', 'sender_account_number', 'narration'].map(erasedColumn).join(', ')}
    where ${those}`,
)
const unnameAccountRows = statement(
  'privacy.unname_accounts_of_deposits',
  `${places} set account_name = '${erased}' where ${those}`,
)

// The indexer locks its row of search_progress, as this transaction does, so what it indexes afterwards is already
// erased. The row is created if it is missing, so that this transaction waits for another one that creates it at the
// same moment.
const beginFinder = statement(
  'privacy.begin_finder',
  'insert into search_progress (lane, tenant_id, kind) values ($1, $2, $3) on conflict do nothing',
)
const lockFinder = statement(
  'privacy.lock_finder',
  'select 1 from search_progress where lane = $1 and tenant_id = $2 and kind = $3 for update',
)

export function lockSearchIndex(tx: Tx, tenantId: Uuid, kind: string): void {
  tx.send(beginFinder, [tx.lane, tenantId, kind])
  tx.send(lockFinder, [tx.lane, tenantId, kind])
}

const eraseTerms = statement(
  'privacy.erase_terms',
  `with v as materialized (
     select f.place
       from unnest($3::uuid[]) as k (id)
       cross join lateral (
         select tenant_id, id, ordinal, sender_account_number from deposit
          where lane = $1 and (tenant_id, id) >= ($2, k.id) order by tenant_id, id limit 1) as d
       cross join lateral (
         select ctid as place from search_term
          where lane = $1 and tenant_id = $2 and term = d.sender_account_number and kind = 'deposit' and ordinal = d.ordinal
          limit 1) as f
      where d.tenant_id = $2 and d.id = k.id)
   delete from search_term where lane = $1 and ctid = any(array(select place from v))`,
)

// Also removes a payer who has paid other customers too: the payer's next deposit adds the name to the index again.
const eraseNames = statement(
  'privacy.erase_names',
  `with v as materialized (
     select distinct n.name, coalesce(nullif(d.sender_account_number, ''), '#' || d.ordinal) as number
       from unnest($3::uuid[]) as k (id)
       cross join lateral (
         select tenant_id, id, ordinal, sender_account_name, sender_account_number from deposit
          where lane = $1 and (tenant_id, id) >= ($2, k.id) order by tenant_id, id limit 1) as d
       cross join lateral ${nameKeys('d.sender_account_name')}
      where d.tenant_id = $2 and d.id = k.id),
   found as materialized (
     select f.place from v cross join lateral (
       select ctid as place from search_name
        where lane = $1 and tenant_id = $2 and name = v.name and kind = 'deposit' and number = v.number limit 1) as f)
   delete from search_name where lane = $1 and ctid = any(array(select place from found))`,
)

/** Erases the customer's name in all of these deposits, and the payer in those whose money need not go back. */
function eraseDeposits(tx: Tx, tenantId: Uuid, { erasable, toReturn }: { erasable: Uuid[]; toReturn: Uuid[] }): void {
  if (erasable.length > 0) {
    lockSearchIndex(tx, tenantId, 'deposit')
    tx.send(eraseTerms, [tx.lane, tenantId, idsOf(erasable)])
    tx.send(eraseNames, [tx.lane, tenantId, idsOf(erasable)])
    tx.send(eraseDepositRows, [tx.lane, tenantId, idsOf(erasable)])
  }
  if (toReturn.length > 0) tx.send(unnameAccountRows, [tx.lane, tenantId, idsOf(toReturn)])
}

// Locks deliveries in the order of their ids, like the transactions that record attempts and prune the log.
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

function lockDeliveriesOf(
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

/** Erases stored responses of receivers, because they may repeat the event. The deliveries must be locked. */
async function eraseAnswersTo(tx: Tx, tenantId: Uuid, deliveryIds: Uuid[]): Promise<number> {
  return (await tx.query(eraseAnswers, [tx.lane, tenantId, idsOf(deliveryIds)])).length
}

function idsOf(ids: Uuid[]): ColumnValues {
  return arrayOf(ids.toSorted(), (id) => id)
}

export type Blockers = UnderWay & { openNotices: number }

export type Erasure = {
  /** True if the customer was erased before, and this run repeated it. */
  again: boolean
  customerId: Uuid
  deposits: number
  events: number
  answers: number
  notices: number
  /** References of deposits that still name their payer, because their money must be returned. */
  toReturn: string[]
  /** Deliveries that are still to be sent: the responses to them are not erased yet. */
  deliveriesDue: number
}

export type EraseOutcome =
  | { kind: 'erased'; erasure: Erasure }
  | { kind: 'refused'; blockers: Blockers }
  | { kind: 'not-found' }

/** Deposits per transaction, so that no lock is held for long. */
const depositsPerTransaction = 200

export async function eraseCustomer(
  ctx: Context,
  tenant: Tenant,
  { reference, note }: { reference: string; note: string },
): Promise<EraseOutcome> {
  const key = { tenantId: tenant.id, reference }
  const begun = await ctx.db.transaction((tx) => begin(ctx, tx, tenant, { key, note }), tenant.lane)
  if (begun.kind !== 'begun') return begun
  const { again, customerId } = begun
  const erasure: Erasure = {
    again,
    customerId,
    deposits: 0,
    events: 0,
    answers: 0,
    notices: 0,
    toReturn: [],
    deliveriesDue: 0,
  }
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const from: bigint = after
    after = await ctx.db.transaction((tx) => erasePage(tx, key, from, erasure), tenant.lane)
  }
  const whose = { ...key, environment: tenant.environment }
  erasure.notices = await ctx.db.transaction((tx) => forgetNoticesOfCustomer(tx, whose), tenant.lane)
  return { kind: 'erased', erasure }
}

type Begun = { kind: 'begun'; again: boolean; customerId: Uuid } | Exclude<EraseOutcome, { kind: 'erased' }>

async function begin(
  { clock, by }: Context,
  tx: Tx,
  { environment }: Tenant,
  { key, note }: { key: CustomerOfTenant; note: string },
): Promise<Begun> {
  const { tenantId, reference } = key
  const [customer, underWay, openNotices] = await withTenants(tx, [tenantId], () =>
    Promise.all([lockCustomer(tx, key), findUnderWay(tx, key), countOpenNotices(tx, { ...key, environment })]),
  )
  if (customer === undefined) return { kind: 'not-found' }
  const { id, status } = customer
  if (status === 'ERASED') return { kind: 'begun', again: true, customerId: id }
  const { openAccounts, openings, pendingDeposits } = underWay
  if (openAccounts.length + openings + pendingDeposits + openNotices > 0) {
    return { kind: 'refused', blockers: { ...underWay, openNotices } }
  }
  const nowMs = clock.now()
  eraseCustomerAndAccounts(tx, key, new Date(nowMs))
  // The reference is kept: it is the business's own key, identifies no person here, and is needed after a backup is
  // restored.
  const details = { reference, note }
  recordEntry(tx, nowMs, { by, act: 'customer.erased', tenantId, subject: formatId('customer', id), details })
  return { kind: 'begun', again: false, customerId: id }
}

/**
 * Resolves with the number after which to continue; undefined after the last deposit. The commit adds to the counts of
 * `erasure`.
 */
async function erasePage(tx: Tx, key: CustomerOfTenant, after: bigint, erasure: Erasure): Promise<bigint | undefined> {
  const { tenantId } = key
  const deposits = await findDepositsAfter(tx, key, after, depositsPerTransaction)
  // A PENDING deposit arrived after the customer was erased; a later run handles it.
  const ended = deposits
    .filter(({ status }) => status !== 'PENDING')
    .map((one) => ({ ...one, reference: depositReference(one.id) }))
  const toReturn = ended.filter(({ mustGoBack }) => mustGoBack)
  const erasable = ended.filter(({ mustGoBack }) => !mustGoBack)
  const told = ended.map(({ id }) => id)
  eraseDeposits(tx, tenantId, { erasable: erasable.map(({ id }) => id), toReturn: toReturn.map(({ id }) => id) })
  const deliveries = await lockDeliveriesOf(tx, tenantId, ended)
  const answers = await eraseAnswersTo(
    tx,
    tenantId,
    deliveries.map(({ id }) => id),
  )
  const events = forgetEvents(tx, await lockEventsOf(tx, tenantId, told))
  tx.afterCommit(() => {
    erasure.deposits += erasable.length
    erasure.events += events
    erasure.answers += answers
    erasure.toReturn.push(...toReturn.map(({ reference }) => reference))
    erasure.deliveriesDue += deliveries.filter(({ isDue }) => isDue).length
  })
  return deposits.length < depositsPerTransaction ? undefined : deposits.at(-1)?.ordinal
}
