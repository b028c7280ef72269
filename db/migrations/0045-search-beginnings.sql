-- Beginnings that many references of a list share, such as `PAYOUT-`. A search finds parts of references behind them by the key of
-- the payments, so most payments need no row in search_word. Rows of older versions stay, and are still found.
alter table search_progress add column beginnings text[] not null default '{}';

grant update (beginnings) on search_progress to manilla_service;
