-- manilla: no transaction
-- The last payment to an account that failed, however many succeeded since. The condition on the ordinal is always true and
-- hides it from statements that do not repeat it (0002).
create index concurrently deposit_failed_of_account on deposit (lane, tenant_id, account_number, ordinal) where status = 'FAILED' and account_number <> '' and ordinal > 0;
