-- Finds payments and deposits by what people have in hand: an account number, a phone number, the number that a bank or an
-- operator gave. Filled a second behind the writes (finder/follow.ts), so that no payment carries another index.
create table finder (
  lane smallint not null,
  tenant_id uuid not null,
  term text not null check (length(term) between 1 and 200),
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  ordinal bigint not null check (ordinal > 0),
  primary key (lane, tenant_id, term, kind, ordinal)
);

grant select, insert, delete on finder to manilla_service;

-- Through which number of a tenant's list the terms are in the finder: those that a row is born with, and those that it has at
-- its end alone. Whoever holds the row fills.
create table finder_progress (
  lane smallint not null,
  tenant_id uuid not null,
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  ordinal bigint not null default 0 check (ordinal >= 0),
  ended bigint not null default 0 check (ended between 0 and ordinal),
  primary key (lane, tenant_id, kind)
) with (fillfactor = 50);

grant select, insert on finder_progress to manilla_service;
grant update (ordinal, ended) on finder_progress to manilla_service;

-- Payments that had not ended when that was passed; looked at now and then until they have.
create table finder_open (
  lane smallint not null,
  tenant_id uuid not null,
  kind text not null,
  ordinal bigint not null,
  due_at timestamptz not null,
  primary key (lane, tenant_id, kind, ordinal)
);
create index finder_open_due on finder_open (lane, due_at) where due_at is not null;

grant select, insert, delete on finder_open to manilla_service;
grant update (due_at) on finder_open to manilla_service;
