-- The double-entry ledger of every tenant, the months of it that were archived, and the float books of the rails.

-- balance = credits - debits. `movements` counts the movements that touched the account.
create table ledger_account (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text not null check (name in ('available', 'reserved', 'rail', 'fees', 'opening', 'adjustments')),
  debits bigint not null default 0 check (debits >= 0),
  credits bigint not null default 0 check (credits >= 0),
  movements bigint not null default 0 check (movements >= 0),
  -- When it was last touched: the next movement is not dated before it.
  touched_at timestamptz not null default '1970-01-01 00:00:00+00'::timestamptz,
  -- What may still come to a tenant: its unfinished collections and PENDING deposits, counted gross. Kept on the row of
  -- `available`, so that whoever holds the tenant's lock knows how much room is left in the books (contract: no amount ever
  -- leaves what JSON shows exactly).
  incoming bigint not null default 0,
  -- Whether limits stand beside the balance, on the row of `available` and under its lock: who locks it knows at no further
  -- cost that there is nothing to look up, and no limit is ever missed by a process that had not heard of it.
  limited boolean not null default false,
  primary key (lane, tenant_id, currency, name),
  constraint ledger_account_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id),
  -- Money that is not there cannot be promised or paid, whatever the code does.
  constraint ledger_account_not_negative check ((name not in ('available', 'reserved')) or credits >= debits)
) with (fillfactor = 50);

grant insert, select, update (debits, credits, movements, touched_at, incoming,
  limited) on ledger_account to manilla_service;

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
  constraint ledger_movement_check check (debit <> credit),
  constraint ledger_movement_check1 check ((entry is null) = (balance_after is null)),
  constraint ledger_movement_check2 check ((entry is not null) = (debit = 'available' or credit = 'available'))
) with (
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5,
  autovacuum_vacuum_insert_threshold = 200000
);

create unique index ledger_movement_entry on ledger_movement (lane, tenant_id, currency,
  entry) where entry is not null;

-- A review item pays for one correction of a tenant. There are few of them, so that proving them costs no walk over all movements.
create unique index ledger_movement_adjustment on ledger_movement (lane, tenant_id, source_id) where kind = 'adjustment';

grant insert, select on ledger_movement to manilla_service;

-- A month of a lane, sealed: whatever is dated before `until` is in the file of this month or of one before it.
create table ledger_archive (
  lane smallint not null,
  -- The first moment after it.
  until timestamptz not null,
  since timestamptz not null,
  rows bigint not null check (rows >= 0),
  -- So many rows of the file, from its first on, are out of the table.
  removed bigint not null default 0,
  -- SHA-256 of the file's header and rows.
  digest bytea not null check (octet_length(digest) = 32),
  -- The digest of the month before, which the header names. Null: there is none.
  previous bytea check (octet_length(previous) = 32),
  sealed_at timestamptz not null,
  -- When the last row was out. Null: rows may be in both places.
  removed_at timestamptz,
  primary key (lane, until),
  constraint ledger_archive_check check (since < until),
  constraint ledger_archive_check1 check (removed >= 0 and removed <= rows),
  constraint ledger_archive_check2 check (removed_at is null or removed = rows)
);

grant select on ledger_archive to manilla_service;

-- What a sealed month moved on an account.
create table ledger_archive_sum (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text not null,
  until timestamptz not null,
  debits numeric(30,0) not null check (debits >= 0::numeric),
  credits numeric(30,0) not null check (credits >= 0::numeric),
  movements bigint not null check (movements > 0),
  -- Of `available`: the last one of the month, and the balance that it left.
  last_entry bigint,
  balance_after bigint,
  primary key (lane, tenant_id, currency, name, until),
  constraint ledger_archive_sum_check check ((last_entry is null) = (balance_after is null)),
  constraint ledger_archive_sum_check1 check ((last_entry is not null) = (name = 'available'))
);

grant select on ledger_archive_sum to manilla_service;

-- What the movements of a sealed month come to when they are held against what caused them (src/ledger/digests.ts).
create table ledger_archive_digest (
  lane smallint not null,
  tenant_id uuid not null,
  cause text not null check (cause in ('payments', 'deposits')),
  until timestamptz not null,
  count bigint not null check (count > 0),
  digest numeric(40,0) not null,
  primary key (lane, tenant_id, cause, until)
);

grant select on ledger_archive_digest to manilla_service;

-- The company's own books with its providers, beside those of the tenants: what each should hold for us, and what it cost.
-- A movement goes from one account to another, so it balances by construction; nothing is ever changed or deleted. What
-- caused it is in it once. There are no totals, for a row that every settlement of a rail locks would make all lanes one.
create table float_movement (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  kind text not null check (kind in ('opening', 'payout', 'payout_cost', 'reversal', 'deposit', 'deposit_cost',
    'unowned', 'owned', 'settlement', 'refund', 'top_up', 'withdrawal')),
  -- Payment, deposit or line that caused it.
  subject text not null,
  -- Where that lives; 0: it is no tenant's.
  lane smallint not null,
  -- Under which the provider knows it.
  reference text not null,
  debit text not null check (debit in ('balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense')),
  credit text not null check (credit in ('balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense')),
  amount bigint not null check (amount > 0),
  at timestamptz not null,
  primary key (environment, rail, kind, subject),
  constraint float_movement_check check (debit <> credit)
);

create index float_movement_at on float_movement (environment, rail, at);
create index float_movement_reference on float_movement (environment, rail, reference);

grant insert, select on float_movement to manilla_service;

-- What a float book comes to up to a moment before which nothing is booked any more, so that no close sums the book from its
-- beginning. Reconciliation writes it when it proves a day; `manilla ledger verify` proves it from the movements.
create table float_total (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Of all movements before it, but for that of the opening, which is dated back.
  until_at timestamptz not null,
  balance bigint not null,
  receivable bigint not null,
  bank bigint not null,
  cost bigint not null,
  tenants bigint not null,
  suspense bigint not null,
  primary key (environment, rail, currency),
  constraint float_total_check check ((balance + receivable + bank + cost + tenants + suspense) = 0)
);

grant insert, select, update (until_at, balance, receivable, bank, cost, tenants,
  suspense) on float_total to manilla_service;
