-- What a rail answered about a payment, where it was not simply that the payment is under way and then that it is done: that it
-- cannot tell, that it does not know it, that it failed. The same answer again is counted in its row, so however long a rail
-- is silent, a payment has a handful of these.
create table rail_try (
  lane smallint not null,
  tenant_id uuid not null,
  payment_id uuid not null,
  asked text not null check (asked in ('submit', 'status')),
  answered text not null
    check (answered in ('pending', 'otp-required', 'succeeded', 'failed', 'reversed', 'unknown', 'not-found')),
  -- In the words of the rail's adapter, which name nobody; of the latest such answer.
  detail text not null check (length(detail) <= 200),
  first_at timestamptz not null,
  last_at timestamptz not null,
  times integer not null check (times > 0),
  -- How long the latest such answer took.
  milliseconds integer not null check (milliseconds >= 0),
  primary key (lane, tenant_id, payment_id, asked, answered)
);

grant select, insert on rail_try to manilla_service;
grant update (detail, last_at, times, milliseconds) on rail_try to manilla_service;
