-- Bank accounts and wallets that people saved under a name, with the name that the bank gave.
create table recipient (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('bank', 'wallet')),
  name text not null check (length(name) >= 1 and length(name) <= 100),
  -- The slug of a bank or of a mobile-money operator.
  institution text not null check (length(institution) >= 1 and length(institution) <= 100),
  account_number text not null check (length(account_number) >= 1 and length(account_number) <= 20),
  -- The name that the bank or operator gave. Null: it has not confirmed the account.
  account_name text check (length(account_name) <= 200),
  verified_at timestamptz,
  tags text[] not null default '{}'::text[],
  created_at timestamptz not null,
  -- When the account last changed, and the name of the person who changed it. Null: it never did.
  changed_at timestamptz,
  changed_by text check (length(changed_by) <= 200),
  -- When a payout to the account as it is now was last approved.
  approved_at timestamptz,
  primary key (lane, tenant_id, id),
  unique (lane, tenant_id, institution, account_number),
  constraint recipient_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id)
);
grant delete, insert, select, update (kind, name, institution, account_number, account_name, verified_at, tags,
  changed_at, changed_by, approved_at) on recipient to manilla_service;
