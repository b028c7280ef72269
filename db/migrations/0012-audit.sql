-- The audit log: who did what to keys, settings, limits and webhooks, and who was refused. Append-only: the service's role
-- may read and insert. Each entry carries the hash of the one before it, so that whoever changes or takes out an entry
-- with more rights than the service has must make all later ones anew, and the hash that somebody noted tells.

create table audit_entry (
  number bigint primary key check (number > 0), -- Dense: one that is missing was taken out.
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('terminal', 'person', 'key', 'service')),
  actor text not null check (length(actor) between 1 and 200),
  address text check (length(address) between 1 and 100),
  act text not null check (act ~ '^[a-z-]+[.][a-z-]+$' and length(act) <= 60),
  tenant_id uuid, -- Null: it concerns no tenant, or all of them.
  subject text check (length(subject) between 1 and 200), -- What it was done to, by the id that people see.
  details text not null check (length(details) <= 4000), -- JSON, as it was hashed.
  hash bytea not null check (octet_length(hash) = 32)
);

create index audit_entry_tenant on audit_entry (tenant_id, number);

-- The end of the chain. Its lock puts entries in line; it is taken last in every transaction.
create table audit_head (
  one boolean primary key check (one),
  number bigint not null check (number >= 0),
  hash bytea not null check (octet_length(hash) = 32)
);

insert into audit_head (one, number, hash) values (true, 0, decode(repeat('00', 32), 'hex'));

grant select, insert on audit_entry to manilla_service;
grant select, update (number, hash) on audit_head to manilla_service;
