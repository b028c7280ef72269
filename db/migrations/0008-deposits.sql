-- Deposits, refunds, and notices of money that no account accepts yet.

create table deposit (
  lane smallint not null,
  tenant_id uuid not null,
  -- Also the reference, written in another way.
  id uuid not null,
  ordinal bigint not null check (ordinal > 0),
  status text not null check (status in ('PENDING', 'SUCCESSFUL', 'FAILED')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  fee bigint not null,
  -- Together they name the money at its provider, once and for all.
  provider text not null,
  provider_id text not null,
  account_number text not null,
  account_name text not null,
  bank_name text not null,
  customer_reference text,
  sender_account_name text not null,
  sender_account_number text not null,
  sender_bank_name text not null,
  narration text not null,
  -- Why the money must go back to its sender, when it came and could not be accepted.
  return_reason text check (return_reason in ('UNDERPAID', 'OVERPAID', 'EXPIRED', 'ALREADY_PAID', 'ACCOUNT_CLOSED')),
  -- When it was paid: what decides whether that was in time.
  paid_at timestamptz not null,
  created_at timestamptz not null,
  -- Moves only with the status, and the status moves once, from PENDING.
  updated_at timestamptz not null,
  -- The row is the job: when somebody asks what became of a PENDING deposit. Null: nobody does, because it has ended, was made
  -- up by a tester, or waits for a person.
  due_at timestamptz,
  -- The money is there and the books had no room for it: it is credited when a person says so.
  held boolean not null default false,
  primary key (lane, tenant_id, id),
  constraint deposit_check check (fee >= 0 and fee <= amount),
  constraint deposit_check1 check (updated_at >= created_at),
  constraint deposit_check2 check (status <> 'PENDING' or updated_at = created_at),
  constraint deposit_check3 check (return_reason is null or status = 'FAILED')
) with (
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5,
  autovacuum_vacuum_insert_threshold = 200000
);

-- Few deposits are PENDING, and fewer for long.
create index deposit_due on deposit (lane, due_at) where due_at is not null;
-- The last payment to an account that failed, however many succeeded since. The condition on the ordinal is always true and
-- hides it from statements that do not repeat it (0002).
create index deposit_failed_of_account on deposit (lane, tenant_id, account_number,
  ordinal) where status = 'FAILED' and account_number <> '' and ordinal > 0;
create unique index deposit_notice on deposit (lane, tenant_id, provider, provider_id);
create index deposit_of_account on deposit (lane, tenant_id, account_number, ordinal) where account_number <> '';
create index deposit_of_customer on deposit (lane, tenant_id, customer_reference,
  ordinal) where customer_reference is not null;
create unique index deposit_ordinal on deposit (lane, tenant_id, ordinal) where ordinal > 0;
-- Few rows are here, so a filter by these statuses costs what it finds.
create index deposit_unsettled on deposit (lane, tenant_id, status, ordinal) where status in ('PENDING', 'FAILED');

grant insert, select, update (status, account_name, sender_account_name, sender_account_number, narration,
  return_reason, updated_at, due_at, held) on deposit to manilla_service;

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
  -- In which words its rail refused it, where these are not final. Null: it did not. If it stays absent, it is refused.
  refusal text,
  -- A person wants it sent once more, also if its rail says that the refund it has failed.
  again boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (lane, tenant_id, deposit_id),
  constraint deposit_refund_check check ((due_at is not null) = (status in ('WAITING', 'ASKED'))),
  constraint deposit_refund_check1 check (status <> 'ASKED' or asked_at is not null),
  constraint deposit_refund_check2 check (updated_at >= created_at)
);

create index deposit_refund_due on deposit_refund (lane, due_at) where due_at is not null;
create index deposit_refund_all on deposit_refund (lane, created_at);
create index deposit_refund_open on deposit_refund (lane, created_at) where status <> 'REFUNDED';

grant insert, select, update (status, asked_at, asks, due_at, why, refusal, again, updated_at) on deposit_refund to manilla_service;

-- Notices of money for a number that is nobody's: kept as they came, one row for each thing that was said. A row whose
-- `resolved_at` is null wants a person; only the owner of the database writes it.
create table inbound_notice (
  environment text not null check (environment in ('staging', 'production')),
  provider text not null,
  provider_id text not null,
  status text not null check (status in ('PENDING', 'SUCCESSFUL', 'FAILED')),
  account_number text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  sender_account_name text not null,
  sender_account_number text not null,
  sender_bank_name text not null,
  narration text not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  resolved_at timestamptz,
  primary key (environment, provider, provider_id, status)
);

-- The kept notices that still name a payer, the oldest first.
create index inbound_notice_named on inbound_notice (received_at) where sender_account_name <> 'erased';
-- Which notices speak of a customer's accounts. Few are kept, so this costs no deposit anything. The environment
-- is left out: a planner without statistics would take an index that begins with it for other questions, too.
create index inbound_notice_of_account on inbound_notice (account_number);
create index inbound_notice_open on inbound_notice (received_at) where resolved_at is null;

grant insert, select, update (sender_account_name, sender_account_number, narration,
  resolved_at) on inbound_notice to manilla_service;

-- Whose a provider's notice is: taken in the transaction that makes the deposit, and unique over all tenants, so that one
-- notice never credits two of them. With the look-ups of a key and of an account number the third question whose answer is
-- a tenant.
create table provider_notice (
  environment text not null check (environment in ('staging', 'production')),
  provider text not null,
  provider_id text not null,
  lane smallint not null,
  tenant_id uuid not null,
  primary key (environment, provider, provider_id)
);

grant insert, select on provider_notice to manilla_service;
