-- Totals of a float book by currency and country. It replaces float_total, whose key has no country and which the version
-- before still writes. Country '': movements without a country.
create table float_wallet_total (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  country text not null check (country ~ '^([A-Z]{2})?$'),
  -- All movements before it, except the opening, which is dated back.
  until_at timestamptz not null,
  balance bigint not null,
  receivable bigint not null,
  bank bigint not null,
  cost bigint not null,
  tenants bigint not null,
  suspense bigint not null,
  primary key (environment, rail, currency, country),
  constraint float_wallet_total_check check ((balance + receivable + bank + cost + tenants + suspense) = 0)
);

grant insert, select, update (until_at, balance, receivable, bank, cost, tenants,
  suspense) on float_wallet_total to manilla_service;

insert into float_wallet_total (environment, rail, currency, country, until_at, balance, receivable, bank, cost, tenants, suspense)
select environment, rail, currency, '', until_at, balance, receivable, bank, cost, tenants, suspense from float_total;
