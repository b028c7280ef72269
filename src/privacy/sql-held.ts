// The SQL that gathers what is held about one customer, as it stands in the rows.

import { arraysOf, statement, type InLane } from '#base/db.ts'
import type { Environment } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { ofCustomerBehind, readBehind, type CustomerKey } from './sql-erase.ts'

export type CustomerRow = {
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

export async function readCustomer(db: InLane, { tenantId, reference }: CustomerKey): Promise<CustomerRow | undefined> {
  return (await db.query<CustomerRow>(customerRow, [db.lane, tenantId, reference]))[0]
}

export type AccountRow = {
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

export type OpeningRow = { accountName: string; bankSlug: string; createdAt: Date }

export async function readAccounts(
  db: InLane,
  { tenantId, reference }: CustomerKey,
): Promise<{ accounts: AccountRow[]; openings: OpeningRow[] }> {
  const values = [db.lane, tenantId, reference]
  const [accounts, openings] = await Promise.all([
    db.query<AccountRow>(accountRows, values),
    db.query<OpeningRow>(openingRows, values),
  ])
  return { accounts, openings }
}

export type DepositRow = {
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

export const readDeposits = readBehind<DepositRow>(depositRows)

export type ToldRow = { sourceId: Uuid; name: string; createdAt: Date; data: string; sentTo: string[] }

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

/** What was told of these deposits, and to whom it was sent as far as the log of webhooks still knows. */
export function readTold(db: InLane, tenantId: Uuid, deposits: { id: Uuid; reference: string }[]): Promise<ToldRow[]> {
  return db.query<ToldRow>(toldRows, [db.lane, tenantId, ...arraysOf(deposits, 'id', 'reference')])
}

export type NoticeRow = {
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

export function readNotices(
  db: InLane,
  { tenantId, reference }: CustomerKey,
  environment: Environment,
): Promise<NoticeRow[]> {
  return db.query<NoticeRow>(noticeRows, [db.lane, tenantId, reference, environment])
}
