-- Generated from db/migrations by `npm run generate`. Do not edit; nothing executes it.
-- Every table, what refuses nonsense in it, and what the service's own role may do. The reasons stand in the migrations.

create table api_key (
  id uuid not null,
  lane smallint not null,
  tenant_id uuid not null,
  hash bytea not null,
  prefix text not null,
  last_four text not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  scopes text[],
  allow cidr[],
  made_to_expire_at timestamp with time zone,
  created_by text,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint api_key_allow CHECK (allow <> '{}'::cidr[]),
  constraint api_key_hash_check CHECK (octet_length(hash) = 32),
  constraint api_key_last_four_check CHECK (length(last_four) = 4),
  constraint api_key_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint api_key_scopes CHECK (scopes <@ ARRAY['read'::text, 'collect'::text, 'payout'::text, 'webhooks'::text, 'sandbox'::text] AND scopes <> '{}'::text[])
);
CREATE INDEX api_key_tenant ON api_key USING btree (lane, tenant_id, created_at);
grant insert, select, update (last_used_at, expires_at, revoked_at) on api_key to manilla_service;

create table api_key_revocation (
  lane smallint not null,
  tenant_id uuid not null,
  key_id uuid not null,
  revoked_at timestamp with time zone not null,
  constraint api_key_revocation_pkey PRIMARY KEY (lane, tenant_id, key_id),
  constraint api_key_revocation_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id)
);
grant insert, select on api_key_revocation to manilla_service;

create table api_request (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  request_id text not null,
  key_id uuid not null,
  method text not null,
  route text not null,
  reference text,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  address text not null,
  agent text not null,
  body text,
  faults text,
  constraint api_request_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint api_request_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint api_request_address_check CHECK (length(address) <= 100),
  constraint api_request_agent_check CHECK (length(agent) <= 100),
  constraint api_request_body_check CHECK (length(body) <= 2048),
  constraint api_request_duration_ms_check CHECK (duration_ms >= 0),
  constraint api_request_error_code_check CHECK (length(error_code) <= 60),
  constraint api_request_faults_check CHECK (length(faults) <= 2048),
  constraint api_request_method_check CHECK (length(method) <= 10),
  constraint api_request_reference_check CHECK (length(reference) <= 100),
  constraint api_request_request_id_check CHECK (length(request_id) <= 128),
  constraint api_request_route_check CHECK (length(route) <= 200)
);
CREATE INDEX api_request_at ON api_request USING btree (lane, at);
CREATE INDEX api_request_request_id ON api_request USING btree (lane, tenant_id, request_id);
grant delete, insert, select on api_request to manilla_service;

create table audit_entry (
  number bigint not null,
  at timestamp with time zone not null,
  actor_kind text not null,
  actor text not null,
  address text,
  act text not null,
  tenant_id uuid,
  subject text,
  details text not null,
  hash bytea not null,
  business_id uuid,
  person_id uuid,
  role text,
  device text,
  request_id text,
  outcome text,
  constraint audit_entry_pkey PRIMARY KEY (number),
  constraint audit_entry_act_check CHECK (act ~ '^[a-z-]+[.][a-z-]+$'::text AND length(act) <= 60),
  constraint audit_entry_actor_check CHECK (length(actor) >= 1 AND length(actor) <= 200),
  constraint audit_entry_actor_kind_check CHECK (actor_kind = ANY (ARRAY['terminal'::text, 'person'::text, 'key'::text, 'service'::text])),
  constraint audit_entry_address_check CHECK (length(address) >= 1 AND length(address) <= 100),
  constraint audit_entry_details_check CHECK (length(details) <= 4000),
  constraint audit_entry_device CHECK (length(device) <= 300),
  constraint audit_entry_hash_check CHECK (octet_length(hash) = 32),
  constraint audit_entry_number_check CHECK (number > 0),
  constraint audit_entry_outcome CHECK (outcome = ANY (ARRAY['asked'::text, 'done'::text, 'refused'::text, 'failed'::text])),
  constraint audit_entry_request CHECK (length(request_id) >= 1 AND length(request_id) <= 100),
  constraint audit_entry_role CHECK (length(role) >= 1 AND length(role) <= 20),
  constraint audit_entry_subject_check CHECK (length(subject) >= 1 AND length(subject) <= 200)
);
CREATE INDEX audit_entry_business ON audit_entry USING btree (business_id, number) WHERE business_id IS NOT NULL;
CREATE INDEX audit_entry_tenant ON audit_entry USING btree (tenant_id, number);
grant insert, select on audit_entry to manilla_service;

create table audit_lock (
  one boolean not null,
  constraint audit_lock_pkey PRIMARY KEY (one),
  constraint audit_lock_one_check CHECK (one)
);
grant select, update (one) on audit_lock to manilla_service;

create table brake (
  environment text not null,
  business_id uuid,
  rail text,
  reason text,
  since timestamp with time zone not null,
  by text not null,
  by_kind text,
  constraint brake_environment_business_id_rail_key UNIQUE NULLS NOT DISTINCT (environment, business_id, rail),
  constraint brake_business_id_fkey FOREIGN KEY (business_id) REFERENCES business(id),
  constraint brake_check CHECK (length(reason) <= 500 OR rail IS NOT NULL),
  constraint brake_check1 CHECK (business_id IS NULL OR rail IS NULL),
  constraint brake_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint brake_rail_check CHECK (rail <> ''::text)
);
grant delete, insert, select, update (reason, since, by, by_kind) on brake to manilla_service;

