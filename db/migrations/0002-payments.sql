-- The payments room (bank transfers, mobile-money transfers and collections are kinds of one thing) and the events pipe.
--
-- Neither table has a foreign key to the tenant: PostgreSQL checks one row by row and locks the tenant's row each time,
-- which doubles what a batch costs. No payment can be without its tenant all the same: acceptance holds the lock of the
-- tenant's accounts, and those have the key.

create table payment (
  lane smallint not null,
  tenant_id uuid not null,
  -- The business's own key: unique over all kinds, for ever. It is what makes a request idempotent.
  reference text not null check (length(reference) between 1 and 100),
  id uuid not null,
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection')),
  -- Place in the list of its kind, dense from 1: so a page is an index range and the total is the last ordinal.
  ordinal bigint not null check (ordinal > 0),
  status text not null check (status in ('queued', 'SUCCESS', 'FAILED', 'REVERSED')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  bank_slug text,
  bank_name text,
  account_number text check (account_number ~ '^[0-9]{10}$'),
  account_name text,
  narration text,
  metadata text, -- The JSON as it was sent: it is given back as it came.
  session_id text,
  failure_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  -- The row is the job: when somebody must look at it next. Null: nothing to do.
  due_at timestamptz,
  -- When it first may have left the building. From then on a status query comes before any sending.
  submitted_at timestamptz,
  -- How often the rail was asked without learning the outcome; decides when to ask next.
  asks smallint not null default 0,
  primary key (lane, tenant_id, reference),
  check (kind <> 'bank_transfer' or (bank_slug is not null and bank_name is not null and account_number is not null and account_name is not null)),
  check ((status = 'queued') = (completed_at is null)),
  check ((status = 'FAILED') = (failure_reason is not null)),
  check (status <> 'queued' or due_at is not null), -- An unfinished payment is always somebody's business.
  check (updated_at >= created_at)
);
-- No room is left in its pages for newer versions: those go to the last page, which is in memory, and what vacuum frees is
-- whole pages. A little room in each of many pages would scatter new payments over all of them, each page a full image
-- in the WAL (measured with 5 000 000 payments: acceptance at 0.6 of its rate).

-- The condition is always true. It hides the index from every statement that does not repeat it: a planner without
-- statistics would else prefer this smaller index to the primary key, and walk all payments of a tenant to find one.
create unique index payment_ordinal on payment (lane, tenant_id, kind, ordinal) where ordinal > 0;
create index payment_due on payment (lane, due_at) where due_at is not null;
-- Few rows are here, so a filter by these statuses costs what it finds.
create index payment_ended_badly on payment (lane, tenant_id, kind, status, ordinal) where status in ('FAILED', 'REVERSED');

-- What became true, written in the transaction that made it true. Its key lets one thing happen once.
create table event (
  lane smallint not null,
  tenant_id uuid not null,
  source_id uuid not null,
  name text not null,
  id uuid not null,
  reference text not null,
  data text not null, -- JSON, its bytes fixed now.
  created_at timestamptz not null,
  primary key (lane, tenant_id, source_id, name)
);

grant select, insert on payment, event to manilla_service;
grant update (status, session_id, failure_reason, updated_at, completed_at, due_at, submitted_at, asks) on payment to manilla_service;
