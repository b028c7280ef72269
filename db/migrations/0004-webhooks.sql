-- Webhooks: who wants to be told of what, what is to be told, and how each telling went.
--
-- No foreign keys on what is written with every payment, as before and for the same reason.

-- Events that are made up, to try a receiver: they are about no payment and no deposit.
alter table event add column sample boolean not null default false;
-- In order of time, for whoever listens along.
create index event_in_time on event (lane, tenant_id, created_at, id);

create table webhook_subscription (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  url text not null check (length(url) between 1 and 2048),
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
  updated_at timestamptz not null check (updated_at >= created_at),
  primary key (lane, tenant_id, id),
  check ((status = 'deleted') = (secret is null)), -- What is deleted forgets its secrets.
  check ((old_secret is null) = (old_secret_until is null)),
  check (status = 'disabled' or disabled_because is null)
) with (fillfactor = 80);

create index webhook_subscription_kept on webhook_subscription (lane, tenant_id, id) where status <> 'deleted';

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
  place bigint not null check (place > 0),
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
  updated_at timestamptz not null check (updated_at >= created_at),
  -- The row is the job: when to send it, or when whoever holds it counts as dead. Null: nothing to do.
  due_at timestamptz,
  primary key (lane, tenant_id, id),
  check ((status = 'delivered') = (delivered_at is not null)),
  check (automatic_attempts <= attempts)
);

-- Their conditions are always true: they hide the indexes from statements that do not repeat them (0002).
create unique index webhook_delivery_ordinal on webhook_delivery (lane, tenant_id, ordinal) where ordinal > 0;
create unique index webhook_delivery_place on webhook_delivery (lane, tenant_id, subscription_id, place) where place > 0;
-- By subscription first, so that one with a million waiting rows costs the others nothing.
create index webhook_delivery_due on webhook_delivery (lane, tenant_id, subscription_id, due_at) where due_at is not null;
create index webhook_delivery_open on webhook_delivery (lane, tenant_id, status, ordinal)
  where status in ('pending', 'failed');
create index webhook_delivery_reference on webhook_delivery (lane, tenant_id, reference, ordinal) where reference <> '';

create table webhook_attempt (
  lane smallint not null,
  tenant_id uuid not null,
  delivery_id uuid not null,
  attempt integer not null check (attempt > 0),
  trigger text not null check (trigger in ('automatic', 'manual')),
  response_code smallint,
  error text,
  duration_ms integer not null check (duration_ms >= 0),
  response_body text, -- As much of it as is kept.
  created_at timestamptz not null,
  primary key (lane, tenant_id, delivery_id, attempt)
);

grant select, insert on webhook_subscription, webhook_delivery, webhook_attempt to manilla_service;
grant update (url, events, status, disabled_because, secret, secret_hint, old_secret, old_secret_until, failing_since, updated_at)
  on webhook_subscription to manilla_service;
grant update (status, attempts, automatic_attempts, response_code, last_error, last_attempt_at, next_attempt_at, retry_requested, delivered_at, updated_at, due_at)
  on webhook_delivery to manilla_service;
-- The log is kept for a time only.
grant delete on webhook_delivery, webhook_attempt to manilla_service;
