-- Whose a provider's notice is: taken in the transaction that makes the deposit, and unique over all tenants, so that one
-- notice never credits two of them. With the look-ups of a key and of an account number the third question whose answer is
-- a tenant.
create table provider_notice (
  environment text not null check (environment in ('staging', 'production')),
  provider text not null,
  provider_id text not null,
  lane smallint not null,
  tenant_id uuid not null,
  primary key (environment, provider, provider_id)
);

grant select, insert on provider_notice to manilla_service;

-- Whoever was credited first has it. What a collection brought in, or a tester made up, has an id of ours.
insert into provider_notice (environment, provider, provider_id, lane, tenant_id)
select t.environment, d.provider, d.provider_id, d.lane, d.tenant_id
  from deposit d join tenant t on t.lane = d.lane and t.id = d.tenant_id
 where d.provider not in ('momo', 'simulator')
 order by d.created_at
on conflict do nothing;
