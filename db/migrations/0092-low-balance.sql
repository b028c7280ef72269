-- Below which available balance a business wants to be told so. No row: it does not.
create table low_balance (
  lane smallint not null,
  tenant_id uuid not null,
  -- In kobo of naira.
  amount bigint not null check (amount > 0),
  primary key (lane, tenant_id)
);
grant select, insert, update (amount), delete on low_balance to manilla_service;