create table business (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null,
  time_zone text not null default 'Africa/Lagos'::text,
  is_compulsory_factor boolean not null default false,
  compulsory_factor_roles text[],
  has_receipt_links boolean not null default true,
  logo bytea,
  constraint business_pkey PRIMARY KEY (id),
  constraint business_logo_check CHECK (octet_length(logo) <= 409600),
  constraint business_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
grant insert, select, update (name, time_zone, is_compulsory_factor, compulsory_factor_roles, has_receipt_links, logo) on business to manilla_service;

create table customer (
  lane smallint not null,
  tenant_id uuid not null,
  reference text not null,
  id uuid not null,
  ordinal bigint not null,
  first_name text not null,
  last_name text not null,
  email text,
  phone_number text,
  status text not null,
  bvn bytea,
  metadata text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint customer_pkey PRIMARY KEY (lane, tenant_id, reference),
  constraint customer_check CHECK (updated_at >= created_at),
  constraint customer_erased CHECK (status <> 'ERASED'::text OR first_name = 'erased'::text AND last_name = 'erased'::text AND email IS NULL AND phone_number IS NULL AND bvn IS NULL AND metadata IS NULL),
  constraint customer_ordinal_check CHECK (ordinal > 0),
  constraint customer_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 100),
  constraint customer_status_check CHECK (status = ANY (ARRAY['ACTIVE'::text, 'ERASED'::text]))
);
CREATE INDEX customer_by_email ON customer USING btree (lane, tenant_id, lower(email), ordinal) WHERE email IS NOT NULL;
CREATE INDEX customer_by_last_name ON customer USING btree (lane, tenant_id, btrim(regexp_replace(lower(regexp_replace(NORMALIZE((last_name || ' '::text) || first_name, NFD) COLLATE "C", '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), '[[:space:][:punct:]]+'::text, ' '::text, 'g'::text)), ordinal) WHERE first_name <> ''::text;
CREATE INDEX customer_by_name ON customer USING btree (lane, tenant_id, btrim(regexp_replace(lower(regexp_replace(NORMALIZE((first_name || ' '::text) || last_name, NFD) COLLATE "C", '[\u0300-\u036f]+'::text, ''::text, 'g'::text)), '[[:space:][:punct:]]+'::text, ' '::text, 'g'::text)), ordinal) WHERE first_name <> ''::text;
CREATE INDEX customer_by_phone ON customer USING btree (lane, tenant_id, phone_number, ordinal) WHERE phone_number IS NOT NULL;
CREATE UNIQUE INDEX customer_ordinal ON customer USING btree (lane, tenant_id, ordinal) WHERE ordinal > 0;
grant insert, select, update (first_name, last_name, email, phone_number, status, bvn, metadata, updated_at) on customer to manilla_service;

create table deposit (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  ordinal bigint not null,
  status text not null,
  currency text not null,
  amount bigint not null,
  fee bigint not null,
  provider text not null,
  provider_id text not null,
  account_number text not null,
  account_name text not null,
  bank_name text not null,
  customer_reference text,
  sender_account_name text not null,
  sender_account_number text not null,
  sender_bank_name text not null,
  narration text not null,
  return_reason text,
  paid_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  due_at timestamp with time zone,
  held boolean not null default false,
  constraint deposit_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint deposit_amount_check CHECK (amount > 0),
  constraint deposit_check CHECK (fee >= 0 AND fee <= amount),
  constraint deposit_check1 CHECK (updated_at >= created_at),
  constraint deposit_check2 CHECK (status <> 'PENDING'::text OR updated_at = created_at),
  constraint deposit_check3 CHECK (return_reason IS NULL OR status = 'FAILED'::text),
  constraint deposit_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint deposit_ordinal_check CHECK (ordinal > 0),
  constraint deposit_return_reason_check CHECK (return_reason = ANY (ARRAY['UNDERPAID'::text, 'OVERPAID'::text, 'EXPIRED'::text, 'ALREADY_PAID'::text, 'ACCOUNT_CLOSED'::text])),
  constraint deposit_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'SUCCESSFUL'::text, 'FAILED'::text]))
) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0.5, autovacuum_vacuum_insert_threshold=200000);
CREATE INDEX deposit_due ON deposit USING btree (lane, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deposit_failed_of_account ON deposit USING btree (lane, tenant_id, account_number, ordinal) WHERE status = 'FAILED'::text AND account_number <> ''::text AND ordinal > 0;
CREATE UNIQUE INDEX deposit_notice ON deposit USING btree (lane, tenant_id, provider, provider_id);
CREATE INDEX deposit_of_account ON deposit USING btree (lane, tenant_id, account_number, ordinal) WHERE account_number <> ''::text;
CREATE INDEX deposit_of_customer ON deposit USING btree (lane, tenant_id, customer_reference, ordinal) WHERE customer_reference IS NOT NULL;
CREATE UNIQUE INDEX deposit_ordinal ON deposit USING btree (lane, tenant_id, ordinal) WHERE ordinal > 0;
CREATE INDEX deposit_unsettled ON deposit USING btree (lane, tenant_id, status, ordinal) WHERE status = ANY (ARRAY['PENDING'::text, 'FAILED'::text]);
grant insert, select, update (status, account_name, sender_account_name, sender_account_number, narration, return_reason, updated_at, due_at, held) on deposit to manilla_service;

create table deposit_refund (
  lane smallint not null,
  tenant_id uuid not null,
  deposit_id uuid not null,
  status text not null,
  asked_at timestamp with time zone,
  asks smallint not null default 0,
  due_at timestamp with time zone,
  why text,
  refusal text,
  again boolean not null default false,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint deposit_refund_pkey PRIMARY KEY (lane, tenant_id, deposit_id),
  constraint deposit_refund_check CHECK ((due_at IS NOT NULL) = (status = ANY (ARRAY['WAITING'::text, 'ASKED'::text]))),
  constraint deposit_refund_check1 CHECK (status <> 'ASKED'::text OR asked_at IS NOT NULL),
  constraint deposit_refund_check2 CHECK (updated_at >= created_at),
  constraint deposit_refund_status_check CHECK (status = ANY (ARRAY['WAITING'::text, 'ASKED'::text, 'REFUNDED'::text, 'REFUSED'::text]))
);
CREATE INDEX deposit_refund_all ON deposit_refund USING btree (lane, created_at);
CREATE INDEX deposit_refund_due ON deposit_refund USING btree (lane, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deposit_refund_open ON deposit_refund USING btree (lane, created_at) WHERE status <> 'REFUNDED'::text;
grant insert, select, update (status, asked_at, asks, due_at, why, refusal, again, updated_at) on deposit_refund to manilla_service;

create table event (
  lane smallint not null,
  tenant_id uuid not null,
  source_id uuid not null,
  name text not null,
  id uuid not null,
  reference text not null,
  data text not null,
  created_at timestamp with time zone not null,
  sample boolean not null default false,
  trace text,
  constraint event_pkey PRIMARY KEY (lane, tenant_id, source_id, name)
) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0.5, autovacuum_vacuum_insert_threshold=200000);
CREATE INDEX event_by_time ON event USING btree (lane, tenant_id, created_at, id) WHERE created_at IS NOT NULL;
grant insert, select, update (data) on event to manilla_service;

create table event_archive (
  lane smallint not null,
  until timestamp with time zone not null,
  since timestamp with time zone not null,
  rows bigint not null,
  removed bigint not null default 0,
  digest bytea not null,
  previous bytea,
  sealed_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint event_archive_pkey PRIMARY KEY (lane, until),
  constraint event_archive_check CHECK (since < until),
  constraint event_archive_check1 CHECK (removed >= 0 AND removed <= rows),
  constraint event_archive_check2 CHECK (removed_at IS NULL OR removed = rows),
  constraint event_archive_digest_check CHECK (octet_length(digest) = 32),
  constraint event_archive_previous_check CHECK (octet_length(previous) = 32),
  constraint event_archive_rows_check CHECK (rows >= 0)
);
grant select on event_archive to manilla_service;

create table event_archive_digest (
  lane smallint not null,
  tenant_id uuid not null,
  until timestamp with time zone not null,
  count bigint not null,
  digest numeric(40,0) not null,
  constraint event_archive_digest_pkey PRIMARY KEY (lane, tenant_id, until),
  constraint event_archive_digest_count_check CHECK (count > 0)
);
grant select on event_archive_digest to manilla_service;

create table float_movement (
  environment text not null,
  rail text not null,
  currency text not null,
  kind text not null,
  subject text not null,
  lane smallint not null,
  reference text not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  at timestamp with time zone not null,
  country text,
  fraction integer,
  constraint float_movement_pkey PRIMARY KEY (environment, rail, kind, subject),
  constraint float_movement_amount_check CHECK (amount > 0),
  constraint float_movement_check CHECK (debit <> credit),
  constraint float_movement_credit_check CHECK (credit = ANY (ARRAY['balance'::text, 'receivable'::text, 'bank'::text, 'cost'::text, 'tenants'::text, 'suspense'::text])),
  constraint float_movement_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint float_movement_debit_check CHECK (debit = ANY (ARRAY['balance'::text, 'receivable'::text, 'bank'::text, 'cost'::text, 'tenants'::text, 'suspense'::text])),
  constraint float_movement_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint float_movement_kind_check CHECK (kind = ANY (ARRAY['opening'::text, 'payout'::text, 'payout_cost'::text, 'reversal'::text, 'deposit'::text, 'deposit_cost'::text, 'unowned'::text, 'owned'::text, 'settlement'::text, 'refund'::text, 'top_up'::text, 'withdrawal'::text])),
  constraint float_movement_rail_check CHECK (rail <> ''::text)
);
CREATE INDEX float_movement_at ON float_movement USING btree (environment, rail, at);
CREATE INDEX float_movement_reference ON float_movement USING btree (environment, rail, reference);
grant insert, select on float_movement to manilla_service;

create table float_total (
  environment text not null,
  rail text not null,
  currency text not null,
  until_at timestamp with time zone not null,
  balance bigint not null,
  receivable bigint not null,
  bank bigint not null,
  cost bigint not null,
  tenants bigint not null,
  suspense bigint not null,
  constraint float_total_pkey PRIMARY KEY (environment, rail, currency),
  constraint float_total_check CHECK ((balance + receivable + bank + cost + tenants + suspense) = 0),
  constraint float_total_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint float_total_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint float_total_rail_check CHECK (rail <> ''::text)
);
grant insert, select, update (until_at, balance, receivable, bank, cost, tenants, suspense) on float_total to manilla_service;

create table float_wallet_total (
  environment text not null,
  rail text not null,
  currency text not null,
  country text not null,
  until_at timestamp with time zone not null,
  balance bigint not null,
  receivable bigint not null,
  bank bigint not null,
  cost bigint not null,
  tenants bigint not null,
  suspense bigint not null,
  fraction bigint not null default 0,
  constraint float_wallet_total_pkey PRIMARY KEY (environment, rail, currency, country),
  constraint float_wallet_total_check CHECK ((balance + receivable + bank + cost + tenants + suspense) = 0),
  constraint float_wallet_total_country_check CHECK (country ~ '^([A-Z]{2})?$'::text),
  constraint float_wallet_total_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint float_wallet_total_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint float_wallet_total_rail_check CHECK (rail <> ''::text)
);
grant insert, select, update (until_at, balance, receivable, bank, cost, tenants, suspense, fraction) on float_wallet_total to manilla_service;

create table go_live_waiver (
  lane smallint not null,
  tenant_id uuid not null,
  point text not null,
  waived_by text not null,
  reason text not null,
  created_at timestamp with time zone not null,
  constraint go_live_waiver_pkey PRIMARY KEY (lane, tenant_id, point),
  constraint go_live_waiver_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint go_live_waiver_point_check CHECK (point ~ '^[a-z-]{1,40}$'::text),
  constraint go_live_waiver_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 500),
  constraint go_live_waiver_waived_by_check CHECK (length(waived_by) >= 1 AND length(waived_by) <= 200)
);
grant insert, select on go_live_waiver to manilla_service;

create table hourly_stat (
  lane smallint not null,
  tenant_id uuid not null,
  hour timestamp with time zone not null,
  kind text not null,
  currency text not null,
  outcome text not null,
  reason text not null,
  count bigint not null,
  amount numeric(30,0) not null,
  fees numeric(30,0) not null,
  took_1s bigint not null,
  took_2s bigint not null,
  took_5s bigint not null,
  took_10s bigint not null,
  took_30s bigint not null,
  took_1m bigint not null,
  took_2m bigint not null,
  took_5m bigint not null,
  took_15m bigint not null,
  took_1h bigint not null,
  took_6h bigint not null,
  took_1d bigint not null,
  took_longer bigint not null,
  constraint hourly_stat_pkey PRIMARY KEY (lane, tenant_id, hour, kind, currency, outcome, reason),
  constraint hourly_stat_amount_check CHECK (amount > 0::numeric),
  constraint hourly_stat_count_check CHECK (count > 0),
  constraint hourly_stat_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint hourly_stat_fees_check CHECK (fees >= 0::numeric),
  constraint hourly_stat_hour_check CHECK (hour = date_trunc('hour'::text, hour, 'UTC'::text)),
  constraint hourly_stat_kind_check CHECK (kind = ANY (ARRAY['bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text, 'deposit'::text])),
  constraint hourly_stat_outcome CHECK (outcome = ANY (ARRAY['accepted'::text, 'succeeded'::text, 'failed'::text, 'returned'::text, 'success_undone'::text, 'failure_undone'::text])),
  constraint hourly_stat_reason CHECK (reason = ''::text OR (outcome = ANY (ARRAY['failed'::text, 'failure_undone'::text])))
) with (fillfactor=50);
CREATE INDEX hourly_stat_of_hour ON hourly_stat USING btree (lane, hour) WHERE hour IS NOT NULL;
grant delete, insert, select, update (count, amount, fees, took_1s, took_2s, took_5s, took_10s, took_30s, took_1m, took_2m, took_5m, took_15m, took_1h, took_6h, took_1d, took_longer) on hourly_stat to manilla_service;

create table inbound_notice (
  environment text not null,
  provider text not null,
  provider_id text not null,
  status text not null,
  account_number text not null,
  currency text not null,
  amount bigint not null,
  sender_account_name text not null,
  sender_account_number text not null,
  sender_bank_name text not null,
  narration text not null,
  occurred_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  constraint inbound_notice_pkey PRIMARY KEY (environment, provider, provider_id, status),
  constraint inbound_notice_amount_check CHECK (amount > 0),
  constraint inbound_notice_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint inbound_notice_status_check CHECK (status = ANY (ARRAY['PENDING'::text, 'SUCCESSFUL'::text, 'FAILED'::text]))
);
CREATE INDEX inbound_notice_named ON inbound_notice USING btree (received_at) WHERE sender_account_name <> 'erased'::text;
CREATE INDEX inbound_notice_of_account ON inbound_notice USING btree (account_number);
CREATE INDEX inbound_notice_open ON inbound_notice USING btree (received_at) WHERE resolved_at IS NULL;
grant insert, select, update (sender_account_name, sender_account_number, narration, resolved_at) on inbound_notice to manilla_service;

create table installation (
  id smallint not null,
  lanes smallint not null,
  secret_keys text[] not null default '{}'::text[],
  password_salt bytea,
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_id_check CHECK (id = 1),
  constraint installation_lanes_check CHECK (lanes >= 1 AND lanes <= 4096),
  constraint installation_password_salt_check CHECK (octet_length(password_salt) = 16)
);
grant select, update (lanes, secret_keys, password_salt) on installation to manilla_service;

create table invitation (
  id uuid not null,
  business_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint invitation_pkey PRIMARY KEY (id),
  constraint invitation_business_id_email_key UNIQUE (business_id, email),
  constraint invitation_token_hash_key UNIQUE (token_hash),
  constraint invitation_business_id_fkey FOREIGN KEY (business_id) REFERENCES business(id),
  constraint invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES person(id),
  constraint invitation_email_check CHECK (email = lower(email) AND length(email) >= 3 AND length(email) <= 200),
  constraint invitation_role_check CHECK (role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'finance'::text, 'support'::text, 'viewer'::text])),
  constraint invitation_token_hash_check CHECK (octet_length(token_hash) = 32)
);
grant delete, insert, select, update (expires_at) on invitation to manilla_service;

create table known_device (
  person_id uuid not null,
  token_hash bytea not null,
  seen_at timestamp with time zone not null,
  constraint known_device_pkey PRIMARY KEY (person_id, token_hash),
  constraint known_device_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint known_device_token_hash_check CHECK (octet_length(token_hash) = 32)
);
grant delete, insert, select, update (seen_at) on known_device to manilla_service;

create table ledger_account (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null,
  name text not null,
  debits bigint not null default 0,
  credits bigint not null default 0,
  movements bigint not null default 0,
  touched_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  incoming bigint not null default 0,
  limited boolean not null default false,
  switched_on boolean not null default true,
  constraint ledger_account_pkey PRIMARY KEY (lane, tenant_id, currency, name),
  constraint ledger_account_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint ledger_account_credits_check CHECK (credits >= 0),
  constraint ledger_account_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint ledger_account_debits_check CHECK (debits >= 0),
  constraint ledger_account_movements_check CHECK (movements >= 0),
  constraint ledger_account_name_check CHECK (name = ANY (ARRAY['available'::text, 'reserved'::text, 'rail'::text, 'fees'::text, 'opening'::text, 'adjustments'::text])),
  constraint ledger_account_not_negative CHECK ((name <> ALL (ARRAY['available'::text, 'reserved'::text])) OR credits >= debits)
) with (fillfactor=50);
grant insert, select, update (debits, credits, movements, touched_at, incoming, limited, switched_on) on ledger_account to manilla_service;

create table ledger_archive (
  lane smallint not null,
  until timestamp with time zone not null,
  since timestamp with time zone not null,
  rows bigint not null,
  removed bigint not null default 0,
  digest bytea not null,
  previous bytea,
  sealed_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint ledger_archive_pkey PRIMARY KEY (lane, until),
  constraint ledger_archive_check CHECK (since < until),
  constraint ledger_archive_check1 CHECK (removed >= 0 AND removed <= rows),
  constraint ledger_archive_check2 CHECK (removed_at IS NULL OR removed = rows),
  constraint ledger_archive_digest_check CHECK (octet_length(digest) = 32),
  constraint ledger_archive_previous_check CHECK (octet_length(previous) = 32),
  constraint ledger_archive_rows_check CHECK (rows >= 0)
);
grant select on ledger_archive to manilla_service;

create table ledger_archive_digest (
  lane smallint not null,
  tenant_id uuid not null,
  cause text not null,
  until timestamp with time zone not null,
  count bigint not null,
  digest numeric(40,0) not null,
  constraint ledger_archive_digest_pkey PRIMARY KEY (lane, tenant_id, cause, until),
  constraint ledger_archive_digest_cause_check CHECK (cause = ANY (ARRAY['payments'::text, 'deposits'::text])),
  constraint ledger_archive_digest_count_check CHECK (count > 0)
);
grant select on ledger_archive_digest to manilla_service;

create table ledger_archive_sum (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null,
  name text not null,
  until timestamp with time zone not null,
  debits numeric(30,0) not null,
  credits numeric(30,0) not null,
  movements bigint not null,
  last_entry bigint,
  balance_after bigint,
  constraint ledger_archive_sum_pkey PRIMARY KEY (lane, tenant_id, currency, name, until),
  constraint ledger_archive_sum_check CHECK ((last_entry IS NULL) = (balance_after IS NULL)),
  constraint ledger_archive_sum_check1 CHECK ((last_entry IS NOT NULL) = (name = 'available'::text)),
  constraint ledger_archive_sum_credits_check CHECK (credits >= 0::numeric),
  constraint ledger_archive_sum_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint ledger_archive_sum_debits_check CHECK (debits >= 0::numeric),
  constraint ledger_archive_sum_movements_check CHECK (movements > 0)
);
grant select on ledger_archive_sum to manilla_service;

create table ledger_movement (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  currency text not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  kind text not null,
  source_id uuid not null,
  reference text not null,
  entry bigint,
  balance_after bigint,
  created_at timestamp with time zone not null,
  constraint ledger_movement_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint ledger_movement_amount_check CHECK (amount > 0),
  constraint ledger_movement_check CHECK (debit <> credit),
  constraint ledger_movement_check1 CHECK ((entry IS NULL) = (balance_after IS NULL)),
  constraint ledger_movement_check2 CHECK ((entry IS NOT NULL) = (debit = 'available'::text OR credit = 'available'::text))
) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0.5, autovacuum_vacuum_insert_threshold=200000);
CREATE UNIQUE INDEX ledger_movement_adjustment ON ledger_movement USING btree (lane, tenant_id, source_id) WHERE kind = 'adjustment'::text;
CREATE UNIQUE INDEX ledger_movement_entry ON ledger_movement USING btree (lane, tenant_id, currency, entry) WHERE entry IS NOT NULL;
grant insert, select on ledger_movement to manilla_service;

create table letter (
  id uuid not null,
  kind text not null,
  key text not null,
  recipient text not null,
  person_id uuid,
  business_id uuid,
  facts text,
  token bytea,
  status text not null default 'waiting'::text,
  attempts smallint not null default 0,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  due_at timestamp with time zone,
  ended_at timestamp with time zone,
  error text,
  constraint letter_pkey PRIMARY KEY (id),
  constraint letter_key_key UNIQUE (key),
  constraint letter_attempts_check CHECK (attempts >= 0),
  constraint letter_due_check CHECK ((status = 'waiting'::text) = (due_at IS NOT NULL)),
  constraint letter_ended_check CHECK ((status = 'waiting'::text) = (ended_at IS NULL)),
  constraint letter_error_check CHECK (length(error) <= 300),
  constraint letter_facts_check CHECK (length(facts) <= 8000),
  constraint letter_forgotten_check CHECK (status = 'waiting'::text OR facts IS NULL AND token IS NULL),
  constraint letter_key_check CHECK (length(key) >= 1 AND length(key) <= 300),
  constraint letter_kind_check CHECK (kind ~ '^[a-z-]{1,40}$'::text),
  constraint letter_recipient_check CHECK (length(recipient) >= 3 AND length(recipient) <= 200),
  constraint letter_status_check CHECK (status = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text]))
);
CREATE INDEX letter_business ON letter USING btree (business_id, kind, created_at) WHERE business_id IS NOT NULL;
CREATE INDEX letter_due ON letter USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX letter_ended ON letter USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX letter_recipient ON letter USING btree (recipient, kind, created_at);
grant delete, insert, select, update (facts, token, status, attempts, due_at, ended_at, error) on letter to manilla_service;

