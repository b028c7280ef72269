// The rights of the service's own role: the database refuses what the code forgets to.

import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { statement } from '#platform/db/db.ts'
import { citusUrl, skipOnCitus } from '#tests/support/citus.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { withDatabase } from '#tests/support/global-setup.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const db = database.connect()

type Table = { name: string; owner: string }

const tables = await asOwner<Table>(
  database,
  `select tablename as name, tableowner as owner from pg_tables where schemaname = 'public' order by tablename`,
)

/** The role's rights to the whole table, with the columns in brackets where a right does not cover all. */
async function grantedOn(table: string): Promise<string> {
  const rows = await asOwner<{ privilege: string; columns: string | null }>(
    database,
    `select privilege, case when not has_table_privilege('manilla_service', $1, privilege) then
              (select string_agg(attname, ', ' order by attnum) from pg_attribute
                where attrelid = $1::regclass and attnum > 0 and not attisdropped
                  and has_column_privilege('manilla_service', attrelid, attnum, privilege)) end as columns
       from unnest(array['select', 'insert', 'update', 'references']) as privilege
      where has_any_column_privilege('manilla_service', $1, privilege)
      union all
     select privilege, null from unnest(array['delete', 'truncate', 'trigger']) as privilege
      where has_table_privilege('manilla_service', $1, privilege)`,
    [table],
  )
  return rows.map(({ privilege, columns }) => (columns === null ? privilege : `${privilege} (${columns})`)).join(' ')
}

/**
 * All rights of the service's role. A table that is missing here fails the test: add the rights that the service needs.
 */
