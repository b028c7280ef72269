-- The balances that a provider told: one per currency, or one per country. `balance` held the one of NGN; it is unused.
alter table rail_check add column wallets jsonb;
grant update (wallets) on rail_check to manilla_service;
