-- Links that show the receipt of one payout without sign-in. A revoked link has no row.

create table receipt_link (
  lane smallint not null,
  tenant_id uuid not null,
  reference text not null check (length(reference) >= 1 and length(reference) <= 100),
  id uuid not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  made_by text not null check (length(made_by) <= 200),
  created_at timestamptz not null,
  primary key (lane, tenant_id, reference, id),
  unique (lane, tenant_id, token_hash),
  foreign key (lane, tenant_id) references tenant(lane, id)
);

grant delete, insert, select on receipt_link to manilla_service;
