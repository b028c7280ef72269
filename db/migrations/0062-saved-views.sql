-- Filters, sort and columns of a list that a person keeps under a name, for themselves or for all of their business.
create table saved_view (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  person_id uuid not null,
  noun text not null check (noun ~ '^[a-z-]{1,40}$'),
  name text not null check (length(name) between 1 and 60),
  query text not null check (length(query) <= 2000),
  is_shared boolean not null,
  created_at timestamptz not null,
  primary key (lane, tenant_id, id),
  foreign key (lane, tenant_id) references tenant (lane, id)
);

-- What was not done before a business went live, who answers for that, and why. A point is waived once.
create table go_live_waiver (
  lane smallint not null,
  tenant_id uuid not null,
  point text not null check (point ~ '^[a-z-]{1,40}$'),
  waived_by text not null check (length(waived_by) between 1 and 200),
  reason text not null check (length(reason) between 1 and 500),
  created_at timestamptz not null,
  primary key (lane, tenant_id, point),
  foreign key (lane, tenant_id) references tenant (lane, id)
);

grant select, insert, delete on saved_view to manilla_service;
grant select, insert on go_live_waiver to manilla_service;
