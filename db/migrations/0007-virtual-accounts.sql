-- Customers and the virtual accounts that receive money for them.

create table customer (
  lane smallint not null,
  tenant_id uuid not null,
  -- The business's own name for the customer; never changes.
  reference text not null check (length(reference) >= 1 and length(reference) <= 100),
  id uuid not null,
  ordinal bigint not null check (ordinal > 0),
  first_name text not null,
  last_name text not null,
  email text,
  phone_number text,
  status text not null check (status in ('ACTIVE', 'ERASED')),
  -- Sealed; no answer ever shows it.
  bvn bytea,
  -- The JSON as it was sent.
  metadata text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (lane, tenant_id, reference),
  constraint customer_check check (updated_at >= created_at),
  constraint customer_erased check (status <> 'ERASED' or first_name = 'erased' and last_name = 'erased'
    and email is null and phone_number is null and bvn is null and metadata is null)
);

-- Finds a customer by the address that a person has in hand.
create index customer_by_email on customer (lane, tenant_id, lower(email), ordinal) where email is not null;
-- Finds a customer by the number that a person has in hand.
create index customer_by_phone on customer (lane, tenant_id, phone_number, ordinal) where phone_number is not null;
create unique index customer_ordinal on customer (lane, tenant_id, ordinal) where ordinal > 0;

grant insert, select, update (first_name, last_name, email, phone_number, status, bvn, metadata,
  updated_at) on customer to manilla_service;

-- Whose a number is, for a provider's notice that knows nothing but the number. So the environment and the number lead,
-- not the tenant: with the look-up of a key this is the one question that is asked without knowing the tenant. The key
-- makes a number unique in its environment, for ever, so that late money still finds the account it was meant for.
create table virtual_account_number (
  environment text not null check (environment in ('staging', 'production')),
  account_number text not null,
  lane smallint not null,
  tenant_id uuid not null,
  -- Whose a number was, one after the other, from when on, and under which reference its rail knows the account: some notices
  -- of money name nothing else.
  turn integer not null default 0,
  opened_at timestamptz not null default '2000-01-01 00:00:00+00'::timestamptz,
  rail_reference text,
  -- The rail that opened the account. Money that another one tells of is not credited to it.
  rail text not null,
  primary key (environment, account_number, turn)
);

-- Which account a reference of ours belongs to.
create unique index virtual_account_number_of_rail_reference on virtual_account_number (environment,
  rail_reference) where rail_reference is not null;

grant insert, select on virtual_account_number to manilla_service;

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
  updated_at timestamptz not null,
  -- The row is the job: when a dynamic account expires. Null: nothing to do.
  due_at timestamptz,
  -- Which rail holds an account, and by what it knows it where that is not the reference that we gave: whoever opened it closes
  -- it. Empty: the simulator.
  rail text not null default '',
  handle text,
  -- A rail may give a number again after its account has ended. Money belongs to the account that was open when it was paid, so
  -- each says from when on.
  opened_at timestamptz not null default '2000-01-01 00:00:00+00'::timestamptz,
  primary key (lane, tenant_id, account_number, opened_at),
  constraint virtual_account_check check (updated_at >= created_at),
  constraint virtual_account_check1 check ((type = 'dynamic') = (amount is not null and amount_policy is not null
    and expires_at is not null)),
  constraint virtual_account_check2 check ((type = 'static') = (customer_id is not null
    and customer_reference is not null)),
  constraint virtual_account_check3 check (type <> 'static' or (status in ('ACTIVE', 'CLOSED'))),
  constraint virtual_account_check4 check (type <> 'dynamic' or (status in ('ACTIVE', 'COMPLETED', 'EXPIRED'))),
  constraint virtual_account_check5 check ((type = 'dynamic' and status = 'ACTIVE') = (due_at is not null))
) with (fillfactor = 80);

create index virtual_account_due on virtual_account (lane, due_at) where due_at is not null;
create index virtual_account_listed on virtual_account (lane, tenant_id, type, status, ordinal) where ordinal > 0;
-- Only one open account has a number.
create unique index virtual_account_number_open on virtual_account (lane, tenant_id,
  account_number) where status = 'ACTIVE';
create index virtual_account_of_customer on virtual_account (lane, tenant_id, customer_reference,
  ordinal) where customer_reference is not null;
-- A customer has one open account at a bank.
create unique index virtual_account_open on virtual_account (lane, tenant_id, customer_reference,
  bank_slug) where type = 'static' and status = 'ACTIVE';
create unique index virtual_account_ordinal on virtual_account (lane, tenant_id, ordinal) where ordinal > 0;
create unique index virtual_account_reference on virtual_account (lane, tenant_id,
  reference) where type = 'dynamic' and reference is not null;

grant insert, select, update (account_name, status, narration, metadata, updated_at,
  due_at) on virtual_account to manilla_service;

create table virtual_account_opening (
  lane smallint not null,
  tenant_id uuid not null,
  -- Becomes the account's. What the rail is asked under follows from it, whoever asks and how often.
  id uuid not null,
  type text not null check (type in ('static', 'dynamic')),
  -- What no second opening may have beside this one: `static REFERENCE BANK` or `dynamic REFERENCE`. A dynamic account
  -- without a reference is in nobody's way: `once ID`.
  claim text not null,
  -- Static: its customer's reference. Dynamic: the business's own, when it gave one.
  reference text,
  customer_id uuid,
  -- Null: the rail's choice.
  bank_slug text,
  account_name text not null,
  amount bigint check (amount > 0),
  amount_policy text check (amount_policy in ('exact', 'any')),
  expires_at timestamptz,
  narration text,
  metadata text,
  created_at timestamptz not null,
  -- From then on it never becomes an account: its number goes back to the rail.
  given_up_at timestamptz,
  -- The row is the job: when it is given up, and then when its number is given back or tried again to be.
  due_at timestamptz not null,
  -- Which rail is asked for the number of an opening: who goes on with it asks the same one, whatever the routes say by then.
  rail text not null default '',
  primary key (lane, tenant_id, claim),
  constraint virtual_account_opening_check check (expires_at > created_at),
  constraint virtual_account_opening_check1 check ((type = 'static') = (customer_id is not null
    and bank_slug is not null)),
  constraint virtual_account_opening_check2 check (type <> 'static' or reference is not null),
  constraint virtual_account_opening_check3 check ((type = 'dynamic') = (amount is not null
    and amount_policy is not null and expires_at is not null))
) with (fillfactor = 80);

-- In place of virtual_account_opening_due. It is partial on what holds for every row, so that whoever looks an opening up by
-- its key cannot be sent through it: on a table that was analysed while it was empty, that read all openings of the lane for
-- each key.
create index virtual_account_opening_due_at on virtual_account_opening (lane, due_at) where due_at is not null;

grant delete, insert, select, update (given_up_at, due_at) on virtual_account_opening to manilla_service;
