-- The people who sign in to the dashboard. They belong to no tenant, and one of them may be of several businesses, so none of
-- these tables has a lane; a database of many machines would copy them to each. Of tokens, codes and links only hashes are
-- kept: 128 random bits and more need no slow one.

create table person (
  id uuid primary key,
  email text not null unique check (email = lower(email) and length(email) between 3 and 200),
  name text not null check (length(name) between 1 and 100),
  password text not null check (password like '$argon2id$%' and length(password) <= 300), -- With its parameters.
  -- Sealed. The second is shown to the person, who has not yet answered with a code of it.
  totp_secret bytea,
  totp_pending bytea,
  -- The last step of 30 s whose code was taken: a code counts once.
  totp_last_step bigint not null default 0 check (totp_last_step >= 0),
  is_operator boolean not null default false,
  created_at timestamptz not null
);

create table membership (
  business_id uuid not null references business (id),
  person_id uuid not null references person (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (business_id, person_id)
);

create index membership_person on membership (person_id);

create table sign_in (
  id uuid primary key,
  person_id uuid not null references person (id),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- The token before, for calls that were on their way when it changed.
  previous_hash bytea unique check (octet_length(previous_hash) = 32),
  previous_until timestamptz,
  level text not null check (level in ('half', 'full')),
  stepped_up_until timestamptz,
  -- Wrong codes since the last right one.
  wrong_codes smallint not null default 0 check (wrong_codes >= 0),
  address text not null check (length(address) between 1 and 100),
  device text not null check (length(device) <= 300),
  created_at timestamptz not null,
  -- When the password was last given in it.
  proven_at timestamptz not null,
  seen_at timestamptz not null
);

create index sign_in_person on sign_in (person_id);

-- A browser from which a person has signed in. Whoever guesses elsewhere does not lock it out.
create table known_device (
  person_id uuid not null references person (id),
  token_hash bytea not null check (octet_length(token_hash) = 32), -- Two people may use one browser.
  seen_at timestamptz not null,
  primary key (person_id, token_hash)
);

create table recovery_code (
  person_id uuid not null references person (id),
  hash bytea not null check (octet_length(hash) = 32),
  primary key (person_id, hash)
);

create table invitation (
  id uuid primary key,
  business_id uuid not null references business (id),
  email text not null check (email = lower(email) and length(email) between 3 and 200),
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'viewer')),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  invited_by uuid references person (id), -- Null: somebody at a terminal.
  created_at timestamptz not null,
  expires_at timestamptz not null,
  unique (business_id, email)
);

-- The first person's welcome, which is for nobody yet, and new passwords.
create table one_time_link (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  kind text not null check (kind in ('welcome', 'reset')),
  person_id uuid references person (id),
  expires_at timestamptz not null,
  check ((kind = 'reset') = (person_id is not null))
);

create index one_time_link_person on one_time_link (person_id) where person_id is not null;

-- Guesses at an account, from a network or at a known device: how many were wrong, and until when no further one is looked at.
create table guess (
  bucket text primary key check (length(bucket) between 1 and 100),
  wrong integer not null check (wrong >= 0),
  last_at timestamptz not null,
  closed_until timestamptz not null
);

create index guess_last on guess (last_at);

grant select, insert on person to manilla_service;
grant update (name, password, totp_secret, totp_pending, totp_last_step, is_operator) on person to manilla_service;
grant select, insert, delete, update (role) on membership to manilla_service;
grant select, insert, delete on sign_in to manilla_service;
grant update (token_hash, previous_hash, previous_until, level, stepped_up_until, wrong_codes, proven_at, seen_at) on sign_in
  to manilla_service;
grant select, insert, delete, update (seen_at) on known_device to manilla_service;
grant select, insert, delete on recovery_code, invitation, one_time_link to manilla_service;
grant update (expires_at) on invitation to manilla_service; -- Without such a right no row can be locked.
grant select, insert, delete, update (wrong, last_at, closed_until) on guess to manilla_service;
