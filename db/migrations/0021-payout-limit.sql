-- How much a tenant may pay out, in kobo and without fees. No row: as much as it has. Read and written under the tenant's
-- lock, like all that acceptance decides by.
create table payout_limit (
  lane smallint not null,
  tenant_id uuid not null,
  per_payment bigint check (per_payment > 0),
  per_day bigint check (per_day > 0),
  -- The latest day in Lagos on which one was accepted under `per_day`, and how much of that day has not failed since. Of an
  -- earlier day nothing is kept: no decision can come to depend on it.
  day date not null,
  day_amount bigint not null check (day_amount >= 0),
  primary key (lane, tenant_id),
  foreign key (lane, tenant_id) references tenant (lane, id)
) with (fillfactor = 50); -- Updated by every batch that pays out under a limit of a day.

grant select, insert, update (per_payment, per_day, day, day_amount) on payout_limit to manilla_service;