create table letter_choice (
  person_id uuid not null,
  business_id uuid not null,
  kind text not null,
  wants boolean not null,
  constraint letter_choice_pkey PRIMARY KEY (person_id, business_id, kind),
  constraint letter_choice_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint letter_choice_kind_check CHECK (kind ~ '^[a-z-]{1,40}$'::text)
);
grant delete, insert, select, update (wants) on letter_choice to manilla_service;

create table low_balance_alert (
  lane smallint not null,
  tenant_id uuid not null,
  amount bigint not null,
  constraint low_balance_alert_pkey PRIMARY KEY (lane, tenant_id),
  constraint low_balance_alert_amount_check CHECK (amount > 0)
);
grant delete, insert, select, update (amount) on low_balance_alert to manilla_service;

create table low_balance_alert_in_currency (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null,
  amount bigint not null,
  constraint low_balance_alert_in_currency_pkey PRIMARY KEY (lane, tenant_id, currency),
  constraint low_balance_alert_in_currency_amount_check CHECK (amount > 0),
  constraint low_balance_alert_in_currency_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text AND currency <> 'NGN'::text)
);
grant delete, insert, select, update (amount) on low_balance_alert_in_currency to manilla_service;

create table membership (
  business_id uuid not null,
  person_id uuid not null,
  role text not null,
  created_at timestamp with time zone not null,
  constraint membership_pkey PRIMARY KEY (business_id, person_id),
  constraint membership_business_id_fkey FOREIGN KEY (business_id) REFERENCES business(id),
  constraint membership_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint membership_role_check CHECK (role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'finance'::text, 'support'::text, 'viewer'::text]))
);
CREATE INDEX membership_person ON membership USING btree (person_id);
grant delete, insert, select, update (role) on membership to manilla_service;

