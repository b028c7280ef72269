-- Openings: virtual accounts that their rail is being asked for. A row is written before the rail is asked and goes with
-- the transaction that makes it an account, so a number that a rail has given is never without a row that knows of it.

create table virtual_account_opening (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null, -- Becomes the account's. What the rail is asked under follows from it, whoever asks and how often.
  type text not null check (type in ('static', 'dynamic')),
  -- What no second opening may have beside this one: `static REFERENCE BANK` or `dynamic REFERENCE`. A dynamic account
  -- without a reference is in nobody's way: `once ID`.
  claim text not null,
  -- Static: its customer's reference. Dynamic: the business's own, when it gave one.
  reference text,
  customer_id uuid,
  bank_slug text, -- Null: the rail's choice.
  account_name text not null,
  amount bigint check (amount > 0),
  amount_policy text check (amount_policy in ('exact', 'any')),
  expires_at timestamptz check (expires_at > created_at),
  narration text,
  metadata text,
  created_at timestamptz not null,
  -- From then on it never becomes an account: its number goes back to the rail.
  given_up_at timestamptz,
  -- The row is the job: when it is given up, and then when its number is given back or tried again to be.
  due_at timestamptz not null,
  -- The only key that begins with the tenant: with a second one, a planner without statistics takes that and walks
  -- through all openings of the tenant, and those that are long gone.
  primary key (lane, tenant_id, claim),
  check ((type = 'static') = (customer_id is not null and bank_slug is not null)),
  check (type <> 'static' or reference is not null),
  check ((type = 'dynamic') = (amount is not null and amount_policy is not null and expires_at is not null))
) with (fillfactor = 80);

create index virtual_account_opening_due on virtual_account_opening (lane, due_at);

grant select, insert, delete, update (given_up_at, due_at) on virtual_account_opening to manilla_service;
