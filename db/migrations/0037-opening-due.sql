-- manilla: no transaction
-- virtual_account_opening_due_at has taken its place.
drop index concurrently if exists virtual_account_opening_due;