create table migration (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null,
  constraint migration_pkey PRIMARY KEY (name)
);
grant select on migration to manilla_service;

create table one_time_link (
  token_hash bytea not null,
  kind text not null,
  person_id uuid,
  expires_at timestamp with time zone not null,
  made_by uuid,
  business_id uuid,
  role text,
  constraint one_time_link_pkey PRIMARY KEY (token_hash),
  constraint one_time_link_business_id_fkey FOREIGN KEY (business_id) REFERENCES business(id),
  constraint one_time_link_made_by_fkey FOREIGN KEY (made_by) REFERENCES person(id),
  constraint one_time_link_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint one_time_link_check CHECK ((kind = 'reset'::text) = (person_id IS NOT NULL)),
  constraint one_time_link_kind_check CHECK (kind = ANY (ARRAY['welcome'::text, 'reset'::text])),
  constraint one_time_link_maker_check CHECK (num_nulls(made_by, business_id, role) = ANY (ARRAY[0, 3])),
  constraint one_time_link_token_hash_check CHECK (octet_length(token_hash) = 32)
);
CREATE INDEX one_time_link_made_by ON one_time_link USING btree (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX one_time_link_person ON one_time_link USING btree (person_id) WHERE person_id IS NOT NULL;
grant delete, insert, select on one_time_link to manilla_service;

create table passkey (
  id uuid not null,
  person_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_credential_id_key UNIQUE (credential_id),
  constraint passkey_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint passkey_credential_id_check CHECK (octet_length(credential_id) >= 1 AND octet_length(credential_id) <= 1023),
  constraint passkey_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint passkey_public_key_check CHECK (octet_length(public_key) <= 2000),
  constraint passkey_sign_count_check CHECK (sign_count >= 0)
);
CREATE INDEX passkey_person ON passkey USING btree (person_id);
grant delete, insert, select, update (sign_count, name, last_used_at) on passkey to manilla_service;

create table passkey_challenge (
  challenge_hash bytea not null,
  purpose text not null,
  asker_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint passkey_challenge_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenge_asker_hash_check CHECK (octet_length(asker_hash) = 32),
  constraint passkey_challenge_challenge_hash_check CHECK (octet_length(challenge_hash) = 32),
  constraint passkey_challenge_purpose_check CHECK (purpose = ANY (ARRAY['register'::text, 'sign-in'::text, 'confirm'::text]))
);
CREATE INDEX passkey_challenge_expires ON passkey_challenge USING btree (expires_at);
grant delete, insert, select, update (expires_at) on passkey_challenge to manilla_service;

create table payment (
  lane smallint not null,
  tenant_id uuid not null,
  reference text not null,
  id uuid not null,
  kind text not null,
  ordinal bigint not null,
  status text not null,
  currency text not null,
  amount bigint not null,
  fee bigint not null,
  bank_slug text,
  bank_name text,
  account_number text,
  account_name text,
  narration text,
  metadata text,
  session_id text,
  failure_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  due_at timestamp with time zone,
  submitted_at timestamp with time zone,
  asks smallint not null default 0,
  phone_number text,
  operator text,
  operator_reference text,
  customer_name text,
  approval text,
  otp_expires_at timestamp with time zone,
  otp_accepted_at timestamp with time zone,
  otp_hash text,
  otp_tries smallint,
  otp_wrong smallint,
  expires_at timestamp with time zone,
  deposit_id uuid,
  deposit_reference text,
  rail text not null default ''::text,
  key_id uuid,
  rail_word text,
  rail_reference uuid,
  trace text,
  succeeded_at timestamp with time zone,
  parked_at timestamp with time zone,
  attempts smallint not null default 1,
  submission_answer text,
  expired_at timestamp with time zone,
  expired_as text,
  account_reference text,
  constraint payment_pkey PRIMARY KEY (lane, tenant_id, reference),
  constraint payment_account_number_check CHECK (account_number ~ '^([0-9]{10}|[0-9]{5,7})$'::text),
  constraint payment_account_reference CHECK (account_reference ~ '^[A-Za-z0-9./ -]{1,20}$'::text),
  constraint payment_amount_check CHECK (amount > 0),
  constraint payment_approval_check CHECK (approval = ANY (ARRAY['handset'::text, 'otp'::text])),
  constraint payment_check2 CHECK ((status = 'FAILED'::text) = (failure_reason IS NOT NULL)),
  constraint payment_check4 CHECK (updated_at >= created_at),
  constraint payment_collection CHECK ((kind = 'momo_collection'::text) = (approval IS NOT NULL AND expires_at IS NOT NULL AND otp_tries IS NOT NULL AND otp_wrong IS NOT NULL)),
  constraint payment_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint payment_deposit CHECK ((kind = 'momo_collection'::text AND status = 'SUCCESS'::text) = (deposit_id IS NOT NULL)),
  constraint payment_deposit_reference CHECK ((deposit_id IS NULL) = (deposit_reference IS NULL)),
  constraint payment_expired CHECK ((expired_at IS NULL) = (expired_as IS NULL) AND (expired_at IS NULL OR kind = 'momo_collection'::text AND status = 'SUCCESS'::text)),
  constraint payment_fee_check CHECK (fee >= 0),
  constraint payment_kind_check CHECK (kind = ANY (ARRAY['bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text])),
  constraint payment_ordinal_check CHECK (ordinal > 0),
  constraint payment_otp_accepted CHECK ((otp_accepted_at IS NULL) = (otp_hash IS NULL)),
  constraint payment_otp_asked CHECK (status <> 'OTP_REQUIRED'::text AND approval IS DISTINCT FROM 'otp'::text OR otp_expires_at IS NOT NULL),
  constraint payment_otp_hash_check CHECK (otp_hash ~ '^[0-9a-f]{64}$'::text),
  constraint payment_otp_tries CHECK (otp_wrong >= 0 AND otp_wrong <= otp_tries AND otp_tries <= 3),
  constraint payment_payee CHECK (
CASE
    WHEN kind = 'bank_transfer'::text THEN bank_slug IS NOT NULL AND bank_name IS NOT NULL AND account_number IS NOT NULL AND length(account_number) = 10 AND account_name IS NOT NULL AND phone_number IS NULL AND operator IS NULL AND account_reference IS NULL
    WHEN phone_number IS NULL THEN kind = 'momo_transfer'::text AND operator IS NOT NULL AND bank_slug IS NULL AND account_number IS NOT NULL AND length(account_number) < 10
    ELSE operator IS NOT NULL AND bank_slug IS NULL AND account_number IS NULL AND account_reference IS NULL
END),
  constraint payment_phone_number_check CHECK (phone_number ~ '^\+[1-9][0-9]{6,14}$'::text),
  constraint payment_rail_word CHECK (rail_word = ANY (ARRAY['pending'::text, 'unknown'::text, 'not-found'::text, 'no-rail'::text])),
  constraint payment_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 100),
  constraint payment_status_check CHECK (status = ANY (ARRAY['queued'::text, 'PENDING'::text, 'OTP_REQUIRED'::text, 'SUCCESS'::text, 'FAILED'::text, 'REVERSED'::text])),
  constraint payment_status_of_kind CHECK (
CASE
    WHEN kind = 'momo_collection'::text THEN status <> ALL (ARRAY['queued'::text, 'REVERSED'::text])
    ELSE status <> ALL (ARRAY['PENDING'::text, 'OTP_REQUIRED'::text])
END),
  constraint payment_submission_answer CHECK (submission_answer = ANY (ARRAY['unclear'::text, 'refused'::text, 'exists'::text])),
  constraint payment_unfinished_is_due CHECK ((status <> ALL (ARRAY['queued'::text, 'PENDING'::text, 'OTP_REQUIRED'::text])) OR due_at IS NOT NULL),
  constraint payment_unfinished_or_completed CHECK ((status = ANY (ARRAY['queued'::text, 'PENDING'::text, 'OTP_REQUIRED'::text])) = (completed_at IS NULL))
) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0.5, autovacuum_vacuum_insert_threshold=200000);
CREATE INDEX payment_by_rail_reference ON payment USING btree (lane, rail_reference) WHERE rail_reference IS NOT NULL;
CREATE INDEX payment_by_status ON payment USING btree (lane, tenant_id, kind, status, ordinal) WHERE status <> 'SUCCESS'::text;
CREATE INDEX payment_due_by_way ON payment USING btree (lane, kind, rail, due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX payment_ordinal ON payment USING btree (lane, tenant_id, kind, ordinal) WHERE ordinal > 0;
CREATE INDEX payment_unfinished ON payment USING btree (lane, created_at, id) WHERE (status = ANY (ARRAY['queued'::text, 'PENDING'::text, 'OTP_REQUIRED'::text])) AND asks >= 0;
grant insert, select, update (status, account_name, narration, metadata, session_id, failure_reason, updated_at, completed_at, due_at, submitted_at, asks, operator_reference, customer_name, otp_expires_at, otp_accepted_at, otp_hash, otp_tries, otp_wrong, deposit_id, deposit_reference, rail, rail_word, rail_reference, succeeded_at, parked_at, attempts, submission_answer, expired_at, expired_as) on payment to manilla_service;

create table payout_approval (
  lane smallint not null,
  tenant_id uuid not null,
  draft_id uuid not null,
  person_id uuid not null,
  person_name text not null,
  maker_id uuid not null,
  content_hash bytea not null,
  created_at timestamp with time zone not null,
  constraint payout_approval_pkey PRIMARY KEY (lane, tenant_id, draft_id, person_id),
  constraint payout_approval_draft_fkey FOREIGN KEY (lane, tenant_id, draft_id) REFERENCES payout_draft(lane, tenant_id, id) ON DELETE CASCADE,
  constraint payout_approval_content_hash_check CHECK (octet_length(content_hash) = 32),
  constraint payout_approval_maker_check CHECK (person_id <> maker_id),
  constraint payout_approval_person_name_check CHECK (length(person_name) <= 200)
);
grant delete, insert, select on payout_approval to manilla_service;

create table payout_draft (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  key text not null,
  title text not null,
  status text not null,
  maker_id uuid not null,
  maker_name text not null,
  maker_email text not null,
  created_at timestamp with time zone not null,
  submitted_at timestamp with time zone,
  expires_at timestamp with time zone,
  content_hash bytea,
  approvals_needed smallint,
  rows integer not null,
  total bigint not null default 0,
  fees bigint not null default 0,
  decided_at timestamp with time zone,
  rejected_by text,
  reason text,
  completed_at timestamp with time zone,
  retry_of uuid,
  due_at timestamp with time zone,
  schedule_id uuid,
  run_at timestamp with time zone,
  held_since timestamp with time zone,
  currency text not null default 'NGN'::text,
  constraint payout_draft_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint payout_draft_lane_tenant_id_key_key UNIQUE (lane, tenant_id, key),
  constraint payout_draft_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint payout_draft_approvals_needed_check CHECK (approvals_needed >= 0 AND approvals_needed <= 2),
  constraint payout_draft_content_hash_check CHECK (octet_length(content_hash) = 32),
  constraint payout_draft_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint payout_draft_decided_check CHECK ((status = ANY (ARRAY['approved'::text, 'done'::text, 'rejected'::text])) = (decided_at IS NOT NULL)),
  constraint payout_draft_fees_check CHECK (fees >= 0),
  constraint payout_draft_key_check CHECK (length(key) >= 8 AND length(key) <= 64),
  constraint payout_draft_maker_email_check CHECK (length(maker_email) <= 200),
  constraint payout_draft_maker_name_check CHECK (length(maker_name) <= 200),
  constraint payout_draft_reason_check CHECK (length(reason) <= 500),
  constraint payout_draft_rejected_by_check CHECK (length(rejected_by) <= 200),
  constraint payout_draft_rows_check CHECK (rows >= 0 AND rows <= 10000),
  constraint payout_draft_status_check CHECK (status = ANY (ARRAY['editing'::text, 'waiting'::text, 'approved'::text, 'done'::text, 'rejected'::text])),
  constraint payout_draft_submitted_check CHECK (status = 'editing'::text OR num_nulls(submitted_at, expires_at, content_hash, approvals_needed) = 0),
  constraint payout_draft_title_check CHECK (length(title) >= 1 AND length(title) <= 100),
  constraint payout_draft_total_check CHECK (total >= 0)
);
CREATE INDEX payout_draft_due ON payout_draft USING btree (lane, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payout_draft_run ON payout_draft USING btree (lane, tenant_id, run_at) WHERE run_at IS NOT NULL;
grant delete, insert, select, update (title, status, submitted_at, expires_at, content_hash, approvals_needed, rows, total, fees, decided_at, rejected_by, reason, completed_at, due_at, schedule_id, run_at, held_since) on payout_draft to manilla_service;

create table payout_draft_row (
  lane smallint not null,
  tenant_id uuid not null,
  draft_id uuid not null,
  number integer not null,
  cells text not null,
  kind text not null,
  amount bigint,
  institution text,
  account_number text,
  account_name text,
  narration text,
  reference text,
  errors text,
  resolution text not null,
  resolved_name text,
  outcome text,
  refusal text,
  retried_in uuid,
  constraint payout_draft_row_pkey PRIMARY KEY (lane, tenant_id, draft_id, number),
  constraint payout_draft_row_lane_tenant_id_draft_id_reference_key UNIQUE (lane, tenant_id, draft_id, reference),
  constraint payout_draft_row_draft_fkey FOREIGN KEY (lane, tenant_id, draft_id) REFERENCES payout_draft(lane, tenant_id, id) ON DELETE CASCADE,
  constraint payout_draft_row_amount_check CHECK (amount > 0),
  constraint payout_draft_row_cells_check CHECK (length(cells) <= 20000),
  constraint payout_draft_row_kind_check CHECK (kind = ANY (ARRAY['bank'::text, 'wallet'::text])),
  constraint payout_draft_row_number_check CHECK (number >= 1),
  constraint payout_draft_row_outcome_check CHECK (outcome = ANY (ARRAY['accepted'::text, 'refused'::text])),
  constraint payout_draft_row_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 100),
  constraint payout_draft_row_refusal_check CHECK (length(refusal) <= 500),
  constraint payout_draft_row_resolution_check CHECK (resolution = ANY (ARRAY['due'::text, 'resolved'::text, 'not-found'::text, 'unavailable'::text, 'none'::text]))
);
grant delete, insert, select, update (cells, kind, amount, institution, account_number, account_name, narration, reference, errors, resolution, resolved_name, outcome, refusal, retried_in) on payout_draft_row to manilla_service;

create table payout_limit (
  lane smallint not null,
  tenant_id uuid not null,
  per_payment bigint,
  per_day bigint,
  day date not null,
  day_amount bigint not null,
  constraint payout_limit_pkey PRIMARY KEY (lane, tenant_id),
  constraint payout_limit_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint payout_limit_day_amount_check CHECK (day_amount >= 0),
  constraint payout_limit_per_day_check CHECK (per_day > 0),
  constraint payout_limit_per_payment_check CHECK (per_payment > 0)
) with (fillfactor=50);
grant insert, select, update (per_payment, per_day, day, day_amount) on payout_limit to manilla_service;

create table payout_limit_in_currency (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null,
  per_payment bigint,
  per_day bigint,
  day date not null,
  day_amount bigint not null,
  constraint payout_limit_in_currency_pkey PRIMARY KEY (lane, tenant_id, currency),
  constraint payout_limit_in_currency_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint payout_limit_in_currency_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text AND currency <> 'NGN'::text),
  constraint payout_limit_in_currency_day_amount_check CHECK (day_amount >= 0),
  constraint payout_limit_in_currency_per_day_check CHECK (per_day > 0),
  constraint payout_limit_in_currency_per_payment_check CHECK (per_payment > 0)
) with (fillfactor=50);
grant insert, select, update (per_payment, per_day, day, day_amount) on payout_limit_in_currency to manilla_service;

create table payout_policy (
  lane smallint not null,
  tenant_id uuid not null,
  mode text not null,
  above bigint,
  approvers smallint not null,
  changed_at timestamp with time zone not null,
  proposed text,
  proposed_by uuid,
  proposed_by_name text,
  proposed_at timestamp with time zone,
  above_in text,
  constraint payout_policy_pkey PRIMARY KEY (lane, tenant_id),
  constraint payout_policy_above_check CHECK (above > 0),
  constraint payout_policy_approvers_check CHECK (approvers = ANY (ARRAY[1, 2])),
  constraint payout_policy_mode_above_check CHECK ((mode = 'above'::text) = (above IS NOT NULL)),
  constraint payout_policy_mode_check CHECK (mode = ANY (ARRAY['off'::text, 'above'::text, 'every'::text])),
  constraint payout_policy_proposal_check CHECK (num_nulls(proposed, proposed_by, proposed_by_name, proposed_at) = ANY (ARRAY[0, 4])),
  constraint payout_policy_proposed_by_name_check CHECK (length(proposed_by_name) <= 200)
);
grant insert, select, update on payout_policy to manilla_service;

create table payout_schedule (
  lane smallint not null,
  tenant_id uuid not null,
  draft_id uuid not null,
  repeats text not null,
  month_day smallint,
  first_at timestamp with time zone not null,
  approval text not null,
  state text not null,
  next_at timestamp with time zone,
  due_at timestamp with time zone,
  constraint payout_schedule_pkey PRIMARY KEY (lane, tenant_id, draft_id),
  constraint payout_schedule_draft_fkey FOREIGN KEY (lane, tenant_id, draft_id) REFERENCES payout_draft(lane, tenant_id, id) ON DELETE CASCADE,
  constraint payout_schedule_approval_check CHECK (approval = ANY (ARRAY['once'::text, 'each'::text])),
  constraint payout_schedule_due_check CHECK (due_at IS NULL OR state = 'active'::text),
  constraint payout_schedule_month_day_check CHECK (month_day >= 1 AND month_day <= 31),
  constraint payout_schedule_monthly_check CHECK ((repeats = 'monthly'::text) = (month_day IS NOT NULL)),
  constraint payout_schedule_next_check CHECK ((state = 'ended'::text) = (next_at IS NULL)),
  constraint payout_schedule_repeats_check CHECK (repeats = ANY (ARRAY['never'::text, 'weekly'::text, 'monthly'::text])),
  constraint payout_schedule_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'active'::text, 'paused'::text, 'late'::text, 'unreadable'::text, 'ended'::text]))
);
CREATE INDEX payout_schedule_due ON payout_schedule USING btree (lane, due_at) WHERE due_at IS NOT NULL;
grant delete, insert, select, update (state, next_at, due_at) on payout_schedule to manilla_service;

