-- Personal data ends: when its time is over (privacy/retain.ts), and when a customer asks for it (privacy/erase.ts).

-- How far the walk that forgets has come in each of a tenant's lists: through a number, or, for events, a time and an id. What
-- lies behind is forgotten already, so a walk that was killed goes on where it stood.
create table retention_progress (
  lane smallint not null,
  tenant_id uuid not null,
  list text not null check (list in ('events', 'deposits', 'accounts', 'bank_transfer', 'momo_transfer', 'momo_collection')),
  ordinal bigint not null default 0 check (ordinal >= 0),
  at timestamptz not null default '1970-01-01 00:00:00+00',
  id uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (lane, tenant_id, list)
);

grant select, insert on retention_progress to manilla_service;
grant update (ordinal, at, id) on retention_progress to manilla_service;

-- Names and words, and nothing that says how much, when, or to which account.
grant update (status) on customer to manilla_service;
grant update (account_name, narration, metadata) on virtual_account to manilla_service;
grant update (account_name, sender_account_name, sender_account_number, narration) on deposit to manilla_service;
grant update (account_name, narration, metadata, customer_name) on payment to manilla_service;
grant update (sender_account_name, sender_account_number, narration) on inbound_notice to manilla_service;
grant update (data) on event to manilla_service;
grant update (response_body) on webhook_attempt to manilla_service;