const granted: Record<string, string> = {
  api_key: 'select insert update (last_used_at, expires_at, revoked_at)',
  api_key_revocation: 'select insert',
  api_request: 'select insert delete',
  audit_entry: 'select insert',
  audit_lock: 'select update (one)',
  brake: 'select insert update (reason, since, by, by_kind) delete',
  business:
    'select insert update (name, time_zone, is_compulsory_factor, compulsory_factor_roles, has_receipt_links, logo)',
  ...(citusUrl === undefined ? {} : { citus_lane: 'select' }),
  customer: 'select insert update (first_name, last_name, email, phone_number, status, bvn, metadata, updated_at)',
  deposit:
    'select insert update (status, account_name, sender_account_name, sender_account_number, narration, return_reason, updated_at, due_at, held)',
  deposit_refund: 'select insert update (status, asked_at, asks, due_at, why, refusal, again, updated_at)',
  event: 'select insert update (data)',
  event_archive: 'select',
  event_archive_digest: 'select',
  float_movement: 'select insert',
  float_total: 'select insert update (until_at, balance, receivable, bank, cost, tenants, suspense)',
  float_wallet_total: 'select insert update (until_at, balance, receivable, bank, cost, tenants, suspense, fraction)',
  go_live_waiver: 'select insert',
  hourly_stat:
    'select insert update (count, amount, fees, took_1s, took_2s, took_5s, took_10s, took_30s, took_1m, took_2m, took_5m, took_15m, took_1h, took_6h, took_1d, took_longer) delete',
  inbound_notice: 'select insert update (sender_account_name, sender_account_number, narration, resolved_at)',
  installation: 'select update (lanes, secret_keys, password_salt)',
  invitation: 'select insert update (expires_at) delete',
  known_device: 'select insert update (seen_at) delete',
  ledger_account: 'select insert update (debits, credits, movements, touched_at, incoming, limited, switched_on)',
  ledger_archive: 'select',
  ledger_archive_digest: 'select',
  ledger_archive_sum: 'select',
  ledger_movement: 'select insert',
  letter: 'select insert update (facts, token, status, attempts, due_at, ended_at, error) delete',
  letter_choice: 'select insert update (wants) delete',
  low_balance_alert: 'select insert update (amount) delete',
  low_balance_alert_in_currency: 'select insert update (amount) delete',
  membership: 'select insert update (role) delete',
  migration: 'select',
  one_time_link: 'select insert delete',
  passkey: 'select insert update (sign_count, name, last_used_at) delete',
  passkey_challenge: 'select insert update (expires_at) delete',
  payment:
    'select insert update (status, account_name, narration, metadata, session_id, failure_reason, updated_at, completed_at, due_at, submitted_at, asks, operator_reference, customer_name, otp_expires_at, otp_accepted_at, otp_hash, otp_tries, otp_wrong, deposit_id, deposit_reference, rail, rail_word, rail_reference, succeeded_at, parked_at, attempts, submission_answer, expired_at, expired_as)',
  payout_approval: 'select insert delete',
  payout_draft:
    'select insert update (title, status, submitted_at, expires_at, content_hash, approvals_needed, rows, total, fees, decided_at, rejected_by, reason, completed_at, due_at, schedule_id, run_at, held_since) delete',
  payout_draft_row:
    'select insert update (cells, kind, amount, institution, account_number, account_name, narration, reference, errors, resolution, resolved_name, outcome, refusal, retried_in) delete',
  payout_limit: 'select insert update (per_payment, per_day, day, day_amount)',
  payout_limit_in_currency: 'select insert update (per_payment, per_day, day, day_amount)',
  payout_policy: 'select insert update',
  payout_schedule: 'select insert update (state, next_at, due_at) delete',
  person: 'select insert update (name, password, totp_secret, totp_pending, totp_last_step, is_operator, has_passkey)',
  provider_account: 'select insert',
  provider_notice: 'select insert',
  quota_count: 'select insert update (used) delete',
  rail_attempt: 'select insert',
  rail_break: 'select insert update (amount, fact, closed_at, note)',
  rail_check:
    'select insert update (due_at, from_at, to_at, step, cursor, pages, marked_cursor, cut, proved_until, why, balance, wallets)',
  rail_line:
    'select insert update (direction, cause, reference, amount, fee, currency, state, at, account_number, balance_after, seen_at, due_at, country, fraction) delete',
  rail_notice: 'select insert update (body, state, due_at, tries, why) delete',
  rail_offers: 'select insert update (offers, read_at, due_at)',
  rail_process: 'select insert update (alive_until, breakers) delete',
  rail_resumption: 'select insert update (resumed_at)',
  rail_try: 'select insert update (detail, last_at, times, milliseconds)',
  receipt_link: 'select insert delete',
  recipient:
    'select insert update (kind, name, institution, account_number, account_name, verified_at, tags, changed_at, changed_by, approved_at, due_at) delete',
  recovery_code: 'select insert delete',
  reset_request: 'select insert delete',
  retention_progress: 'select insert update (ordinal, at, id)',
  review_item: 'select insert update (closed_at, note)',
  saved_view: 'select insert delete',
  search_name: 'select insert delete',
  search_pending: 'select insert update (due_at) delete',
  search_progress: 'select insert update (ordinal, ended, worded, beginnings)',
  search_term: 'select insert delete',
  search_word: 'select insert',
  sign_in:
    'select insert update (token_hash, previous_hash, previous_until, level, stepped_up_until, wrong_codes, proven_at, seen_at) delete',
  sign_in_failure: 'select insert update (wrong, last_at, closed_until) delete',
  tenant: 'select insert',
  virtual_account: 'select insert update (account_name, status, narration, metadata, updated_at, due_at)',
  virtual_account_number: 'select insert',
  virtual_account_opening: 'select insert update (given_up_at, due_at) delete',
  webhook_attempt: 'select insert update (response_body) delete',
  webhook_delivery:
    'select insert update (status, attempts, automatic_attempts, response_code, last_error, last_attempt_at, ' +
    'next_attempt_at, retry_requested, delivered_at, updated_at, due_at) delete',
  webhook_subscription:
    'select insert update (url, events, status, disabled_because, secret, secret_hint, old_secret, old_secret_until, ' +
    'failing_since, updated_at, forgery_refused_at)',
}

