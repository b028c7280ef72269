-- Money that could not be accepted goes back to who paid it. The row is the job: who asks the rail moves due_at to the end of
-- a lease first, and says that it asks, so that nobody asks twice. What was marked before this is for people to look after.
create table deposit_refund (
  lane smallint not null,
  tenant_id uuid not null,
  deposit_id uuid not null,
  status text not null check (status in ('WAITING', 'ASKED', 'REFUNDED', 'REFUSED')),
  asked_at timestamptz,
  asks smallint not null default 0,
  due_at timestamptz,
  why text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (lane, tenant_id, deposit_id),
  check ((due_at is not null) = (status in ('WAITING', 'ASKED'))),
  check (status not in ('ASKED', 'REFUNDED') or asked_at is not null),
  check (updated_at >= created_at)
);
create index deposit_refund_due on deposit_refund (lane, due_at) where due_at is not null;
create index deposit_refund_open on deposit_refund (lane, created_at) where status <> 'REFUNDED';
grant select, insert, update (status, asked_at, asks, due_at, why, updated_at) on deposit_refund to manilla_service;
