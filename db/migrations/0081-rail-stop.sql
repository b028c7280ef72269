-- Rails to which no payout is handed until a person resumes them. A row is deleted by resuming, so that whoever resumes waits
-- for claims that hold payments back by it.
create table rail_stop (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  stopped_at timestamptz not null,
  why text not null,
  primary key (environment, rail)
);

-- Whoever claims payments locks the stop that holds them back, for which PostgreSQL asks a right to update it.
grant select, insert, delete, update (stopped_at) on rail_stop to manilla_service;

-- When a person last resumed a rail: every process then forgets that the rail refused us.
create table rail_resumption (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  resumed_at timestamptz not null,
  primary key (environment, rail)
);

grant select, insert, update (resumed_at) on rail_resumption to manilla_service;
