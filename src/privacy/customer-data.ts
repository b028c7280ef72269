// Collects all data about one customer in terms of the API, for a customer who requests it. Each request makes an
// audit entry, because the result contains a BVN.

import { recordEntry } from '#audit/record.ts'
import { depositReference } from '#deposits/deposit.ts'
import type { Environment, Context, Tenant } from '#platform/context.ts'
import { arraysOf, statement, type InLane, inLane } from '#platform/db/db.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import { amountMax, toMoney, toWire } from '#platform/money.ts'
import type { SecretBox } from '#platform/secrets.ts'
import { bvnContext } from '#virtual-accounts/customers.ts'
import { ofCustomerBehind, readBehind, type CustomerOfTenant } from './erase.ts'

type CustomerRow = {
  id: Uuid
  reference: string
  status: string
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  sealedBvn: Buffer | null
  metadata: string | null
  createdAt: Date
  updatedAt: Date
}

const customerRow = statement(
  'privacy.held_customer',
  `select id, reference, status, first_name as "firstName", last_name as "lastName", email, phone_number as "phoneNumber",
          bvn as "sealedBvn", metadata, created_at as "createdAt", updated_at as "updatedAt"
     from customer where lane = $1 and tenant_id = $2 and reference = $3`,
)

async function readCustomer(db: InLane, { tenantId, reference }: CustomerOfTenant): Promise<CustomerRow | undefined> {
  return (await db.query<CustomerRow>(customerRow, [db.lane, tenantId, reference]))[0]
}

type HeldAccountRow = {
  accountNumber: string
  accountName: string
  bankName: string
  status: string
  createdAt: Date
  updatedAt: Date
}

const accountRows = statement(
  'privacy.held_accounts',
  `select account_number as "accountNumber", account_name as "accountName", bank_name as "bankName", status,
          created_at as "createdAt", updated_at as "updatedAt"
     from virtual_account where lane = $1 and tenant_id = $2 and customer_reference = $3 order by ordinal`,
)
const openingRows = statement(
  'privacy.held_openings',
  `select account_name as "accountName", bank_slug as "bankSlug", created_at as "createdAt" from virtual_account_opening
    where lane = $1 and tenant_id = $2 and type = 'static' and reference = $3 order by created_at`,
)

type HeldOpeningRow = { accountName: string; bankSlug: string; createdAt: Date }

async function readAccounts(
  db: InLane,
  { tenantId, reference }: CustomerOfTenant,
): Promise<{ accounts: HeldAccountRow[]; openings: HeldOpeningRow[] }> {
  const values = [db.lane, tenantId, reference]
  const [accounts, openings] = await Promise.all([
    db.query<HeldAccountRow>(accountRows, values),
    db.query<HeldOpeningRow>(openingRows, values),
  ])
  return { accounts, openings }
}

type DepositRow = {
  id: Uuid
  ordinal: bigint
  status: string
  currency: string
  amount: bigint
  fee: bigint
  accountNumber: string
  accountName: string
  bankName: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  paidAt: Date
  createdAt: Date
  updatedAt: Date
}

const depositRows = statement(
  'privacy.held_deposits',
  `select id, ordinal, status, currency, amount, fee, account_number as "accountNumber", account_name as "accountName",
          bank_name as "bankName", sender_account_name as "senderAccountName", sender_account_number as "senderAccountNumber",
          sender_bank_name as "senderBankName", narration, paid_at as "paidAt", created_at as "createdAt",
          updated_at as "updatedAt"
     from deposit where lane = $1 and tenant_id = $2 and ${ofCustomerBehind}`,
)

const readDeposits = readBehind<DepositRow>(depositRows)

type ToldRow = { sourceId: Uuid; name: string; createdAt: Date; data: string; sentTo: string[] }

const toldRows = statement(
  'privacy.held_events',
  `select e.source_id as "sourceId", e.name, e.created_at as "createdAt", e.data, sent.to as "sentTo"
     from unnest($3::uuid[], $4::text[]) as k (source_id, reference)
     cross join lateral (
       select * from event where lane = $1 and tenant_id = $2 and source_id = k.source_id order by name limit 100) as e
     cross join lateral (
       select coalesce(array_agg(s.url order by d.ordinal), '{}') as to
         from (select * from webhook_delivery
                where lane = $1 and tenant_id = $2 and reference = k.reference and reference <> '' offset 0) as d
         cross join lateral (
           select url from webhook_subscription where lane = $1 and tenant_id = $2 and id = d.subscription_id limit 1) as s
        where d.source_id = e.source_id and d.event = e.name and d.attempts > 0) as sent`,
)

