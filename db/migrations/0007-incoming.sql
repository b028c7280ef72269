-- What may still come to a tenant: its unfinished collections and PENDING deposits, counted gross. Kept on the row of
-- `available`, so that whoever holds the tenant's lock knows how much room is left in the books (contract: no amount ever
-- leaves what JSON shows exactly).
alter table ledger_account add column incoming bigint not null default 0;
grant update (incoming) on ledger_account to manilla_service;
