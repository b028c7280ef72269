-- Months of events that are kept in files in place of the table event (docs/adr/0033-events-in-files.md). The service reads what
-- stands here, and only the owner writes it.

-- A month of a lane, sealed: whatever happened before `until` is in the file of this month or of one before it.
create table event_archive (
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

grant select on event_archive to manilla_service;

-- What the events of payments in a sealed month come to when they are held against payments (src/payments/sql-verify-told.ts).
create table event_archive_digest (
  lane smallint not null,
  tenant_id uuid not null,
  until timestamptz not null,
  count bigint not null check (count > 0),
  digest numeric(40, 0) not null,
  primary key (lane, tenant_id, until)
);

grant select on event_archive_digest to manilla_service;
