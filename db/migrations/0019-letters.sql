-- E-mails to people. A letter is written in the transaction of what it reports, and the mail loop sends it. Letters belong to people
-- and not to a tenant, so they have no lane.
create table letter (
  id uuid primary key,
  kind text not null check (kind ~ '^[a-z-]{1,40}$'),
  -- What it reports and to whom. A report that is written again is the same letter.
  key text not null unique check (length(key) >= 1 and length(key) <= 300),
  recipient text not null check (length(recipient) >= 3 and length(recipient) <= 200),
  -- Null: the recipient has no account yet.
  person_id uuid,
  business_id uuid,
  -- What the text is made of, as JSON. Null: forgotten after sending.
  facts text check (length(facts) <= 8000),
  -- The token of the link in the letter, sealed. Null: the letter has none, or it was forgotten after sending.
  token bytea,
  status text not null default 'waiting' check (status in ('waiting', 'sent', 'failed')),
  attempts smallint not null default 0 check (attempts >= 0),
  created_at timestamptz not null,
  -- The last time at which it is useful.
  expires_at timestamptz not null,
  -- When to send it, or the end of the lease of the process that sends it. Null: nothing to do.
  due_at timestamptz,
  ended_at timestamptz,
  -- Why the last attempt failed.
  error text check (length(error) <= 300),
  constraint letter_ended_check check ((status = 'waiting') = (ended_at is null)),
  constraint letter_due_check check ((status = 'waiting') = (due_at is not null)),
  constraint letter_forgotten_check check (status = 'waiting' or (facts is null and token is null))
);

create index letter_due on letter (due_at) where due_at is not null;
create index letter_recipient on letter (recipient, kind, created_at);
create index letter_business on letter (business_id, kind, created_at) where business_id is not null;
create index letter_ended on letter (ended_at) where ended_at is not null;

grant delete, insert, select, update (facts, token, status, attempts, due_at, ended_at, error) on letter to manilla_service;

-- Which letters a person wants. A kind that is not here is sent by the default of the person's role.
create table letter_choice (
  person_id uuid not null,
  -- The zero UUID: the installation, for its operators.
  business_id uuid not null,
  kind text not null check (kind ~ '^[a-z-]{1,40}$'),
  wants boolean not null,
  primary key (person_id, business_id, kind),
  constraint letter_choice_person_id_fkey foreign key (person_id) references person(id)
);

grant delete, insert, select, update (wants) on letter_choice to manilla_service;

-- Addresses for which a new password was asked. The same row is written for an address with an account and without one, so the
-- answer and its time tell nothing. The worker sends links to those that have an account.
create table reset_request (
  email text primary key check (email = lower(email) and length(email) >= 3 and length(email) <= 200),
  created_at timestamptz not null
);

grant delete, insert, select on reset_request to manilla_service;
