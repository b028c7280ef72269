-- Businesses, and each business in one environment (a tenant), which owns all of its data.
--
-- Every table that belongs to a tenant begins with (lane, tenant_id), and both lead each key, so that lanes can be spread
-- over machines. Ids and times come from the application. There are no triggers: CHECKs, keys and the privileges of the
-- service's role refuse what must not be.

create table installation (
  id smallint primary key check (id = 1),
  -- Over how many lanes new tenants are spread. 1 is best on a small machine.
  lanes smallint not null check (lanes >= 1 and lanes <= 4096),
  -- Which keys the stored secrets are sealed with, by fingerprint: a process that lacks one of them does not start.
  secret_keys text[] not null default '{}'::text[],
  -- With an e-mail address it makes the salt of all passwords of that address. Null until the first password.
  password_salt bytea check (octet_length(password_salt) = 16)
);

grant select, update (lanes, secret_keys, password_salt) on installation to manilla_service;

insert into installation (id, lanes) values (1, 1);

create table business (
  id uuid primary key,
  name text not null check (length(name) >= 1 and length(name) <= 100),
  created_at timestamptz not null,
  -- What a business's people chose for it: in which zone they read times, and whether each of them needs a second factor.
  time_zone text not null default 'Africa/Lagos',
  is_compulsory_factor boolean not null default false
);

grant insert, select, update (name, time_zone, is_compulsory_factor) on business to manilla_service;

-- A business in one environment: the owner of all data.
create table tenant (
  lane smallint not null,
  id uuid not null,
  business_id uuid not null,
  environment text not null check (environment in ('staging', 'production')),
  created_at timestamptz not null,
  primary key (lane, id),
  unique (business_id, environment),
  constraint tenant_business_id_fkey foreign key (business_id) references business(id)
);

grant insert, select on tenant to manilla_service;

-- What was not done before a business went live, who answers for that, and why. A point is waived once.
create table go_live_waiver (
  lane smallint not null,
  tenant_id uuid not null,
  point text not null check (point ~ '^[a-z-]{1,40}$'),
  waived_by text not null check (length(waived_by) >= 1 and length(waived_by) <= 200),
  reason text not null check (length(reason) >= 1 and length(reason) <= 500),
  created_at timestamptz not null,
  primary key (lane, tenant_id, point),
  constraint go_live_waiver_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id)
);

grant insert, select on go_live_waiver to manilla_service;

-- A business is alerted when its available balance falls below this amount. Without a row it gets no alert.
create table low_balance_alert (
  lane smallint not null,
  tenant_id uuid not null,
  -- In kobo of naira.
  amount bigint not null check (amount > 0),
  primary key (lane, tenant_id)
);

grant delete, insert, select, update (amount) on low_balance_alert to manilla_service;

create table quota_count (
  minute bigint not null,
  bucket bytea not null,
  used bigint not null check (used > 0),
  primary key (minute, bucket)
);

grant delete, insert, select, update (used) on quota_count to manilla_service;

-- How far the walk that forgets has come in each of a tenant's lists: through a number, or, for events, a time and an id. What
-- lies behind is forgotten already, so a walk that was killed goes on where it stood.
create table retention_progress (
  lane smallint not null,
  tenant_id uuid not null,
  list text not null check (list in ('events', 'deposits', 'accounts', 'bank_transfer', 'momo_transfer',
    'momo_collection')),
  ordinal bigint not null default 0 check (ordinal >= 0),
  at timestamptz not null default '1970-01-01 00:00:00+00'::timestamptz,
  id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  primary key (lane, tenant_id, list)
);

grant insert, select, update (ordinal, at, id) on retention_progress to manilla_service;
