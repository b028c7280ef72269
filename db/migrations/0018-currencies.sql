-- Whether the tenant may use the currency. Used for the account `available` only.
alter table ledger_account add column switched_on boolean not null default true;
grant update (switched_on) on ledger_account to manilla_service;
