-- The company's own books with its providers, beside those of the tenants: what each should hold for us, and what it cost.
-- A movement goes from one account to another, so it balances by construction; nothing is ever changed or deleted. What
-- caused it is in it once. There are no totals, for a row that every settlement of a rail locks would make all lanes one.
create table float_movement (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  kind text not null check (kind in ('opening', 'payout', 'payout_cost', 'reversal', 'deposit', 'deposit_cost', 'unowned',
    'owned', 'settlement', 'refund', 'top_up', 'withdrawal')),
  subject text not null, -- Payment, deposit or line that caused it.
  lane smallint not null, -- Where that lives; 0: it is no tenant's.
  reference text not null, -- Under which the provider knows it.
  debit text not null,
  credit text not null,
  amount bigint not null check (amount > 0),
  at timestamptz not null,
  primary key (environment, rail, kind, subject),
  check (debit in ('balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense')),
  check (credit in ('balance', 'receivable', 'bank', 'cost', 'tenants', 'suspense')),
  check (debit <> credit)
);

create index float_movement_at on float_movement (environment, rail, at);
create index float_movement_reference on float_movement (environment, rail, reference);

grant select, insert on float_movement to manilla_service;
