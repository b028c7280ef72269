-- The currency of the amount of a mismatch. Null: it has no amount, or the version before opened it.
-- suits the version before: it opens mismatches without a currency.
alter table rail_break add column currency text;
