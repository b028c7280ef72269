-- The requests of businesses to the API in the last seven days, for their developers. A log and not a book: a process that
-- dies, or is busy, leaves some out.

create table api_request (
  lane smallint not null,
  tenant_id uuid not null,
  -- Made when the request ended, so it gives the order and the time.
  id uuid not null,
  at timestamptz not null,
  -- The caller may have chosen it, and chosen it again.
  request_id text not null check (length(request_id) <= 128),
  key_id uuid not null,
  method text not null check (length(method) <= 10),
  -- The pattern of the route: nothing that a caller wrote.
  route text not null check (length(route) <= 200),
  reference text check (length(reference) <= 100),
  status smallint not null,
  error_code text check (length(error_code) <= 60),
  duration_ms integer not null check (duration_ms >= 0),
  address text not null check (length(address) <= 100),
  agent text not null check (length(agent) <= 100),
  -- Of a refused request alone: JSON whose values are masked unless they are known to say nothing of a person.
  body text check (length(body) <= 2048),
  primary key (lane, tenant_id, id),
  constraint api_request_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id)
);

create index api_request_request_id on api_request (lane, tenant_id, request_id);
create index api_request_at on api_request (lane, at);

grant delete, insert, select on api_request to manilla_service;
