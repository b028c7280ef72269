// The SQL of notices: whose one is, over all tenants, and those that are kept because they could not become money yet.

import type { Environment } from '#base/context.ts'
import { arrayOf, arraysOf, statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { OwnedNotice } from './command.ts'

export type NoticeId = { environment: Environment; provider: string; providerId: string }
type Taken = NoticeId & { tenantId: Uuid }

// In the order of the key, so that two lanes that take the same notices wait for each other in line.
const takeRows = statement(
  'deposits.take_notices',
  `insert into provider_notice (lane, environment, provider, provider_id, tenant_id)
   select $1, v.* from unnest($2::text[], $3::text[], $4::text[], $5::uuid[]) as v (environment, provider, provider_id, tenant_id)
    order by v.environment, v.provider, v.provider_id
   on conflict do nothing
   returning environment, provider, provider_id as "providerId", tenant_id as "tenantId"`,
)

/** Those that were nobody's, and are now taken. Waits for other transactions that are taking the same. */
export function takeNotices(tx: Tx, wanted: Taken[]): Promise<Taken[]> {
  return tx.query<Taken>(takeRows, [tx.lane, ...keyColumns(wanted), arrayOf(wanted, ({ tenantId }) => tenantId)])
}

const ownersOf = statement(
  'deposits.owners_of_notices',
  `select n.environment, n.provider, n.provider_id as "providerId", n.tenant_id as "tenantId"
     from unnest($1::text[], $2::text[], $3::text[]) as k (environment, provider, provider_id)
     cross join lateral (
       select * from provider_notice
        where environment = k.environment and provider = k.provider and provider_id = k.provider_id limit 1) as n`,
)

export function findOwnersOfNotices(tx: Tx, notices: NoticeId[]): Promise<Taken[]> {
  return tx.query<Taken>(ownersOf, keyColumns(notices))
}

function keyColumns(notices: NoticeId[]): string[] {
  return arraysOf(notices, 'environment', 'provider', 'providerId')
}

const keepRow = statement(
  'deposits.keep_notice',
  `insert into inbound_notice
     (environment, provider, provider_id, status, account_number, currency, amount, sender_account_name,
      sender_account_number, sender_bank_name, narration, occurred_at, received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict do nothing`,
)

/** The same thing said twice is kept once. */
export function keepNotice(tx: Tx, environment: Environment, notice: OwnedNotice, now: Date): void {
  tx.send(keepRow, [
    environment,
    notice.provider,
    notice.providerId,
    notice.status,
    notice.accountNumber,
    notice.currency,
    notice.amount,
    notice.senderAccountName,
    notice.senderAccountNumber,
    notice.senderBankName,
    notice.narration,
    new Date(notice.occurredAtMs),
    now,
  ])
}

const keptRows = statement(
  'deposits.find_kept_notices',
  `select provider, provider_id as "providerId", status, account_number as "accountNumber", currency, amount,
          sender_account_name as "senderAccountName", sender_account_number as "senderAccountNumber",
          sender_bank_name as "senderBankName", narration, occurred_at as "occurredAt"
     from inbound_notice where environment = $1 and provider = $2 and provider_id = $3`,
)

/** All that a provider has said of this money and that was kept. */
export async function findKeptNotices(db: Queryable, notice: NoticeId): Promise<OwnedNotice[]> {
  const values = [notice.environment, notice.provider, notice.providerId]
  const rows = await db.query<Omit<OwnedNotice, 'occurredAtMs'> & { occurredAt: Date }>(keptRows, values)
  return rows.map(({ occurredAt, ...kept }) => ({ ...kept, occurredAtMs: occurredAt.getTime() }))
}

const openRows = statement(
  'deposits.open_notices',
  `select n.environment, n.provider, n.provider_id as "providerId"
     from unnest($1::text[], $2::text[], $3::text[]) as k (environment, provider, provider_id)
     cross join lateral (
       select environment, provider, provider_id from inbound_notice
        where environment = k.environment and provider = k.provider and provider_id = k.provider_id
          and resolved_at is null limit 1) as n`,
)

/** Those that wait for a person. */
export function findOpenNotices(tx: Tx, notices: NoticeId[]): Promise<NoticeId[]> {
  return tx.query<NoticeId>(openRows, keyColumns(notices))
}

const resolveRows = statement(
  'deposits.resolve_notice',
  `update inbound_notice set resolved_at = $4
    where environment = $1 and provider = $2 and provider_id = $3 and resolved_at is null`,
)

export function resolveNotice(tx: Tx, { environment, provider, providerId }: NoticeId, at: Date): void {
  tx.send(resolveRows, [environment, provider, providerId, at])
}
