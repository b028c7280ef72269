-- The rooms of what arrives: customers, the virtual accounts that money is paid into, and the deposits that it becomes.
--
-- No foreign keys, as with payments and for the same reason. Ordinals number a list densely per tenant, and the indexes
-- that carry them have a condition that is always true: it hides them from statements that do not repeat it (0002).

create table customer (
  lane smallint not null,
  tenant_id uuid not null,
  -- The business's own name for the customer; never changes.
  reference text not null check (length(reference) between 1 and 100),
  id uuid not null,
  ordinal bigint not null check (ordinal > 0),
  first_name text not null,
  last_name text not null,
  email text,
  phone_number text,
  status text not null check (status = 'ACTIVE'),
  bvn bytea, -- Sealed; no answer ever shows it.
  metadata text, -- The JSON as it was sent.
  created_at timestamptz not null,
  updated_at timestamptz not null check (updated_at >= created_at),
  primary key (lane, tenant_id, reference)
);

create unique index customer_ordinal on customer (lane, tenant_id, ordinal) where ordinal > 0;

create table virtual_account (
  lane smallint not null,
  tenant_id uuid not null,
  account_number text not null check (account_number ~ '^[0-9]{10}$'),
  id uuid not null,
  ordinal bigint not null check (ordinal > 0),
  type text not null check (type in ('static', 'dynamic')),
  -- Static: its customer's reference. Dynamic: the business's own, when it gave one.
  reference text,
  account_name text not null,
  bank_name text not null,
  bank_slug text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  status text not null check (status in ('ACTIVE', 'COMPLETED', 'EXPIRED', 'CLOSED')),
  amount bigint check (amount > 0),
  amount_policy text check (amount_policy in ('exact', 'any')),
  narration text,
  expires_at timestamptz,
  customer_id uuid,
  customer_reference text,
  metadata text,
  created_at timestamptz not null,
  updated_at timestamptz not null check (updated_at >= created_at),
  -- The row is the job: when a dynamic account expires. Null: nothing to do.
  due_at timestamptz,
  primary key (lane, tenant_id, account_number),
  check ((type = 'dynamic') = (amount is not null and amount_policy is not null and expires_at is not null)),
  check ((type = 'static') = (customer_id is not null and customer_reference is not null)),
  check (type <> 'static' or status in ('ACTIVE', 'CLOSED')),
  check (type <> 'dynamic' or status in ('ACTIVE', 'COMPLETED', 'EXPIRED')),
  check ((type = 'dynamic' and status = 'ACTIVE') = (due_at is not null))
) with (fillfactor = 80);

create unique index virtual_account_ordinal on virtual_account (lane, tenant_id, ordinal) where ordinal > 0;
create unique index virtual_account_reference on virtual_account (lane, tenant_id, reference)
  where type = 'dynamic' and reference is not null;
-- A customer has one open account at a bank.
create unique index virtual_account_open on virtual_account (lane, tenant_id, customer_reference, bank_slug)
  where type = 'static' and status = 'ACTIVE';
create index virtual_account_of_customer on virtual_account (lane, tenant_id, customer_reference, ordinal)
  where customer_reference is not null;
create index virtual_account_listed on virtual_account (lane, tenant_id, type, status, ordinal) where ordinal > 0;
create index virtual_account_due on virtual_account (lane, due_at) where due_at is not null;

-- Whose a number is, for a provider's notice that knows nothing but the number. So the environment and the number lead,
-- not the tenant: with the look-up of a key this is the one question that is asked without knowing the tenant. The key
-- makes a number unique in its environment, for ever, so that late money still finds the account it was meant for.
create table virtual_account_number (
  environment text not null check (environment in ('staging', 'production')),
  account_number text not null,
  lane smallint not null,
  tenant_id uuid not null,
  primary key (environment, account_number)
);

create table deposit (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null, -- Also the reference, written in another way.
  ordinal bigint not null check (ordinal > 0),
  status text not null check (status in ('PENDING', 'SUCCESSFUL', 'FAILED')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee <= amount),
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
  updated_at timestamptz not null check (updated_at >= created_at),
  primary key (lane, tenant_id, id),
  check (status <> 'PENDING' or updated_at = created_at),
  check (return_reason is null or status = 'FAILED')
);

create unique index deposit_notice on deposit (lane, tenant_id, provider, provider_id);
create unique index deposit_ordinal on deposit (lane, tenant_id, ordinal) where ordinal > 0;
-- Few rows are here, so a filter by these statuses costs what it finds.
create index deposit_unsettled on deposit (lane, tenant_id, status, ordinal) where status in ('PENDING', 'FAILED');
create index deposit_of_account on deposit (lane, tenant_id, account_number, ordinal) where account_number <> '';
create index deposit_of_customer on deposit (lane, tenant_id, customer_reference, ordinal)
  where customer_reference is not null;

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

create index inbound_notice_open on inbound_notice (received_at) where resolved_at is null;

grant select, insert on customer, virtual_account, virtual_account_number, deposit, inbound_notice to manilla_service;
grant update (first_name, last_name, email, phone_number, bvn, metadata, updated_at) on customer to manilla_service;
grant update (status, updated_at, due_at) on virtual_account to manilla_service;
grant update (status, return_reason, updated_at) on deposit to manilla_service;
