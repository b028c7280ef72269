// Grows tables by copies of the rows that a day has left in them, for the same business and for others, because days
// alone would take an hour. A copy differs from its original in its keys, its numbers, and its due time.

import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const id = 'gen_random_uuid()'
const name = `'COPY-' || gen_random_uuid()`
const named = (column: string): string => `case when ${column} is not null then ${name} end`
const tenDigits = `(6000000000 + there + k)::text`
/** A number after the highest one; `n` counts the copies of a row. */
const behind = (column: string): string => `${column} + n * most`
/** A number after all those of the next days, for columns whose last number is stored elsewhere. */
const farBehind = (column: string): string => `${column} + 1000000000 + n * most`
/** Due in the far future, so that no loop works on these rows. */
const later = (column: string): string => `case when ${column} is not null then timestamptz '2100-01-01' end`

/** The columns in which each copy differs. */
const copied: Record<string, { own: Record<string, string>; numbered?: string }> = {
  business: { own: { id } },
  api_key: { own: { id, hash: `sha256(gen_random_uuid()::text::bytea)`, name: `'A copy'` } },
  audit_entry: { own: { number: farBehind('number') }, numbered: 'number' },
  customer: { own: { id, reference: name, ordinal: behind('ordinal') }, numbered: 'ordinal' },
  deposit: {
    own: { id, provider_id: name, ordinal: behind('ordinal'), due_at: later('due_at') },
    numbered: 'ordinal',
  },
  // Refunds that reached their payers, because the number of open ones does not grow.
  deposit_refund: {
    own: {
      deposit_id: id,
      status: `'REFUNDED'`,
      due_at: 'null::timestamptz',
      asked_at: 'coalesce(asked_at, created_at)',
    },
  },
  event: { own: { id, source_id: id } },
  // Closed items, because the open ones wait for a person and do not grow in number.
  review_item: { own: { id, subject: name, closed_at: 'coalesce(closed_at, raised_at)', note: `coalesce(note, '')` } },
  ledger_movement: { own: { id, entry: farBehind('entry') }, numbered: 'entry' },
  payment: {
    own: { id, reference: name, ordinal: behind('ordinal'), due_at: later('due_at'), rail_reference: id },
    numbered: 'ordinal',
  },
  virtual_account: {
    own: {
      id,
      account_number: tenDigits,
      reference: named('reference'),
      customer_reference: named('customer_reference'),
      ordinal: behind('ordinal'),
      due_at: later('due_at'),
    },
    numbered: 'ordinal',
  },
  virtual_account_number: { own: { account_number: tenDigits, rail_reference: named('rail_reference') } },
  webhook_attempt: { own: { delivery_id: id } },
  webhook_delivery: {
    own: {
      id,
      source_id: id,
      ordinal: behind('ordinal'),
      subscription_ordinal: behind('subscription_ordinal'),
      due_at: later('due_at'),
    },
    numbered: 'ordinal',
  },
  // Deleted subscriptions, because the number of subscriptions to an event does not grow.
  webhook_subscription: { own: { id } },
}

/** Tables that grow with the number of tenants, and those that a day leaves empty. */
const made: Record<string, string> = {
  tenant: `insert into tenant (lane, id, business_id, environment, created_at)
     select 1, ${id}, b.id, 'staging', b.created_at from business b
      where not exists (select 1 from tenant t where t.business_id = b.id)`,
  ledger_account: `insert into ledger_account (lane, tenant_id, currency, name)
     select lane, id, 'NGN', unnest('{available,reserved,rail,fees,opening}'::text[]) from tenant on conflict do nothing`,
  payout_limit: `insert into payout_limit (lane, tenant_id, per_day, day, day_amount)
     select lane, id, 100000, '2026-01-01', 0 from tenant on conflict do nothing`,
  payout_limit_in_currency: `insert into payout_limit_in_currency (lane, tenant_id, currency, per_day, day, day_amount)
     select lane, id, 'GHS', 100000, '2026-01-01', 0 from tenant on conflict do nothing`,
  low_balance_alert: `insert into low_balance_alert select lane, id, 1 from tenant on conflict do nothing`,
  low_balance_alert_in_currency: `insert into low_balance_alert_in_currency
     select lane, id, 'GHS', 1 from tenant on conflict do nothing`,
  api_key_revocation: `insert into api_key_revocation
     select lane, tenant_id, id, created_at from api_key where name = 'A copy' on conflict do nothing`,
  hourly_stat: `insert into hourly_stat
     select t.lane, t.id, timestamptz '2026-01-01 00:00Z' + n * interval '1 hour', 'bank_transfer', 'NGN', 'accepted', '', 1, 1, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
       from tenant t cross join generate_series(1, 3) as n on conflict do nothing`,
  search_term: `insert into search_term select lane, tenant_id, 'COPY', kind, ordinal from payment on conflict do nothing`,
  search_word: `insert into search_word select lane, tenant_id, 'copy', kind, ordinal from payment on conflict do nothing`,
  search_name: `insert into search_name select lane, tenant_id, 'copy', 'bank_transfer', ${name} from payment`,
  search_progress: `insert into search_progress (lane, tenant_id, kind)
     select lane, id, 'deposit' from tenant on conflict do nothing`,
  search_pending: `insert into search_pending
     select lane, tenant_id, kind, ordinal + 5000000000, '2100-01-01' from payment on conflict do nothing`,
  rail_try: `insert into rail_try
     select lane, tenant_id, id, 'status', 'unknown', '', created_at, created_at, 1, 0 from payment on conflict do nothing`,
  rail_attempt: `insert into rail_attempt
     select lane, tenant_id, id, 'before', 1, 'stopped', created_at from payment on conflict do nothing`,
  virtual_account_opening: `insert into virtual_account_opening
       (lane, tenant_id, id, type, claim, account_name, amount, amount_policy, expires_at, created_at, due_at)
     select lane, tenant_id, ${id}, 'dynamic', ${name}, 'ADA OBI', 100, 'exact', '2100-01-01', '2026-01-01', '2100-01-01'
       from payment`,
  provider_notice: `insert into provider_notice select 'production', 'bank', ${name}, lane, tenant_id from deposit`,
  rail_notice: `insert into rail_notice (environment, rail, digest, received_at, state)
     select 'production', 'bank', sha256(${id}::text::bytea), '2100-01-01', 'done' from deposit`,
  // Rows of future minutes, because the service deletes those of past ones.
  quota_count: `insert into quota_count select 100000000 + row_number() over (), sha256(${id}::text::bytea), 1 from deposit`,
  float_movement: `insert into float_movement
     select 'production', 'bank', 'NGN', 'payout', ${name}, 1, ${name}, 'balance', 'tenants', 1, '2026-01-01' from payment`,
  rail_line: `insert into rail_line (environment, rail, list, line_id, direction, cause, reference, amount, currency, state,
       at, seen_at)
     select 'production', 'bank', 'payouts', ${name}, 'out', 'payout', ${name}, 1, 'NGN', 'succeeded', '2026-01-01',
       '2026-01-01' from payment`,
  rail_break: `insert into rail_break (id, environment, rail, kind, subject, reference, fact, about_at, opened_at, closed_at,
       note)
     select ${id}, 'production', 'bank', 'amount', ${name}, '', '', '2026-01-01', '2026-01-01', '2026-01-01', ''
       from deposit`,
  inbound_notice: `insert into inbound_notice
     select 'production', 'bank', ${name}, 'SUCCESSFUL', '0', 'NGN', 1, '', '', '', '', '2026-01-01', '2026-01-01', '2026-01-01'
       from deposit`,
}