describe('the service', () => {
  it('has rights to each table, and each table is in the list', () => {
    expect(tables.map(({ name }) => name)).toEqual(Object.keys(granted))
  })

  it.each(tables)('has the rights to $name that it needs, and no more', async ({ name }) => {
    expect(await grantedOn(name)).toBe(granted[name])
  })

  it('can use no view, sequence, function or further schema', async () => {
    const others = await asOwner(
      database,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i', 't') and relname !~ '^citus_'
        union all
       select proname from pg_proc where pronamespace = 'public'::regnamespace
        union all
       select nspname from pg_namespace where nspname !~ '^pg_' and nspname !~ '^citus' and nspname not in ('public', 'information_schema')`,
    )
    expect(others).toEqual([])
  })

  it('owns no table, and cannot truncate one, create a trigger on it or refer to it', async () => {
    expect(tables.length).toBeGreaterThan(5)
    for (const { name, owner } of tables) {
      expect(owner).not.toBe('manilla_service')
      expect(await grantedOn(name), name).not.toMatch(/truncate|references|trigger/)
    }
  })

  it.each([
    ['give a key to another tenant', 'update api_key set tenant_id = tenant_id'],
    ['give a key to another lane', 'update api_key set lane = lane'],
    ['exchange what a key is', 'update api_key set hash = hash'],
    ['rename a key', `update api_key set name = 'x'`],
    ['forget a key', 'delete from api_key'],
    ['forget that a key is revoked', 'delete from api_key_revocation'],
    ['say that a key was revoked at another time', 'update api_key_revocation set revoked_at = now()'],
    ['change a movement', 'update ledger_movement set amount = 1'],
    ['delete a movement', 'delete from ledger_movement'],
    ['delete an account', 'delete from ledger_account'],
    ['move an account to another tenant', 'update ledger_account set tenant_id = tenant_id'],
    ['change what was paid', 'update deposit set amount = 1'],
    ['change what a deposit cost', 'update deposit set fee = 0'],
    ['give a deposit to another tenant', 'update deposit set tenant_id = tenant_id'],
    ['say that a deposit was paid at another time', 'update deposit set paid_at = now()'],
    ['forget a deposit', 'delete from deposit'],
    ['give a number to another business', 'update virtual_account_number set tenant_id = tenant_id'],
    ['free a number', 'delete from virtual_account_number'],
    ['change what an account waits for', 'update virtual_account set amount = 1'],
    ['give an account to another customer', `update virtual_account set customer_reference = 'x'`],
    ['forget an account', 'delete from virtual_account'],
    ['rename a customer', `update customer set reference = 'x'`],
    ['forget a customer', 'delete from customer'],
    ['forget what happened', 'delete from event'],
    ['say that something else happened', `update event set name = 'x'`],
    ['change where a payment goes', `update payment set account_number = '0123456789'`],
    ['change what a notice said', 'update inbound_notice set amount = 1'],
    ['give a notice to another business', 'update provider_notice set tenant_id = tenant_id'],
    ['let a notice be credited again', 'delete from provider_notice'],
    ['change the books of a provider', 'update float_movement set amount = amount'],
    ['forget what a provider moved', 'delete from float_movement'],
    ['forget what a book came to', 'delete from float_wallet_total'],
    ['forget a break', 'delete from rail_break'],
    ['change what waits for a person', `update review_item set fact = 'x'`],
    ['forget what waits for a person', 'delete from review_item'],
    ['forget a notice', 'delete from inbound_notice'],
    ['say that a business was made at another time', `update business set created_at = now()`],
    ['give a sign-in to another person', 'update sign_in set person_id = person_id'],
    ['change the address of a person', `update person set email = 'x'`],
    ['forget a person', 'delete from person'],
    ['invite another one in their place', `update invitation set email = 'x'`],
    ['change what a link opens', 'update one_time_link set person_id = person_id'],
    ['forget a migration', 'delete from migration'],
    ['be another installation', 'update installation set id = id'],
    ['make a large object', 'select lo_create(0)'],
    ['make a large object of bytes', `select lo_from_bytea(0, 'x')`],
    ['make a large object, the old way', 'select lo_creat(-1)'],
    ['make a temporary table', 'create temporary table mine (id int)'],
    ['make a table', 'create table mine (id int)'],
    ['drop a table', 'drop table ledger_movement'],
    ['lift a check', 'alter table ledger_account drop constraint ledger_account_not_negative'],
    ['make a role', 'create role accomplice'],
    ['read passwords', 'select rolpassword from pg_authid'],
    ['read files', `select pg_read_file('postgresql.conf')`],
    ['run programs', `copy (select 1) to program 'true'`],
  ])('may not %s', async (_what, sql) => {
    await expect(db.query(statement(`test.${sql}`.slice(0, 63), sql))).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the databases beside ours', () => {
  it.for(['postgres', 'template1'])('%s is closed to the service', async (name, context) => {
    skipOnCitus(context, 'the operator decides who may connect to the other databases')
    const client = new pg.Client({ connectionString: withDatabase(database.serviceUrl, name) })
    await expect(client.connect()).rejects.toMatchObject({ code: '42501' })
  })
})