create table person (
  id uuid not null,
  email text not null,
  name text not null,
  password text not null,
  totp_secret bytea,
  totp_pending bytea,
  totp_last_step bigint not null default 0,
  is_operator boolean not null default false,
  created_at timestamp with time zone not null,
  has_passkey boolean not null default false,
  constraint person_pkey PRIMARY KEY (id),
  constraint person_email_check CHECK (email = lower(email) AND length(email) >= 3 AND length(email) <= 200),
  constraint person_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint person_password_check CHECK (password ~~ '$argon2id$%'::text AND length(password) <= 300),
  constraint person_totp_last_step_check CHECK (totp_last_step >= 0)
);
CREATE INDEX person_email ON person USING btree (email);
grant insert, select, update (name, password, totp_secret, totp_pending, totp_last_step, is_operator, has_passkey) on person to manilla_service;

create table provider_account (
  environment text not null,
  mark text not null,
  rail text not null,
  known_since timestamp with time zone not null,
  constraint provider_account_pkey PRIMARY KEY (environment, mark),
  constraint provider_account_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint provider_account_rail_check CHECK (rail <> ''::text)
);
grant insert, select on provider_account to manilla_service;

create table provider_notice (
  environment text not null,
  provider text not null,
  provider_id text not null,
  lane smallint not null,
  tenant_id uuid not null,
  constraint provider_notice_pkey PRIMARY KEY (environment, provider, provider_id),
  constraint provider_notice_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text]))
);
grant insert, select on provider_notice to manilla_service;

