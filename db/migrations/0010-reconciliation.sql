-- What providers list of their own accord, and where that differs from our books.

-- A loop of a rail: when it looks next, and how far it has come with the window that it is in.
create table rail_check (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  loop text not null check (loop in ('near', 'close', 'day')),
  -- When to go on, or until when a process keeps it to itself. Null: a day that a person asked for is done.
  due_at timestamptz,
  -- Since when this rail is looked at; older lines are nobody's business here.
  began_at timestamptz not null,
  -- The window. Null: the next one is not begun.
  from_at timestamptz,
  to_at timestamptz,
  step text not null default 'payouts' check (step in ('payouts', 'deposits', 'ledger', 'match', 'prove')),
  -- Of the page that is fetched next, as the provider gave it. Null: the first one.
  cursor text,
  -- How many pages of this list were fetched, and one of their cursors: a list that comes back to it never ends.
  pages integer not null default 0,
  marked_cursor text,
  -- Which list of this window was given up, and why. Null: none. Such a window proves nothing.
  cut text,
  -- All that was listed until then has been fetched and held against ours.
  proved_until timestamptz,
  -- Why the last try failed. Null: it did not.
  why text,
  -- What the provider held for us when it was asked last.
  balance bigint,
  primary key (environment, rail, loop),
  constraint rail_check_check check ((from_at is null) = (to_at is null)),
  constraint rail_check_check1 check (from_at < to_at)
);

grant insert, select, update (due_at, from_at, to_at, step, cursor, pages, marked_cursor, cut,
  proved_until, why, balance) on rail_check to manilla_service;

-- What a provider lists, once for each line, as it said it last.
create table rail_line (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  list text not null check (list in ('payouts', 'deposits', 'ledger')),
  -- The provider's own, unique within its list.
  line_id text not null,
  direction text not null check (direction in ('in', 'out')),
  cause text not null check (cause in ('payout', 'deposit', 'settlement', 'refund', 'other')),
  -- Ours for a payout, the provider's for a deposit, of what caused it for a line of the ledger.
  reference text not null,
  amount bigint not null check (amount >= 0),
  -- Null: it does not say.
  fee bigint check (fee >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  state text not null check (state in ('pending', 'succeeded', 'failed', 'reversed', 'unknown')),
  at timestamptz not null,
  -- The recipient of a payout, or the account of ours that was paid into. Null: it does not say.
  account_number text,
  -- Of a line of the ledger.
  balance_after bigint,
  seen_at timestamptz not null,
  -- When to hold it against ours, or until when a process keeps it to itself. Null: done.
  due_at timestamptz,
  primary key (environment, rail, list, line_id)
);

create index rail_line_at on rail_line (environment, rail, list, at);
create index rail_line_due on rail_line (environment, rail, due_at) where due_at is not null;
create index rail_line_reference on rail_line (environment, rail, list, reference);

grant delete, insert, select, update (direction, cause, reference, amount, fee, currency, state, at, account_number,
  balance_after, seen_at, due_at) on rail_line to manilla_service;

-- Where a provider's list and ours do not agree. One row for each fact, however often it shows.
create table rail_break (
  id uuid primary key,
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  kind text not null check (kind in ('missing-here', 'unknown-account', 'missing-there', 'unknown-payout',
    'unknown-attempt', 'amount', 'account', 'state', 'late-reversal', 'double', 'fee', 'float', 'unsettled', 'stale')),
  -- What it is about. With rail and kind it is what is opened once.
  subject text not null,
  -- As a person knows it: what a business calls its payment, or the provider's own reference.
  reference text not null,
  amount bigint,
  -- What is so, in words.
  fact text not null,
  -- When that happened which it is about.
  about_at timestamptz not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  note text,
  constraint rail_break_check check (closed_at >= opened_at),
  constraint rail_break_check1 check ((closed_at is null) = (note is null))
);

create index rail_break_all on rail_break (opened_at, id);
create unique index rail_break_fact on rail_break (environment, rail, kind, subject);
create index rail_break_open on rail_break (opened_at, id) where closed_at is null;

grant insert, select, update (amount, fact, closed_at, note) on rail_break to manilla_service;
