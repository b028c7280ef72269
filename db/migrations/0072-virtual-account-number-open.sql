-- manilla: no transaction
-- Only one open account has a number.
create unique index concurrently virtual_account_number_open on virtual_account (lane, tenant_id, account_number)
  where status = 'ACTIVE';
