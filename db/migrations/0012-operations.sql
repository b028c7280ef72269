-- The audit log, the review queue, hourly figures and the search index.

create table audit_entry (
  -- Dense: one that is missing was taken out.
  number bigint primary key check (number > 0),
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('terminal', 'person', 'key', 'service')),
  actor text not null check (length(actor) >= 1 and length(actor) <= 200),
  address text check (length(address) >= 1 and length(address) <= 100),
  act text not null check (act ~ '^[a-z-]+[.][a-z-]+$' and length(act) <= 60),
  -- Null: it concerns no tenant, or all of them.
  tenant_id uuid,
  -- What it was done to, by the id that people see.
  subject text check (length(subject) >= 1 and length(subject) <= 200),
  -- JSON, as it was hashed.
  details text not null check (length(details) <= 4000),
  hash bytea not null check (octet_length(hash) = 32),
  -- What the log says of a person's act beside who it was: in which business, as what, by which device, in which request, and how
  -- it ended. All null where no person did it.
  business_id uuid,
  person_id uuid,
  role text,
  device text,
  request_id text,
  outcome text,
  constraint audit_entry_device check (length(device) <= 300),
  constraint audit_entry_outcome check (outcome in ('asked', 'done', 'refused', 'failed')),
  constraint audit_entry_request check (length(request_id) >= 1 and length(request_id) <= 100),
  constraint audit_entry_role check (length(role) >= 1 and length(role) <= 20)
);

create index audit_entry_business on audit_entry (business_id, number) where business_id is not null;
create index audit_entry_tenant on audit_entry (tenant_id, number);

grant insert, select on audit_entry to manilla_service;

-- The lock on its one row puts entries in line; it is taken last in every transaction. The end of the chain is the last
-- entry and is stored nowhere else, so the service's role cannot set it back.
create table audit_lock (
  one boolean primary key check (one)
);

-- Locking a row needs the right to update it.
grant select, update (one) on audit_lock to manilla_service;

insert into audit_lock (one) values (true);

-- Facts about money that an operator must look at. One row for each fact, however often it shows. A fact has no tenant when
-- the money has no owner, so the key is what the fact is about. The service raises them and closes those that have settled
-- themselves. An operator closes the rest, with a note.
create table review_item (
  id uuid primary key,
  environment text not null check (environment in ('staging', 'production')),
  kind text not null check (kind in ('notice-unowned', 'notice-contradicted', 'notice-stuck', 'deposit-without-room',
    'deposit-unsettled', 'refund-refused', 'refund-unsettled', 'payment-stuck', 'payment-without-rail',
    'payment-contradicted', 'return-without-room')),
  -- The public id of a payment, or the notice of a deposit: environment, provider and the provider's own id. Unique over
  -- all tenants.
  subject text not null,
  -- What is so, in words. Another fact of the same kind about the same subject has other words.
  fact text not null,
  lane smallint,
  tenant_id uuid,
  -- What the business calls it; empty when there is no business.
  reference text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint check (amount > 0),
  raised_at timestamptz not null,
  closed_at timestamptz,
  note text,
  constraint review_item_check check (closed_at >= raised_at),
  constraint review_item_check1 check ((lane is null) = (tenant_id is null)),
  constraint review_item_check2 check ((closed_at is null) = (note is null))
);

create unique index review_item_fact on review_item (kind, subject, fact);
create index review_item_open on review_item (kind, raised_at, id) where closed_at is null;

grant insert, select, update (closed_at, note) on review_item to manilla_service;

-- How many payments and deposits of a tenant were accepted in each hour, and how many ended, how, and after how long. The
-- transaction that changes the payments writes these rows, once for a batch (stats/stats.ts), so a page of stats reads hours
-- and never payments.
create table hourly_stat (
  lane smallint not null,
  tenant_id uuid not null,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  outcome text not null check (outcome in ('accepted', 'succeeded', 'failed', 'returned')),
  -- Why it failed; empty otherwise.
  reason text not null,
  count bigint not null check (count > 0),
  -- A thousand payouts of all that a balance can hold are more than a bigint can.
  amount numeric(30,0) not null check (amount > 0::numeric),
  fees numeric(30,0) not null check (fees >= 0::numeric),
  -- How many of them ended so soon after they were accepted: within a second, or within two, or within five …
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
  primary key (lane, tenant_id, hour, kind, currency, outcome, reason),
  constraint hourly_stat_check check (reason = '' or outcome = 'failed')
) with (fillfactor = 50);

-- Finds the tenants whose payments have changed lately. Only those are added to the search index.
create index hourly_stat_of_hour on hourly_stat (lane, hour) where hour is not null;

grant delete, insert, select, update (count, amount, fees, took_1s, took_2s, took_5s, took_10s, took_30s, took_1m,
  took_2m, took_5m, took_15m, took_1h, took_6h, took_1d, took_longer) on hourly_stat to manilla_service;

-- The search index. Users find payments and deposits by an account number, a phone number, or the number that a bank or an
-- operator gave. A worker fills it a second behind the writes (reporting/search-index.ts), so the payment table needs no
-- further index.
create table search_term (
  lane smallint not null,
  tenant_id uuid not null,
  term text not null check (length(term) >= 1 and length(term) <= 200),
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  ordinal bigint not null check (ordinal > 0),
  primary key (lane, tenant_id, term, kind, ordinal)
);

grant delete, insert, select on search_term to manilla_service;

-- Payments that had not ended when the search index reached them. A worker reads them again at due_at until they have ended.
create table search_pending (
  lane smallint not null,
  tenant_id uuid not null,
  kind text not null,
  ordinal bigint not null,
  due_at timestamptz not null,
  primary key (lane, tenant_id, kind, ordinal)
);

create index search_pending_due on search_pending (lane, due_at) where due_at is not null;

grant delete, insert, select, update (due_at) on search_pending to manilla_service;

-- Through which number of a tenant's list the search index is filled: `ordinal` for the terms of a new row, `ended` for the
-- terms that a row gets at its end. The process that has locked the row fills the index.
create table search_progress (
  lane smallint not null,
  tenant_id uuid not null,
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  ordinal bigint not null default 0 check (ordinal >= 0),
  ended bigint not null default 0,
  primary key (lane, tenant_id, kind),
  constraint search_progress_check check (ended >= 0 and ended <= ordinal)
) with (fillfactor = 50);

grant insert, select, update (ordinal, ended) on search_progress to manilla_service;
