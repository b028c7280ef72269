-- That a key is revoked, said once and for good: the service may insert and read here, and nothing else. The column of
-- the same name in api_key stays for the version before, which reads it; clearing it gives no key back.
create table api_key_revocation (
  lane smallint not null,
  tenant_id uuid not null,
  key_id uuid not null references api_key (id),
  revoked_at timestamptz not null,
  primary key (lane, tenant_id, key_id)
);

grant select, insert on api_key_revocation to manilla_service;

insert into api_key_revocation (lane, tenant_id, key_id, revoked_at)
  select lane, tenant_id, id, revoked_at from api_key where revoked_at is not null;
