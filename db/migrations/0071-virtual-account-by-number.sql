-- manilla: no transaction
-- What becomes the primary key: the accounts of a number in the order in which they had it.
create unique index concurrently virtual_account_by_number on virtual_account (lane, tenant_id, account_number, opened_at);
