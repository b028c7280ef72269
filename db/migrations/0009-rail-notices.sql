-- What providers send to us, as it came, until it is processed.

-- What rails told, as it came: stored before it is answered, worked on after that. It belongs to no tenant before it was
-- read, so it has no lane. Its digest stays for a while when its body is dropped, so that the same bytes are not taken up twice.
create table rail_notice (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  -- SHA-256 of the body.
  digest bytea not null check (octet_length(digest) = 32),
  received_at timestamptz not null,
  -- Sealed. Null: it was done long ago.
  body bytea,
  state text not null default 'new' check (state in ('new', 'done', 'stuck')),
  -- Of what is new: when to look at it, or until when a process keeps it to itself.
  due_at timestamptz,
  tries smallint not null default 0 check (tries >= 0),
  -- Of what is not done: why not, at the last try.
  why text,
  primary key (environment, rail, digest),
  constraint rail_notice_check check ((state = 'new') = (due_at is not null)),
  constraint rail_notice_check1 check (state = 'done' or body is not null)
);

create index rail_notice_done on rail_notice (received_at) where state = 'done' and body is not null;
create index rail_notice_due on rail_notice (environment, rail, due_at) where due_at is not null;
create index rail_notice_empty on rail_notice (received_at) where body is null;
create index rail_notice_stuck on rail_notice (received_at) where state = 'stuck';

grant delete, insert, select, update (body, state, due_at, tries, why) on rail_notice to manilla_service;