/** Tables of one row, or of a few for each installation. */
const ofInstallation = [
  'audit_lock',
  'brake',
  'float_total',
  'float_wallet_total',
  'installation',
  'migration',
  'provider_account',
  'rail_check',
  'rail_process',
  'rail_offers',
  'rail_resumption',
  'retention_progress',
]
/** A row for each person of the businesses. */
const ofPeople = [
  'person',
  'sign_in',
  'recovery_code',
  'passkey',
  'passkey_challenge',
  'membership',
  'invitation',
  'one_time_link',
  'known_device',
  'sign_in_failure',
  'letter',
  'letter_choice',
  'reset_request',
]
/** A dozen rows for each tenant and archived month; a day adds none. */
const ofArchive = [
  'event_archive',
  'event_archive_digest',
  'ledger_archive',
  'ledger_archive_sum',
  'ledger_archive_digest',
]
/** A few rows for each working day of a business. */
const ofPayouts = [
  'payout_draft',
  'payout_draft_row',
  'payout_approval',
  'payout_policy',
  'payout_schedule',
  'recipient',
  'receipt_link',
]
/** The rows of a minute are limited for each tenant, and the service deletes them after a week. */
const ofRequests = ['api_request']
const small = new Set([
  ...ofRequests,
  ...ofInstallation,
  ...ofPeople,
  ...ofArchive,
  ...ofPayouts,
  'saved_view',
  'go_live_waiver',
])

/** Grows each table to about this many rows; `tenants` of them are businesses. */
export async function growTo(database: TestDatabase, rows: number, tenants = rows / 5): Promise<void> {
  for (const [table, { own, numbered }] of Object.entries(copied)) {
    const columns = await columnsOf(database, table)
    const unknown = Object.keys(own).filter((column) => !columns.includes(column))
    if (unknown.length > 0) throw new Error(`${table} has no ${unknown.join(', ')}`)
    const values = columns.map((column) => own[column] ?? column)
    await asOwner(
      database,
      `insert into ${table} (${columns.join(', ')})
       select ${values.join(', ')} from (
         select r.*, n, row_number() over () as k, a.there, a.most
           from (select count(*) as there, coalesce(max(${numbered ?? 0}), 0) as most from ${table}) a
          cross join lateral generate_series(1, ceil($1::int / greatest(a.there, 1))::int) as n
          cross join ${table} r
          limit greatest(0, $1::int - (select count(*) from ${table}))) as s`,
      [table === 'business' ? tenants : rows],
    )
  }
  for (const sql of Object.values(made)) await asOwner(database, sql)
}

/** Returns tables that this file does not grow, where the test would not notice a scan of the whole table. */
export async function forgottenTables(database: TestDatabase): Promise<string[]> {
  const tables = await asOwner<{ name: string }>(
    database,
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  const known = new Set([...Object.keys(copied), ...Object.keys(made), ...small])
  return tables.map((table) => table.name).filter((table) => !known.has(table))
}

async function columnsOf(database: TestDatabase, table: string): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    database,
    `select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position`,
    [table],
  )
  return rows.map((row) => row.name)
}