create table quota_count (
  minute bigint not null,
  bucket bytea not null,
  used bigint not null,
  constraint quota_count_pkey PRIMARY KEY (minute, bucket),
  constraint quota_count_used_check CHECK (used > 0)
);
grant delete, insert, select, update (used) on quota_count to manilla_service;

create table rail_attempt (
  lane smallint not null,
  tenant_id uuid not null,
  payment_id uuid not null,
  rail text not null,
  attempt smallint not null,
  why text not null,
  left_at timestamp with time zone not null,
  constraint rail_attempt_pkey PRIMARY KEY (lane, tenant_id, payment_id, rail),
  constraint rail_attempt_attempt_check CHECK (attempt > 0),
  constraint rail_attempt_rail_check CHECK (rail <> ''::text),
  constraint rail_attempt_why_check CHECK (why = ANY (ARRAY['stopped'::text, 'misconfigured'::text, 'resting'::text, 'float'::text, 'no-rail'::text, 'refused'::text]))
);
grant insert, select on rail_attempt to manilla_service;

create table rail_break (
  id uuid not null,
  environment text not null,
  rail text not null,
  kind text not null,
  subject text not null,
  reference text not null,
  amount bigint,
  fact text not null,
  about_at timestamp with time zone not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  note text,
  currency text,
  constraint rail_break_pkey PRIMARY KEY (id),
  constraint rail_break_check CHECK (closed_at >= opened_at),
  constraint rail_break_check1 CHECK ((closed_at IS NULL) = (note IS NULL)),
  constraint rail_break_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint rail_break_kind_check CHECK (kind = ANY (ARRAY['missing-here'::text, 'unknown-account'::text, 'missing-there'::text, 'unknown-payout'::text, 'unknown-attempt'::text, 'unknown-change'::text, 'amount'::text, 'account'::text, 'state'::text, 'late-reversal'::text, 'double'::text, 'fee'::text, 'float'::text, 'unsettled'::text, 'stale'::text])),
  constraint rail_break_rail_check CHECK (rail <> ''::text)
);
CREATE INDEX rail_break_all ON rail_break USING btree (opened_at, id);
CREATE UNIQUE INDEX rail_break_fact ON rail_break USING btree (environment, rail, kind, subject);
CREATE INDEX rail_break_open ON rail_break USING btree (opened_at, id) WHERE closed_at IS NULL;
grant insert, select, update (amount, fact, closed_at, note) on rail_break to manilla_service;

create table rail_check (
  environment text not null,
  rail text not null,
  loop text not null,
  due_at timestamp with time zone,
  began_at timestamp with time zone not null,
  from_at timestamp with time zone,
  to_at timestamp with time zone,
  step text not null default 'payouts'::text,
  cursor text,
  pages integer not null default 0,
  marked_cursor text,
  cut text,
  proved_until timestamp with time zone,
  why text,
  balance bigint,
  wallets jsonb,
  constraint rail_check_pkey PRIMARY KEY (environment, rail, loop),
  constraint rail_check_check CHECK ((from_at IS NULL) = (to_at IS NULL)),
  constraint rail_check_check1 CHECK (from_at < to_at),
  constraint rail_check_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint rail_check_loop_check CHECK (loop = ANY (ARRAY['near'::text, 'close'::text, 'day'::text])),
  constraint rail_check_rail_check CHECK (rail <> ''::text),
  constraint rail_check_step_check CHECK (step = ANY (ARRAY['payouts'::text, 'deposits'::text, 'ledger'::text, 'match'::text, 'prove'::text]))
);
grant insert, select, update (due_at, from_at, to_at, step, cursor, pages, marked_cursor, cut, proved_until, why, balance, wallets) on rail_check to manilla_service;

