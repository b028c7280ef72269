-- What happened in each hour, counted: how many payments and deposits of a tenant were accepted, and how many ended, how, and
-- after how long. Written in the transaction that makes it so, once for a batch (figures/count.ts), so that a page of figures
-- reads hours and never payments.
create table figure (
  lane smallint not null,
  tenant_id uuid not null,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  outcome text not null check (outcome in ('accepted', 'succeeded', 'failed', 'returned')),
  -- Why it failed; empty otherwise.
  reason text not null check (reason = '' or outcome = 'failed'),
  count bigint not null check (count > 0),
  -- A thousand payouts of all that a balance can hold are more than a bigint can.
  amount numeric(30) not null check (amount > 0),
  fees numeric(30) not null check (fees >= 0),
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
  primary key (lane, tenant_id, hour, kind, currency, outcome, reason)
) with (fillfactor = 50);

-- Whose payments have moved lately: the finder follows those alone.
create index figure_of_hour on figure (lane, hour) where hour is not null;

grant select, insert on figure to manilla_service;
grant update (count, amount, fees, took_1s, took_2s, took_5s, took_10s, took_30s, took_1m, took_2m, took_5m, took_15m, took_1h,
  took_6h, took_1d, took_longer) on figure to manilla_service;
