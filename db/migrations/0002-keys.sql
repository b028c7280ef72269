-- Keys of the API. Only their hashes are stored.

create table api_key (
  id uuid primary key,
  lane smallint not null,
  tenant_id uuid not null,
  -- Only the SHA-256 of a key is kept: 40 random base62 characters need no slow hash.
  hash bytea not null unique check (octet_length(hash) = 32),
  prefix text not null,
  last_four text not null check (length(last_four) = 4),
  name text not null check (length(name) >= 1 and length(name) <= 100),
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- What a key may do, from where and for how long.
  scopes text[],
  allow cidr[],
  -- The end that it was made with, which a key in its place is given too. Its `expires_at` may be sooner: rolling ends it.
  made_to_expire_at timestamptz,
  -- The maker of the key, as the audit log names them.
  created_by text,
  constraint api_key_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id),
  constraint api_key_allow check (allow <> '{}'::cidr[]),
  constraint api_key_scopes check (scopes <@ array['read', 'collect', 'payout', 'webhooks', 'sandbox']
    and scopes <> '{}'::text[])
);

create index api_key_tenant on api_key (lane, tenant_id, created_at);

grant insert, select, update (last_used_at, expires_at, revoked_at) on api_key to manilla_service;

-- That a key is revoked, said once and for good: the service may insert and read here, and nothing else. The column of
-- the same name in api_key stays for the version before, which reads it; clearing it gives no key back.
create table api_key_revocation (
  lane smallint not null,
  tenant_id uuid not null,
  key_id uuid not null,
  revoked_at timestamptz not null,
  primary key (lane, tenant_id, key_id),
  constraint api_key_revocation_key_id_fkey foreign key (key_id) references api_key(id)
);

grant insert, select on api_key_revocation to manilla_service;
