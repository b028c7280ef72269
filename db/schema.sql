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
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint api_key_hash_check CHECK (octet_length(hash) = 32),
  constraint api_key_last_four_check CHECK (length(last_four) = 4),
  constraint api_key_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
CREATE INDEX api_key_tenant ON api_key USING btree (lane, tenant_id, created_at);
grant insert, select, update on api_key to manilla_service;

create table business (
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null,
  constraint business_pkey PRIMARY KEY (id),
  constraint business_name_check CHECK (length(name) >= 1 AND length(name) <= 100)
);
grant insert, select on business to manilla_service;

create table installation (
  id smallint not null,
  lanes smallint not null,
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_id_check CHECK (id = 1),
  constraint installation_lanes_check CHECK (lanes >= 1 AND lanes <= 4096)
);
grant select on installation to manilla_service;

create table ledger_account (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null,
  name text not null,
  debits bigint not null default 0,
  credits bigint not null default 0,
  movements bigint not null default 0,
  constraint ledger_account_pkey PRIMARY KEY (lane, tenant_id, currency, name),
  constraint ledger_account_lane_tenant_id_fkey FOREIGN KEY (lane, tenant_id) REFERENCES tenant(lane, id),
  constraint ledger_account_credits_check CHECK (credits >= 0),
  constraint ledger_account_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint ledger_account_debits_check CHECK (debits >= 0),
  constraint ledger_account_movements_check CHECK (movements >= 0),
  constraint ledger_account_name_check CHECK (name = ANY (ARRAY['available'::text, 'reserved'::text, 'rail'::text, 'fees'::text, 'opening'::text])),
  constraint ledger_account_not_negative CHECK ((name <> ALL (ARRAY['available'::text, 'reserved'::text])) OR credits >= debits)
) with (fillfactor=50);
grant insert, select, update (debits, credits, movements) on ledger_account to manilla_service;

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
);
CREATE UNIQUE INDEX ledger_movement_entry ON ledger_movement USING btree (lane, tenant_id, currency, entry) WHERE entry IS NOT NULL;
grant insert, select on ledger_movement to manilla_service;

create table migration (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null,
  constraint migration_pkey PRIMARY KEY (name)
);
grant select on migration to manilla_service;

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
