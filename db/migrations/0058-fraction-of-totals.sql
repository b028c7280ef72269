-- The sum of the fractions of the accounts balance and receivable, which are in the wallet.
-- suits the version before: it writes no totals by country.
alter table float_wallet_total add column fraction bigint not null default 0;
grant update (fraction) on float_wallet_total to manilla_service;
