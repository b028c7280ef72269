-- What providers tell of the operators and limits of our accounts. `offers`: null until a provider told them for the first time.
-- `due_at`: when a process asks again.
create table rail_offers (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  offers jsonb,
  read_at timestamptz,
  due_at timestamptz not null,
  primary key (environment, rail)
);

grant insert, select, update (offers, read_at, due_at) on rail_offers to manilla_service;
