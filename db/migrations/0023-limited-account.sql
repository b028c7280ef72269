-- Whether limits stand beside the balance, on the row of `available` and under its lock: who locks it knows at no further
-- cost that there is nothing to look up, and no limit is ever missed by a process that had not heard of it.
alter table ledger_account add column limited boolean not null default false;
grant update (limited) on ledger_account to manilla_service;
