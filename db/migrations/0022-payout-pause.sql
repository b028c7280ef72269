-- Whose payouts are paused. A few rows at most, and usually none.
create table payout_pause (
  environment text not null check (environment in ('staging', 'production')),
  business_id uuid references business (id), -- Null: all of the environment, also one that is made later.
  paused_at timestamptz not null,
  unique nulls not distinct (environment, business_id)
);

-- Whoever claims payments locks the pause that holds them back, for which PostgreSQL asks a right to update it.
grant select, insert, delete, update (paused_at) on payout_pause to manilla_service;
