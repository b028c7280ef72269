-- Limits of payouts in other currencies than NGN, whose limits are in payout_limit. What the columns say there they say here.
create table payout_limit_in_currency (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$' and currency <> 'NGN'),
  per_payment bigint check (per_payment > 0),
  per_day bigint check (per_day > 0),
  day date not null,
  day_amount bigint not null check (day_amount >= 0),
  primary key (lane, tenant_id, currency),
  foreign key (lane, tenant_id) references tenant (lane, id)
) with (fillfactor = 50);

grant insert, select, update (per_payment, per_day, day, day_amount) on payout_limit_in_currency to manilla_service;
