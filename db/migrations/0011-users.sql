-- The people who use the dashboard: memberships, sign-ins, factors and one-time links.

create table person (
  id uuid primary key,
  -- Several accounts may share one: an invitation proves an address to nobody.
  email text not null check (email = lower(email) and length(email) >= 3 and length(email) <= 200),
  name text not null check (length(name) >= 1 and length(name) <= 100),
  -- With its parameters.
  password text not null check (password ~~ '$argon2id$%' and length(password) <= 300),
  -- Sealed. The second is shown to the person, who has not yet answered with a code of it.
  totp_secret bytea,
  totp_pending bytea,
  -- The last step of 30 s whose code was taken: a code counts once.
  totp_last_step bigint not null default 0 check (totp_last_step >= 0),
  is_operator boolean not null default false,
  created_at timestamptz not null
);

create index person_email on person (email);

grant insert, select, update (name, password, totp_secret, totp_pending, totp_last_step,
  is_operator) on person to manilla_service;

create table membership (
  business_id uuid not null,
  person_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (business_id, person_id),
  constraint membership_business_id_fkey foreign key (business_id) references business(id),
  constraint membership_person_id_fkey foreign key (person_id) references person(id)
);

create index membership_person on membership (person_id);

grant delete, insert, select, update (role) on membership to manilla_service;

create table invitation (
  id uuid primary key,
  business_id uuid not null,
  email text not null check (email = lower(email) and length(email) >= 3 and length(email) <= 200),
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'viewer')),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- Null: an operator at a terminal.
  invited_by uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (business_id, email),
  constraint invitation_business_id_fkey foreign key (business_id) references business(id),
  constraint invitation_invited_by_fkey foreign key (invited_by) references person(id)
);

grant delete, insert, select, update (expires_at) on invitation to manilla_service;

-- The first person's welcome, which is for nobody yet, and new passwords.
create table one_time_link (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  kind text not null check (kind in ('welcome', 'reset')),
  person_id uuid,
  expires_at timestamptz not null,
  -- The person who made a reset link, in which business, and what the other one was there: it is judged again when it is used. Null:
  -- made at a terminal.
  made_by uuid,
  business_id uuid,
  role text,
  constraint one_time_link_business_id_fkey foreign key (business_id) references business(id),
  constraint one_time_link_made_by_fkey foreign key (made_by) references person(id),
  constraint one_time_link_maker_check check (num_nulls(made_by, business_id, role) in (0, 3)),
  constraint one_time_link_person_id_fkey foreign key (person_id) references person(id),
  constraint one_time_link_check check ((kind = 'reset') = (person_id is not null))
);

create index one_time_link_person on one_time_link (person_id) where person_id is not null;
create index one_time_link_made_by on one_time_link (made_by) where made_by is not null;

grant delete, insert, select on one_time_link to manilla_service;

-- A browser from which a person has signed in. Whoever guesses elsewhere does not lock it out.
create table known_device (
  person_id uuid not null,
  -- Two people may use one browser.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  seen_at timestamptz not null,
  primary key (person_id, token_hash),
  constraint known_device_person_id_fkey foreign key (person_id) references person(id)
);

grant delete, insert, select, update (seen_at) on known_device to manilla_service;

create table sign_in (
  id uuid primary key,
  person_id uuid not null,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- The token before, for calls that were on their way when it changed.
  previous_hash bytea unique check (octet_length(previous_hash) = 32),
  previous_until timestamptz,
  level text not null check (level in ('half', 'full')),
  stepped_up_until timestamptz,
  -- Wrong codes since the last right one.
  wrong_codes smallint not null default 0 check (wrong_codes >= 0),
  address text not null check (length(address) >= 1 and length(address) <= 100),
  device text not null check (length(device) <= 300),
  created_at timestamptz not null,
  -- When the password was last given in it.
  proven_at timestamptz not null,
  seen_at timestamptz not null,
  constraint sign_in_person_id_fkey foreign key (person_id) references person(id)
);

create index sign_in_person on sign_in (person_id);

grant delete, insert, select, update (token_hash, previous_hash, previous_until, level, stepped_up_until,
  wrong_codes, proven_at, seen_at) on sign_in to manilla_service;

create table recovery_code (
  person_id uuid not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (person_id, hash),
  constraint recovery_code_person_id_fkey foreign key (person_id) references person(id)
);

grant delete, insert, select on recovery_code to manilla_service;

-- Failed sign-in attempts by account, network or known device: how many, and until when further attempts are refused unread.
create table sign_in_failure (
  bucket text primary key check (length(bucket) >= 1 and length(bucket) <= 100),
  wrong integer not null check (wrong >= 0),
  last_at timestamptz not null,
  closed_until timestamptz not null
);

create index sign_in_failure_last on sign_in_failure (last_at);

grant delete, insert, select, update (wrong, last_at, closed_until) on sign_in_failure to manilla_service;

-- Filters, sort and columns of a list that a person keeps under a name, for themselves or for all of their business.
create table saved_view (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  noun text not null check (noun ~ '^[a-z-]{1,40}$'),
  name text not null check (length(name) >= 1 and length(name) <= 60),
  query text not null check (length(query) <= 2000),
  is_shared boolean not null,
  created_at timestamptz not null,
  primary key (lane, tenant_id, id),
  constraint saved_view_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id)
);

grant delete, insert, select on saved_view to manilla_service;
