-- The outbox: what became true, in the transaction that made it true.

-- What became true, written in the transaction that made it true. Its key lets one thing happen once.
create table event (
  lane smallint not null,
  tenant_id uuid not null,
  source_id uuid not null,
  name text not null,
  id uuid not null,
  reference text not null,
  -- JSON, its bytes fixed now.
  data text not null,
  created_at timestamptz not null,
  -- Events that are made up, to try a receiver: they are about no payment and no deposit.
  sample boolean not null default false,
  -- As in 0046, of what made the event true; its deliveries go on with it.
  trace text,
  primary key (lane, tenant_id, source_id, name)
) with (
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5,
  autovacuum_vacuum_insert_threshold = 200000
);

-- In place of event_in_time, for the reason of 0036: a look-up by the primary key went through it, and read all events of the
-- tenant for each delivery that was claimed.
create index event_by_time on event (lane, tenant_id, created_at, id) where created_at is not null;

grant insert, select, update (data) on event to manilla_service;

-- A month of a lane, sealed: whatever happened before `until` is in the file of this month or of one before it.
create table event_archive (
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
  constraint event_archive_check check (since < until),
  constraint event_archive_check1 check (removed >= 0 and removed <= rows),
  constraint event_archive_check2 check (removed_at is null or removed = rows)
);

grant select on event_archive to manilla_service;

-- What the events of payments in a sealed month come to when they are held against payments (src/payments/verify-events-queries.ts).
create table event_archive_digest (
  lane smallint not null,
  tenant_id uuid not null,
  until timestamptz not null,
  count bigint not null check (count > 0),
  digest numeric(40,0) not null,
  primary key (lane, tenant_id, until)
);

grant select on event_archive_digest to manilla_service;