/** The events of these deposits, and the URLs to which they were sent, as far as the webhook log still has them. */
function readTold(db: InLane, tenantId: Uuid, deposits: { id: Uuid; reference: string }[]): Promise<ToldRow[]> {
  return db.query<ToldRow>(toldRows, [db.lane, tenantId, ...arraysOf(deposits, 'id', 'reference')])
}

type NoticeRow = {
  provider: string
  providerId: string
  status: string
  accountNumber: string
  currency: string
  amount: bigint
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  occurredAt: Date
}

const noticeRows = statement(
  'privacy.held_notices',
  `select n.provider, n.provider_id as "providerId", n.status, n.account_number as "accountNumber", n.currency, n.amount,
          n.sender_account_name as "senderAccountName", n.sender_account_number as "senderAccountNumber",
          n.sender_bank_name as "senderBankName", n.narration, n.occurred_at as "occurredAt"
     from virtual_account a
     cross join lateral (
       select * from inbound_notice where environment = $4 and account_number = a.account_number) as n
    where a.lane = $1 and a.tenant_id = $2 and a.customer_reference = $3 order by n.received_at`,
)

function readNotices(
  db: InLane,
  { tenantId, reference }: CustomerOfTenant,
  environment: Environment,
): Promise<NoticeRow[]> {
  return db.query<NoticeRow>(noticeRows, [db.lane, tenantId, reference, environment])
}

/** Limited, because the document is built in memory. Further deposits are available through the API. */
const depositsMax = 10_000
const depositsPerPage = 500

export type CustomerData = Awaited<ReturnType<typeof gather>>

export async function showCustomer(
  ctx: Context,
  box: SecretBox,
  tenant: Tenant,
  reference: string,
): Promise<CustomerData | undefined> {
  const { by, clock } = ctx
  const key = { tenantId: tenant.id, reference }
  const customer = await readCustomer(inLane(ctx.db, tenant.lane), key)
  if (customer === undefined) return undefined
  const subject = formatId('customer', customer.id)
  // The access is recorded before the data is read, so that none goes unrecorded.
  await ctx.db.transaction((tx) => {
    recordEntry(tx, clock.now(), { by, act: 'customer.shown', tenantId: tenant.id, subject, details: { reference } })
    return Promise.resolve()
  }, tenant.lane)
  return gather(inLane(ctx.db, tenant.lane), tenant, key, customerData(box, customer))
}

async function gather(db: InLane, tenant: Tenant, key: CustomerOfTenant, customer: ReturnType<typeof customerData>) {
  const [{ accounts, openings }, notices] = await Promise.all([
    readAccounts(db, key),
    readNotices(db, key, tenant.environment),
  ])
  const deposits: ReturnType<typeof depositsData> = []
  let after = 0n
  let full = true
  while (full && deposits.length < depositsMax) {
    const page = (await readDeposits(db, key, after, depositsPerPage)).map((row) => ({
      ...row,
      reference: depositReference(row.id),
    }))
    deposits.push(...depositsData(page, await readTold(db, tenant.id, page)))
    after = page.at(-1)?.ordinal ?? after
    full = page.length === depositsPerPage
  }
  return {
    customer,
    accounts,
    openings,
    deposits,
    /** True if there may be more: `deposits` has the oldest, GET /v1/deposits?customerReference=… has all. */
    hasMoreDeposits: full,
    notices: notices.map((notice) => ({ ...notice, amount: amountOf(notice.amount) })),
  }
}

function customerData(box: SecretBox, { id, sealedBvn, metadata, ...rest }: CustomerRow) {
  return {
    id: formatId('customer', id),
    ...rest,
    bvn: sealedBvn === null ? null : box.open(sealedBvn, bvnContext(id)),
    metadata: metadata === null ? null : (JSON.parse(metadata) as unknown),
  }
}

function depositsData(deposits: (DepositRow & { reference: string })[], told: ToldRow[]) {
  return deposits.map(({ id, ordinal: _number, amount, fee, ...rest }) => ({
    id: formatId('deposit', id),
    ...rest,
    amount: amountOf(amount),
    fee: amountOf(fee),
    events: told
      .filter(({ sourceId }) => sourceId === id)
      .map(({ name, createdAt, data, sentTo }) => ({ name, createdAt, sentTo, data: JSON.parse(data) as unknown })),
  }))
}

/** An amount from a provider may exceed 2^53 - 1, the largest exact JSON integer; then it is written as text. */
function amountOf(amount: bigint): number | string {
  return amount <= amountMax ? toWire(toMoney(amount)) : amount.toString()
}
