-- The house: who we serve (businesses, tenants, keys) and the vault (accounts, movements).
--
-- Every table that belongs to a tenant begins with (lane, tenant_id), and both lead each key: one day a lane may live
-- on a machine of its own. Ids and times come from the application. There are no triggers: what must be refused is
-- refused by CHECKs, keys and the privileges at the end of this file.

create table installation (
  id smallint primary key check (id = 1),
  -- Over how many lanes new tenants are spread. 1 is best on a small machine.
  lanes smallint not null check (lanes between 1 and 4096)
);

insert into installation (id, lanes) values (1, 1);

create table business (
  id uuid primary key,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null
);

-- A business in one environment: the owner of all data.
create table tenant (
  lane smallint not null,
  id uuid not null,
  business_id uuid not null references business (id),
  environment text not null check (environment in ('staging', 'production')),
  created_at timestamptz not null,
  primary key (lane, id),
  unique (business_id, environment)
);

create table api_key (
  id uuid primary key,
  lane smallint not null,
  tenant_id uuid not null,
  -- Only the SHA-256 of a key is kept: 40 random base62 characters need no slow hash.
  hash bytea not null unique check (octet_length(hash) = 32),
  prefix text not null,
  last_four text not null check (length(last_four) = 4),
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  foreign key (lane, tenant_id) references tenant (lane, id)
);

create index api_key_tenant on api_key (lane, tenant_id, created_at);

-- balance = credits - debits. `movements` counts the movements that touched the account.
create table ledger_account (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text not null check (name in ('available', 'reserved', 'rail', 'fees', 'opening')),
  debits bigint not null default 0 check (debits >= 0),
  credits bigint not null default 0 check (credits >= 0),
  movements bigint not null default 0 check (movements >= 0),
  -- When it was last touched: the next movement is not dated before it.
  touched_at timestamptz not null default 'epoch',
  primary key (lane, tenant_id, currency, name),
  foreign key (lane, tenant_id) references tenant (lane, id),
  -- Money that is not there cannot be promised or paid, whatever the code does.
  constraint ledger_account_not_negative check (name not in ('available', 'reserved') or credits >= debits)
) with (fillfactor = 50); -- Updated by every batch: room for the new version on the same page.

-- One immutable row moves an amount from one account to another, so it balances by construction.
create table ledger_movement (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  currency text not null,
  debit text not null,
  credit text not null,
  amount bigint not null check (amount > 0),
  kind text not null,
  -- What caused it: the payment or deposit, by id and as its business knows it.
  source_id uuid not null,
  reference text not null,
  -- Place in the statement of `available`, dense from 1, and that account's balance after it. Null when untouched.
  entry bigint,
  balance_after bigint,
  created_at timestamptz not null,
  primary key (lane, tenant_id, id),
  check (debit <> credit),
  check ((entry is null) = (balance_after is null)),
  check ((entry is not null) = (debit = 'available' or credit = 'available'))
);

create unique index ledger_movement_entry on ledger_movement (lane, tenant_id, currency, entry) where entry is not null;

grant select on installation to manilla_service;
grant select, insert on business, tenant, ledger_movement to manilla_service;
grant select, insert, update on api_key to manilla_service;
grant select, insert on ledger_account to manilla_service;
grant update (debits, credits, movements, touched_at) on ledger_account to manilla_service;
