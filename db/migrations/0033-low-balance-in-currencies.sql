-- Low-balance alerts in other currencies than NGN, whose alert is in low_balance_alert. Without a row there is no alert.
create table low_balance_alert_in_currency (
  lane smallint not null,
  tenant_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$' and currency <> 'NGN'),
  amount bigint not null check (amount > 0),
  primary key (lane, tenant_id, currency)
);

grant delete, insert, select, update (amount) on low_balance_alert_in_currency to manilla_service;
