-- Webhook subscriptions, their deliveries and attempts.

create table webhook_subscription (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  url text not null check (length(url) >= 1 and length(url) <= 2048),
  events text[] not null check (cardinality(events) > 0),
  status text not null check (status in ('active', 'disabled', 'deleted')),
  -- Null: its business did it.
  disabled_because text check (disabled_because in ('GONE', 'FAILING')),
  -- Sealed. The old one signs too until its time is over.
  secret bytea,
  secret_hint text not null,
  old_secret bytea,
  old_secret_until timestamptz,
  -- Of the first failure since the last success. Null: the last attempt succeeded, or there was none.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the receiver refused a delivery with a wrong signature, which it was sent for the sake of that. Null: nobody knows whether it
  -- would.
  forgery_refused_at timestamptz,
  primary key (lane, tenant_id, id),
  constraint webhook_subscription_check check (updated_at >= created_at),
  constraint webhook_subscription_check1 check ((status = 'deleted') = (secret is null)),
  constraint webhook_subscription_check2 check ((old_secret is null) = (old_secret_until is null)),
  constraint webhook_subscription_check3 check (status = 'disabled' or disabled_because is null)
) with (fillfactor = 80);

create index webhook_subscription_kept on webhook_subscription (lane, tenant_id, id) where status <> 'deleted';

grant insert, select, update (url, events, status, disabled_because, secret, secret_hint, old_secret,
  old_secret_until, failing_since, updated_at, forgery_refused_at) on webhook_subscription to manilla_service;

-- One event for one subscription. Its id is what the receiver, the log and a retry call it by. What it says is in the
-- event: (source_id, event) is that one's key.
create table webhook_delivery (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  source_id uuid not null,
  event text not null,
  reference text not null,
  -- Place in the tenant's log, and in the subscription's part of it, both dense. Old ones are pruned from the bottom.
  ordinal bigint not null check (ordinal > 0),
  subscription_ordinal bigint not null check (subscription_ordinal > 0),
  -- `failed` is the last attempt's end; more may follow.
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- Of them, those of the schedule: they decide when the next one is, and whether there is one.
  automatic_attempts integer not null default 0,
  response_code smallint,
  last_error text,
  last_attempt_at timestamptz,
  -- The schedule's next attempt. Null: there is none.
  next_attempt_at timestamptz,
  -- Somebody asked for an attempt beside the schedule, and it has not been made.
  retry_requested boolean not null default false,
  delivered_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The row is the job: when to send it, or when whoever holds it counts as dead. Null: nothing to do.
  due_at timestamptz,
  primary key (lane, tenant_id, id),
  constraint webhook_delivery_check check (updated_at >= created_at),
  constraint webhook_delivery_check1 check ((status = 'delivered') = (delivered_at is not null)),
  constraint webhook_delivery_check2 check (automatic_attempts <= attempts)
) with (
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5,
  autovacuum_vacuum_insert_threshold = 200000
);

-- By subscription first, so that one with a million waiting rows costs the others nothing.
create index webhook_delivery_due on webhook_delivery (lane, tenant_id, subscription_id,
  due_at) where due_at is not null;
create index webhook_delivery_open on webhook_delivery (lane, tenant_id, status, ordinal) where status in ('pending',
  'failed');
-- Their conditions are always true: they hide the indexes from statements that do not repeat them (0002).
create unique index webhook_delivery_ordinal on webhook_delivery (lane, tenant_id, ordinal) where ordinal > 0;
create index webhook_delivery_reference on webhook_delivery (lane, tenant_id, reference,
  ordinal) where reference <> '';
create unique index webhook_delivery_subscription_ordinal on webhook_delivery (lane, tenant_id, subscription_id,
  subscription_ordinal) where subscription_ordinal > 0;

grant delete, insert, select, update (status, attempts, automatic_attempts, response_code, last_error,
  last_attempt_at, next_attempt_at, retry_requested, delivered_at, updated_at,
  due_at) on webhook_delivery to manilla_service;

create table webhook_attempt (
  lane smallint not null,
  tenant_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null check (attempt > 0),
  trigger text not null check (trigger in ('automatic', 'manual')),
  response_code smallint,
  error text,
  duration_ms integer not null check (duration_ms >= 0),
  -- As much of it as is kept.
  response_body text,
  created_at timestamptz not null,
  primary key (lane, tenant_id, delivery_id, attempt)
) with (
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5,
  autovacuum_vacuum_insert_threshold = 200000
);

grant delete, insert, select, update (response_body) on webhook_attempt to manilla_service;
