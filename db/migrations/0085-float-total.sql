-- What a float book comes to up to a moment before which nothing is booked any more, so that no close sums the book from its
-- beginning. Reconciliation writes it when it proves a day; `manilla ledger verify` proves it from the movements.
create table float_total (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  until_at timestamptz not null, -- Of all movements before it, but for that of the opening, which is dated back.
  balance bigint not null,
  receivable bigint not null,
  bank bigint not null,
  cost bigint not null,
  tenants bigint not null,
  suspense bigint not null,
  primary key (environment, rail, currency),
  check (balance + receivable + bank + cost + tenants + suspense = 0)
);

grant select, insert on float_total to manilla_service;
grant update (until_at, balance, receivable, bank, cost, tenants, suspense) on float_total to manilla_service;
