-- Reconciliation: what providers list of their own accord, held against what we have. It is about rails and not about
-- tenants, so nothing here has a lane.

-- A loop of a rail: when it looks next, and how far it has come with the window that it is in.
create table rail_check (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  loop text not null check (loop in ('near', 'close', 'day')),
  due_at timestamptz, -- When to go on, or until when a process keeps it to itself. Null: a day that a person asked for is done.
  began_at timestamptz not null, -- Since when this rail is looked at; older lines are nobody's business here.
  from_at timestamptz, -- The window. Null: the next one is not begun.
  to_at timestamptz,
  step text not null default 'payouts'
    check (step in ('payouts', 'deposits', 'ledger', 'match', 'prove', 'ledger-again', 'prove-again')),
  cursor text, -- Of the page that is fetched next, as the provider gave it. Null: the first one.
  proved_until timestamptz, -- All that was listed until then has been fetched and held against ours.
  why text, -- Why the last try failed. Null: it did not.
  balance bigint, -- What the provider held for us when it was asked last.
  primary key (environment, rail, loop),
  check ((from_at is null) = (to_at is null)),
  check (from_at < to_at)
);

grant select, insert on rail_check to manilla_service;
grant update (due_at, from_at, to_at, step, cursor, proved_until, why, balance) on rail_check to manilla_service;

-- What a provider lists, once for each line, as it said it last.
create table rail_line (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  list text not null check (list in ('payouts', 'deposits', 'ledger')),
  line_id text not null, -- The provider's own, unique within its list.
  direction text not null check (direction in ('in', 'out')),
  cause text not null check (cause in ('payout', 'deposit', 'settlement', 'refund', 'other')),
  reference text not null, -- Ours for a payout, the provider's for a deposit, of what caused it for a line of the ledger.
  amount bigint not null check (amount >= 0),
  fee bigint check (fee >= 0), -- Null: it does not say.
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  state text not null check (state in ('pending', 'succeeded', 'failed', 'reversed', 'unknown')),
  at timestamptz not null,
  account_number text, -- Of ours, that was paid into. Null: it does not say.
  balance_after bigint, -- Of a line of the ledger.
  seen_at timestamptz not null,
  due_at timestamptz, -- When to hold it against ours, or until when a process keeps it to itself. Null: done.
  primary key (environment, rail, list, line_id)
);

create index rail_line_due on rail_line (environment, rail, due_at) where due_at is not null;
create index rail_line_reference on rail_line (environment, rail, list, reference);
create index rail_line_at on rail_line (environment, rail, list, at);

grant select, insert, delete on rail_line to manilla_service;
grant update (direction, cause, reference, amount, fee, currency, state, at, account_number, balance_after, seen_at, due_at)
  on rail_line to manilla_service;

-- Where a provider's list and ours do not agree. One row for each fact, however often it shows.
create table rail_break (
  id uuid primary key,
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  kind text not null check (kind in ('missing-here', 'unknown-account', 'missing-there', 'unknown-payout', 'amount', 'state',
    'late-reversal', 'double', 'fee', 'float', 'chain', 'stale')),
  subject text not null, -- What it is about. With rail and kind it is what is opened once.
  reference text not null, -- As a person knows it: what a business calls its payment, or the provider's own reference.
  amount bigint,
  fact text not null, -- What is so, in words.
  about_at timestamptz not null, -- When that happened which it is about.
  opened_at timestamptz not null,
  closed_at timestamptz check (closed_at >= opened_at),
  note text,
  check ((closed_at is null) = (note is null))
);

create unique index rail_break_fact on rail_break (environment, rail, kind, subject);
create index rail_break_open on rail_break (opened_at, id) where closed_at is null;
create index rail_break_all on rail_break (opened_at, id);

grant select, insert on rail_break to manilla_service;
grant update (amount, fact, closed_at, note) on rail_break to manilla_service;
