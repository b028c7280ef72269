-- Months of movements that are kept in files in place of the table ledger_movement (docs/adr/0032-months-in-files.md). What
-- stands here is all that the books need to know of such a month; the service reads it, and only the owner writes it.

-- A month of a lane, sealed: whatever is dated before `until` is in the file of this month or of one before it.
create table ledger_archive (
  lane smallint not null,
  until timestamptz not null, -- The first moment after it.
  since timestamptz not null,
  rows bigint not null check (rows >= 0),
  removed bigint not null default 0, -- So many rows of the file, from its first on, are out of the table.
  digest bytea not null check (octet_length(digest) = 32), -- SHA-256 of the file's header and rows.
  previous bytea check (octet_length(previous) = 32), -- The digest of the month before, which the header names. Null: there is none.
  sealed_at timestamptz not null,
  removed_at timestamptz, -- When the last row was out. Null: rows may be in both places.
  primary key (lane, until),
  check (since < until),
  check (removed >= 0 and removed <= rows),
  check (removed_at is null or removed = rows)
);

grant select on ledger_archive to manilla_service;

-- What a sealed month moved on an account.
create table ledger_archive_sum (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  name text not null,
  until timestamptz not null,
  debits numeric(30, 0) not null check (debits >= 0),
  credits numeric(30, 0) not null check (credits >= 0),
  movements bigint not null check (movements > 0),
  last_entry bigint, -- Of `available`: the last one of the month, and the balance that it left.
  balance_after bigint,
  primary key (lane, tenant_id, currency, name, until),
  check ((last_entry is null) = (balance_after is null)),
  check ((last_entry is not null) = (name = 'available'))
);

grant select on ledger_archive_sum to manilla_service;

-- What the movements of a sealed month come to when they are held against what caused them (src/ledger/digests.ts).
create table ledger_archive_digest (
  lane smallint not null,
  tenant_id uuid not null,
  cause text not null check (cause in ('payments', 'deposits')),
  until timestamptz not null,
  count bigint not null check (count > 0),
  digest numeric(40, 0) not null,
  primary key (lane, tenant_id, cause, until)
);

grant select on ledger_archive_digest to manilla_service;
