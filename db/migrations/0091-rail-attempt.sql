-- A rail that a payment was accepted for, or moved to, and left again: that rail certainly had not got it. A payment leaves a
-- rail once, and never comes back to it.
create table rail_attempt (
  lane smallint not null,
  tenant_id uuid not null,
  payment_id uuid not null,
  rail text not null check (rail <> ''),
  -- The first rail is number 1.
  attempt smallint not null check (attempt > 0),
  why text not null
    check (why in ('stopped', 'misconfigured', 'resting', 'float', 'no-rail', 'not-found', 'refused')),
  left_at timestamptz not null,
  primary key (lane, tenant_id, payment_id, rail)
);

grant select, insert on rail_attempt to manilla_service;

-- At how many rails a payment was, one after another.
alter table payment add column attempts smallint not null default 1;
grant update (rail, rail_reference, attempts) on payment to manilla_service;