create table rail_line (
  environment text not null,
  rail text not null,
  list text not null,
  line_id text not null,
  direction text not null,
  cause text not null,
  reference text not null,
  amount bigint not null,
  fee bigint,
  currency text not null,
  state text not null,
  at timestamp with time zone not null,
  account_number text,
  balance_after bigint,
  seen_at timestamp with time zone not null,
  due_at timestamp with time zone,
  country text,
  fraction integer,
  constraint rail_line_pkey PRIMARY KEY (environment, rail, list, line_id),
  constraint rail_line_amount_check CHECK (amount >= 0),
  constraint rail_line_cause_check CHECK (cause = ANY (ARRAY['payout'::text, 'deposit'::text, 'settlement'::text, 'refund'::text, 'fee'::text, 'other'::text])),
  constraint rail_line_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint rail_line_direction_check CHECK (direction = ANY (ARRAY['in'::text, 'out'::text])),
  constraint rail_line_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint rail_line_fee_check CHECK (fee >= 0),
  constraint rail_line_list_check CHECK (list = ANY (ARRAY['payouts'::text, 'deposits'::text, 'ledger'::text])),
  constraint rail_line_rail_check CHECK (rail <> ''::text),
  constraint rail_line_state_check CHECK (state = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'reversed'::text, 'unknown'::text]))
);
CREATE INDEX rail_line_at ON rail_line USING btree (environment, rail, list, at);
CREATE INDEX rail_line_due ON rail_line USING btree (environment, rail, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX rail_line_reference ON rail_line USING btree (environment, rail, list, reference);
grant delete, insert, select, update (direction, cause, reference, amount, fee, currency, state, at, account_number, balance_after, seen_at, due_at, country, fraction) on rail_line to manilla_service;

create table rail_notice (
  environment text not null,
  rail text not null,
  digest bytea not null,
  received_at timestamp with time zone not null,
  body bytea,
  state text not null default 'new'::text,
  due_at timestamp with time zone,
  tries smallint not null default 0,
  why text,
  constraint rail_notice_pkey PRIMARY KEY (environment, rail, digest),
  constraint rail_notice_check CHECK ((state = 'new'::text) = (due_at IS NOT NULL)),
  constraint rail_notice_check1 CHECK (state = 'done'::text OR body IS NOT NULL),
  constraint rail_notice_digest_check CHECK (octet_length(digest) = 32),
  constraint rail_notice_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint rail_notice_rail_check CHECK (rail <> ''::text),
  constraint rail_notice_state_check CHECK (state = ANY (ARRAY['new'::text, 'done'::text, 'stuck'::text])),
  constraint rail_notice_tries_check CHECK (tries >= 0)
);
CREATE INDEX rail_notice_done ON rail_notice USING btree (received_at) WHERE state = 'done'::text AND body IS NOT NULL;
CREATE INDEX rail_notice_due ON rail_notice USING btree (environment, rail, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX rail_notice_empty ON rail_notice USING btree (received_at) WHERE body IS NULL;
CREATE INDEX rail_notice_stuck ON rail_notice USING btree (received_at) WHERE state = 'stuck'::text;
grant delete, insert, select, update (body, state, due_at, tries, why) on rail_notice to manilla_service;

create table rail_offers (
  environment text not null,
  rail text not null,
  offers jsonb,
  read_at timestamp with time zone,
  due_at timestamp with time zone not null,
  constraint rail_offers_pkey PRIMARY KEY (environment, rail),
  constraint rail_offers_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint rail_offers_rail_check CHECK (rail <> ''::text)
);
grant insert, select, update (offers, read_at, due_at) on rail_offers to manilla_service;

create table rail_process (
  id uuid not null,
  alive_until timestamp with time zone not null,
  breakers jsonb not null,
  constraint rail_process_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update (alive_until, breakers) on rail_process to manilla_service;

create table rail_resumption (
  environment text not null,
  rail text not null,
  resumed_at timestamp with time zone not null,
  constraint rail_resumption_pkey PRIMARY KEY (environment, rail),
  constraint rail_resumption_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint rail_resumption_rail_check CHECK (rail <> ''::text)
);
grant insert, select, update (resumed_at) on rail_resumption to manilla_service;

create table rail_try (
  lane smallint not null,
  tenant_id uuid not null,
  payment_id uuid not null,
  asked text not null,
  answered text not null,
  detail text not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  times integer not null,
  milliseconds integer not null,
  constraint rail_try_pkey PRIMARY KEY (lane, tenant_id, payment_id, asked, answered),
  constraint rail_try_answered_check CHECK (answered = ANY (ARRAY['pending'::text, 'otp-required'::text, 'succeeded'::text, 'failed'::text, 'reversed'::text, 'unknown'::text, 'not-found'::text])),
  constraint rail_try_asked_check CHECK (asked = ANY (ARRAY['submit'::text, 'status'::text])),
  constraint rail_try_detail_check CHECK (length(detail) <= 200),
  constraint rail_try_milliseconds_check CHECK (milliseconds >= 0),
  constraint rail_try_times_check CHECK (times > 0)
);
grant insert, select, update (detail, last_at, times, milliseconds) on rail_try to manilla_service;

create table receipt_link (
  lane smallint not null,
  tenant_id uuid not null,
  reference text not null,
  id uuid not null,
  token_hash bytea not null,
  made_by text not null,
  created_at timestamp with time zone not null,
  constraint receipt_link_pkey PRIMARY KEY (lane, tenant_id, reference, id),
  constraint receipt_link_lane_tenant_id_token_hash_key UNIQUE (lane, tenant_id, token_hash),
  constraint receipt_link_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint receipt_link_made_by_check CHECK (length(made_by) <= 200),
  constraint receipt_link_reference_check CHECK (length(reference) >= 1 AND length(reference) <= 100),
  constraint receipt_link_token_hash_check CHECK (octet_length(token_hash) = 32)
);
grant delete, insert, select on receipt_link to manilla_service;

create table recipient (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  name text not null,
  institution text not null,
  account_number text not null,
  account_name text,
  verified_at timestamp with time zone,
  tags text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  changed_at timestamp with time zone,
  changed_by text,
  approved_at timestamp with time zone,
  due_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint recipient_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint recipient_lane_tenant_id_institution_account_number_key UNIQUE (lane, tenant_id, institution, account_number),
  constraint recipient_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint recipient_account_name_check CHECK (length(account_name) <= 200),
  constraint recipient_account_number_check CHECK (length(account_number) >= 1 AND length(account_number) <= 20),
  constraint recipient_changed_by_check CHECK (length(changed_by) <= 200),
  constraint recipient_institution_check CHECK (length(institution) >= 1 AND length(institution) <= 100),
  constraint recipient_kind_check CHECK (kind = ANY (ARRAY['bank'::text, 'wallet'::text])),
  constraint recipient_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
CREATE INDEX recipient_due ON recipient USING btree (lane, due_at);
grant delete, insert, select, update (kind, name, institution, account_number, account_name, verified_at, tags, changed_at, changed_by, approved_at, due_at) on recipient to manilla_service;

create table recovery_code (
  person_id uuid not null,
  hash bytea not null,
  constraint recovery_code_pkey PRIMARY KEY (person_id, hash),
  constraint recovery_code_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint recovery_code_hash_check CHECK (octet_length(hash) = 32)
);
grant delete, insert, select on recovery_code to manilla_service;

create table reset_request (
  email text not null,
  created_at timestamp with time zone not null,
  constraint reset_request_pkey PRIMARY KEY (email),
  constraint reset_request_email_check CHECK (email = lower(email) AND length(email) >= 3 AND length(email) <= 200)
);
grant delete, insert, select on reset_request to manilla_service;

create table retention_progress (
  lane smallint not null,
  tenant_id uuid not null,
  list text not null,
  ordinal bigint not null default 0,
  at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  constraint retention_progress_pkey PRIMARY KEY (lane, tenant_id, list),
  constraint retention_progress_list_check CHECK (list = ANY (ARRAY['events'::text, 'deposits'::text, 'accounts'::text, 'bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text])),
  constraint retention_progress_ordinal_check CHECK (ordinal >= 0)
);
grant insert, select, update (ordinal, at, id) on retention_progress to manilla_service;

create table review_item (
  id uuid not null,
  environment text not null,
  kind text not null,
  subject text not null,
  fact text not null,
  lane smallint,
  tenant_id uuid,
  reference text not null,
  currency text not null,
  amount bigint,
  raised_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  note text,
  constraint review_item_pkey PRIMARY KEY (id),
  constraint review_item_amount_check CHECK (amount > 0),
  constraint review_item_check CHECK (closed_at >= raised_at),
  constraint review_item_check1 CHECK ((lane IS NULL) = (tenant_id IS NULL)),
  constraint review_item_check2 CHECK ((closed_at IS NULL) = (note IS NULL)),
  constraint review_item_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint review_item_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text])),
  constraint review_item_kind_check CHECK (kind = ANY (ARRAY['notice-unowned'::text, 'notice-contradicted'::text, 'notice-stuck'::text, 'deposit-without-room'::text, 'deposit-unsettled'::text, 'refund-refused'::text, 'refund-unsettled'::text, 'payment-stuck'::text, 'payment-without-rail'::text, 'payment-contradicted'::text, 'return-without-room'::text]))
);
CREATE UNIQUE INDEX review_item_fact ON review_item USING btree (kind, subject, fact);
CREATE INDEX review_item_open ON review_item USING btree (kind, raised_at, id) WHERE closed_at IS NULL;
grant insert, select, update (closed_at, note) on review_item to manilla_service;

create table saved_view (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  noun text not null,
  name text not null,
  query text not null,
  is_shared boolean not null,
  created_at timestamp with time zone not null,
  constraint saved_view_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint saved_view_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint saved_view_name_check CHECK (length(name) >= 1 AND length(name) <= 60),
  constraint saved_view_noun_check CHECK (noun ~ '^[a-z-]{1,40}$'::text),
  constraint saved_view_query_check CHECK (length(query) <= 2000)
);
grant delete, insert, select on saved_view to manilla_service;

create table search_name (
  lane smallint not null,
  tenant_id uuid not null,
  name text not null,
  kind text not null,
  number text not null,
  constraint search_name_pkey PRIMARY KEY (lane, tenant_id, name, kind, number),
  constraint search_name_kind_check CHECK (kind = ANY (ARRAY['bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text, 'deposit'::text])),
  constraint search_name_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint search_name_number_check CHECK (length(number) >= 1 AND length(number) <= 200)
);
grant delete, insert, select on search_name to manilla_service;

create table search_pending (
  lane smallint not null,
  tenant_id uuid not null,
  kind text not null,
  ordinal bigint not null,
  due_at timestamp with time zone not null,
  constraint search_pending_pkey PRIMARY KEY (lane, tenant_id, kind, ordinal)
);
CREATE INDEX search_pending_due ON search_pending USING btree (lane, due_at) WHERE due_at IS NOT NULL;
grant delete, insert, select, update (due_at) on search_pending to manilla_service;

create table search_progress (
  lane smallint not null,
  tenant_id uuid not null,
  kind text not null,
  ordinal bigint not null default 0,
  ended bigint not null default 0,
  worded bigint not null default 0,
  beginnings text[] not null default '{}'::text[],
  constraint search_progress_pkey PRIMARY KEY (lane, tenant_id, kind),
  constraint search_progress_check CHECK (ended >= 0 AND ended <= ordinal),
  constraint search_progress_kind_check CHECK (kind = ANY (ARRAY['bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text, 'deposit'::text])),
  constraint search_progress_ordinal_check CHECK (ordinal >= 0)
) with (fillfactor=50);
grant insert, select, update (ordinal, ended, worded, beginnings) on search_progress to manilla_service;

create table search_term (
  lane smallint not null,
  tenant_id uuid not null,
  term text not null,
  kind text not null,
  ordinal bigint not null,
  constraint search_term_pkey PRIMARY KEY (lane, tenant_id, term, kind, ordinal),
  constraint search_term_kind_check CHECK (kind = ANY (ARRAY['bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text, 'deposit'::text])),
  constraint search_term_ordinal_check CHECK (ordinal > 0),
  constraint search_term_term_check CHECK (length(term) >= 1 AND length(term) <= 200)
);
grant delete, insert, select on search_term to manilla_service;

create table search_word (
  lane smallint not null,
  tenant_id uuid not null,
  word text not null,
  kind text not null,
  ordinal bigint not null,
  constraint search_word_pkey PRIMARY KEY (lane, tenant_id, word, kind, ordinal),
  constraint search_word_kind_check CHECK (kind = ANY (ARRAY['bank_transfer'::text, 'momo_transfer'::text, 'momo_collection'::text])),
  constraint search_word_ordinal_check CHECK (ordinal > 0),
  constraint search_word_word_check CHECK (length(word) >= 1 AND length(word) <= 200)
);
grant insert, select on search_word to manilla_service;

create table sign_in (
  id uuid not null,
  person_id uuid not null,
  token_hash bytea not null,
  previous_hash bytea,
  previous_until timestamp with time zone,
  level text not null,
  stepped_up_until timestamp with time zone,
  wrong_codes smallint not null default 0,
  address text not null,
  device text not null,
  created_at timestamp with time zone not null,
  proven_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint sign_in_pkey PRIMARY KEY (id),
  constraint sign_in_previous_hash_key UNIQUE (previous_hash),
  constraint sign_in_token_hash_key UNIQUE (token_hash),
  constraint sign_in_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id),
  constraint sign_in_address_check CHECK (length(address) >= 1 AND length(address) <= 100),
  constraint sign_in_device_check CHECK (length(device) <= 300),
  constraint sign_in_level_check CHECK (level = ANY (ARRAY['half'::text, 'full'::text])),
  constraint sign_in_previous_hash_check CHECK (octet_length(previous_hash) = 32),
  constraint sign_in_token_hash_check CHECK (octet_length(token_hash) = 32),
  constraint sign_in_wrong_codes_check CHECK (wrong_codes >= 0)
);
CREATE INDEX sign_in_person ON sign_in USING btree (person_id);
grant delete, insert, select, update (token_hash, previous_hash, previous_until, level, stepped_up_until, wrong_codes, proven_at, seen_at) on sign_in to manilla_service;

create table sign_in_failure (
  bucket text not null,
  wrong integer not null,
  last_at timestamp with time zone not null,
  closed_until timestamp with time zone not null,
  constraint sign_in_failure_pkey PRIMARY KEY (bucket),
  constraint sign_in_failure_bucket_check CHECK (length(bucket) >= 1 AND length(bucket) <= 100),
  constraint sign_in_failure_wrong_check CHECK (wrong >= 0)
);
CREATE INDEX sign_in_failure_last ON sign_in_failure USING btree (last_at);
grant delete, insert, select, update (wrong, last_at, closed_until) on sign_in_failure to manilla_service;

create table tenant (
  lane smallint not null,
  id uuid not null,
  business_id uuid not null,
  environment text not null,
  created_at timestamp with time zone not null,
  constraint tenant_pkey PRIMARY KEY (lane, id),
  constraint tenant_business_id_environment_key UNIQUE (business_id, environment),
  constraint tenant_business_id_fkey FOREIGN KEY (business_id) REFERENCES business(id),
  constraint tenant_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text]))
);
grant insert, select on tenant to manilla_service;

create table virtual_account (
  lane smallint not null,
  tenant_id uuid not null,
  account_number text not null,
  id uuid not null,
  ordinal bigint not null,
  type text not null,
  reference text,
  account_name text not null,
  bank_name text not null,
  bank_slug text not null,
  currency text not null,
  status text not null,
  amount bigint,
  amount_policy text,
  narration text,
  expires_at timestamp with time zone,
  customer_id uuid,
  customer_reference text,
  metadata text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  due_at timestamp with time zone,
  rail text not null default ''::text,
  handle text,
  opened_at timestamp with time zone not null default '2000-01-01 00:00:00+00'::timestamp with time zone,
  constraint virtual_account_pkey PRIMARY KEY (lane, tenant_id, account_number, opened_at),
  constraint virtual_account_account_number_check CHECK (account_number ~ '^[0-9]{10}$'::text),
  constraint virtual_account_amount_check CHECK (amount > 0),
  constraint virtual_account_amount_policy_check CHECK (amount_policy = ANY (ARRAY['exact'::text, 'any'::text])),
  constraint virtual_account_check CHECK (updated_at >= created_at),
  constraint virtual_account_check1 CHECK ((type = 'dynamic'::text) = (amount IS NOT NULL AND amount_policy IS NOT NULL AND expires_at IS NOT NULL)),
  constraint virtual_account_check2 CHECK ((type = 'static'::text) = (customer_id IS NOT NULL AND customer_reference IS NOT NULL)),
  constraint virtual_account_check3 CHECK (type <> 'static'::text OR (status = ANY (ARRAY['ACTIVE'::text, 'CLOSED'::text]))),
  constraint virtual_account_check4 CHECK (type <> 'dynamic'::text OR (status = ANY (ARRAY['ACTIVE'::text, 'COMPLETED'::text, 'EXPIRED'::text]))),
  constraint virtual_account_check5 CHECK ((type = 'dynamic'::text AND status = 'ACTIVE'::text) = (due_at IS NOT NULL)),
  constraint virtual_account_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint virtual_account_ordinal_check CHECK (ordinal > 0),
  constraint virtual_account_status_check CHECK (status = ANY (ARRAY['ACTIVE'::text, 'COMPLETED'::text, 'EXPIRED'::text, 'CLOSED'::text])),
  constraint virtual_account_type_check CHECK (type = ANY (ARRAY['static'::text, 'dynamic'::text]))
) with (fillfactor=80);
CREATE INDEX virtual_account_due ON virtual_account USING btree (lane, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX virtual_account_listed ON virtual_account USING btree (lane, tenant_id, type, status, ordinal) WHERE ordinal > 0;
CREATE UNIQUE INDEX virtual_account_number_open ON virtual_account USING btree (lane, tenant_id, account_number) WHERE status = 'ACTIVE'::text;
CREATE INDEX virtual_account_of_customer ON virtual_account USING btree (lane, tenant_id, customer_reference, ordinal) WHERE customer_reference IS NOT NULL;
CREATE UNIQUE INDEX virtual_account_open ON virtual_account USING btree (lane, tenant_id, customer_reference, bank_slug) WHERE type = 'static'::text AND status = 'ACTIVE'::text;
CREATE UNIQUE INDEX virtual_account_ordinal ON virtual_account USING btree (lane, tenant_id, ordinal) WHERE ordinal > 0;
CREATE UNIQUE INDEX virtual_account_reference ON virtual_account USING btree (lane, tenant_id, reference) WHERE type = 'dynamic'::text AND reference IS NOT NULL;
grant insert, select, update (account_name, status, narration, metadata, updated_at, due_at) on virtual_account to manilla_service;

create table virtual_account_number (
  environment text not null,
  account_number text not null,
  lane smallint not null,
  tenant_id uuid not null,
  turn integer not null default 0,
  opened_at timestamp with time zone not null default '2000-01-01 00:00:00+00'::timestamp with time zone,
  rail_reference text,
  rail text not null,
  constraint virtual_account_number_pkey PRIMARY KEY (environment, account_number, turn),
  constraint virtual_account_number_environment_check CHECK (environment = ANY (ARRAY['staging'::text, 'production'::text]))
);
CREATE UNIQUE INDEX virtual_account_number_of_rail_reference ON virtual_account_number USING btree (environment, rail_reference) WHERE rail_reference IS NOT NULL;
grant insert, select on virtual_account_number to manilla_service;

create table virtual_account_opening (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  type text not null,
  claim text not null,
  reference text,
  customer_id uuid,
  bank_slug text,
  account_name text not null,
  amount bigint,
  amount_policy text,
  expires_at timestamp with time zone,
  narration text,
  metadata text,
  created_at timestamp with time zone not null,
  given_up_at timestamp with time zone,
  due_at timestamp with time zone not null,
  rail text not null default ''::text,
  constraint virtual_account_opening_pkey PRIMARY KEY (lane, tenant_id, claim),
  constraint virtual_account_opening_amount_check CHECK (amount > 0),
  constraint virtual_account_opening_amount_policy_check CHECK (amount_policy = ANY (ARRAY['exact'::text, 'any'::text])),
  constraint virtual_account_opening_check CHECK (expires_at > created_at),
  constraint virtual_account_opening_check1 CHECK ((type = 'static'::text) = (customer_id IS NOT NULL AND bank_slug IS NOT NULL)),
  constraint virtual_account_opening_check2 CHECK (type <> 'static'::text OR reference IS NOT NULL),
  constraint virtual_account_opening_check3 CHECK ((type = 'dynamic'::text) = (amount IS NOT NULL AND amount_policy IS NOT NULL AND expires_at IS NOT NULL)),
  constraint virtual_account_opening_type_check CHECK (type = ANY (ARRAY['static'::text, 'dynamic'::text]))
) with (fillfactor=80);
CREATE INDEX virtual_account_opening_due_at ON virtual_account_opening USING btree (lane, due_at) WHERE due_at IS NOT NULL;
grant delete, insert, select, update (given_up_at, due_at) on virtual_account_opening to manilla_service;

create table webhook_attempt (
  lane smallint not null,
  tenant_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  trigger text not null,
  response_code smallint,
  error text,
  duration_ms integer not null,
  response_body text,
  created_at timestamp with time zone not null,
  constraint webhook_attempt_pkey PRIMARY KEY (lane, tenant_id, delivery_id, attempt),
  constraint webhook_attempt_attempt_check CHECK (attempt > 0),
  constraint webhook_attempt_duration_ms_check CHECK (duration_ms >= 0),
  constraint webhook_attempt_trigger_check CHECK (trigger = ANY (ARRAY['automatic'::text, 'manual'::text]))
) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0.5, autovacuum_vacuum_insert_threshold=200000);
grant delete, insert, select, update (response_body) on webhook_attempt to manilla_service;

create table webhook_delivery (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  source_id uuid not null,
  event text not null,
  reference text not null,
  ordinal bigint not null,
  subscription_ordinal bigint not null,
  status text not null,
  attempts integer not null default 0,
  automatic_attempts integer not null default 0,
  response_code smallint,
  last_error text,
  last_attempt_at timestamp with time zone,
  next_attempt_at timestamp with time zone,
  retry_requested boolean not null default false,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  due_at timestamp with time zone,
  constraint webhook_delivery_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint webhook_delivery_check CHECK (updated_at >= created_at),
  constraint webhook_delivery_check1 CHECK ((status = 'delivered'::text) = (delivered_at IS NOT NULL)),
  constraint webhook_delivery_check2 CHECK (automatic_attempts <= attempts),
  constraint webhook_delivery_ordinal_check CHECK (ordinal > 0),
  constraint webhook_delivery_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])),
  constraint webhook_delivery_subscription_ordinal_check CHECK (subscription_ordinal > 0)
) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0.2, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_scale_factor=0.5, autovacuum_vacuum_insert_threshold=200000);
CREATE INDEX webhook_delivery_due ON webhook_delivery USING btree (lane, tenant_id, subscription_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_open ON webhook_delivery USING btree (lane, tenant_id, status, ordinal) WHERE status = ANY (ARRAY['pending'::text, 'failed'::text]);
CREATE UNIQUE INDEX webhook_delivery_ordinal ON webhook_delivery USING btree (lane, tenant_id, ordinal) WHERE ordinal > 0;
CREATE INDEX webhook_delivery_reference ON webhook_delivery USING btree (lane, tenant_id, reference, ordinal) WHERE reference <> ''::text;
CREATE UNIQUE INDEX webhook_delivery_subscription_ordinal ON webhook_delivery USING btree (lane, tenant_id, subscription_id, subscription_ordinal) WHERE subscription_ordinal > 0;
grant delete, insert, select, update (status, attempts, automatic_attempts, response_code, last_error, last_attempt_at, next_attempt_at, retry_requested, delivered_at, updated_at, due_at) on webhook_delivery to manilla_service;

create table webhook_subscription (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  status text not null,
  disabled_because text,
  secret bytea,
  secret_hint text not null,
  old_secret bytea,
  old_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  forgery_refused_at timestamp with time zone,
  constraint webhook_subscription_pkey PRIMARY KEY (lane, tenant_id, id),
  constraint webhook_subscription_check CHECK (updated_at >= created_at),
  constraint webhook_subscription_check1 CHECK ((status = 'deleted'::text) = (secret IS NULL)),
  constraint webhook_subscription_check2 CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
  constraint webhook_subscription_check3 CHECK (status = 'disabled'::text OR disabled_because IS NULL),
  constraint webhook_subscription_disabled_because_check CHECK (disabled_because = ANY (ARRAY['GONE'::text, 'FAILING'::text])),
  constraint webhook_subscription_events_check CHECK (cardinality(events) > 0),
  constraint webhook_subscription_status_check CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text, 'deleted'::text])),
  constraint webhook_subscription_url_check CHECK (length(url) >= 1 AND length(url) <= 2048)
) with (fillfactor=80);
CREATE INDEX webhook_subscription_failing ON webhook_subscription USING btree (lane, failing_since) WHERE failing_since IS NOT NULL;
CREATE INDEX webhook_subscription_kept ON webhook_subscription USING btree (lane, tenant_id, id) WHERE status <> 'deleted'::text;
grant insert, select, update (url, events, status, disabled_because, secret, secret_hint, old_secret, old_secret_until, failing_since, updated_at, forgery_refused_at) on webhook_subscription to manilla_service;
