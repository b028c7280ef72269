-- Passkeys of the people who use the dashboard, and the challenges that a browser has not answered yet.

-- Kept beside the passkeys so that a sign-in that waits for the row's lock sees the present value.
alter table person add column has_passkey boolean not null default false;

create table passkey (
  id uuid primary key,
  person_id uuid not null,
  credential_id bytea not null unique check (octet_length(credential_id) >= 1 and octet_length(credential_id) <= 1023),
  -- COSE, as the authenticator gave it.
  public_key bytea not null check (octet_length(public_key) <= 2000),
  -- Grows with each use where an authenticator counts; a lower one means that there is a copy of it.
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null,
  name text not null check (length(name) >= 1 and length(name) <= 100),
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint passkey_person_id_fkey foreign key (person_id) references person(id)
);

create index passkey_person on passkey (person_id);

create table passkey_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  purpose text not null check (purpose in ('register', 'sign-in', 'confirm')),
  -- The hash of the sign-in that asked, or of the token that a browser without one got together with the challenge.
  asker_hash bytea not null check (octet_length(asker_hash) = 32),
  expires_at timestamptz not null
);

create index passkey_challenge_expires on passkey_challenge (expires_at);

grant update (has_passkey) on person to manilla_service;
grant delete, insert, select, update (sign_count, last_used_at) on passkey to manilla_service;
-- The update is for the lock with which old ones are skipped that another process deletes.
grant delete, insert, select, update (expires_at) on passkey_challenge to manilla_service;
