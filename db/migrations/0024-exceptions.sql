-- Facts about money that wait for a person. One row for each fact, however often it shows; a fact has no tenant when the
-- money is nobody's, so the key is what the fact is about. The service raises them, and closes what has settled itself; a
-- person closes the rest, with a note.
create table exception (
  id uuid primary key,
  environment text not null check (environment in ('staging', 'production')),
  kind text not null check (kind in ('notice-unowned', 'notice-contradicted', 'deposit-without-room', 'deposit-unsettled',
    'payment-stuck', 'payment-without-rail', 'payment-contradicted', 'return-without-room')),
  -- The public id of a payment, or the notice of a deposit: environment, provider and the provider's own id. Unique over
  -- all tenants.
  subject text not null,
  -- What is so, in words. Another fact of the same kind about the same subject has other words.
  fact text not null,
  lane smallint,
  tenant_id uuid,
  -- What the business calls it; empty when there is no business.
  reference text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  raised_at timestamptz not null,
  closed_at timestamptz check (closed_at >= raised_at),
  note text,
  check ((lane is null) = (tenant_id is null)),
  check ((closed_at is null) = (note is null))
);

create unique index exception_fact on exception (kind, subject, fact);
create index exception_open on exception (kind, raised_at, id) where closed_at is null;

grant select, insert on exception to manilla_service;
grant update (closed_at, note) on exception to manilla_service;

-- What was kept for nobody until now waits for a person, too. The id is made of the notice, because there is no chance here.
insert into exception
  (id, environment, kind, subject, fact, reference, currency, amount, raised_at)
select md5(concat_ws(':', environment, provider, provider_id))::uuid, environment, 'notice-unowned',
       concat_ws(':', environment, provider, provider_id), 'nobody owns the account ' || account_number, '', currency, amount,
       received_at
  from inbound_notice
 where resolved_at is null and status <> 'FAILED'
 order by received_at
on conflict do nothing;

-- Adopting a notice resolves it.
grant update (resolved_at) on inbound_notice to manilla_service;
