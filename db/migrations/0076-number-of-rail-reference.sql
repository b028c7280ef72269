-- manilla: no transaction
-- Which account a reference of ours belongs to.
create unique index concurrently virtual_account_number_of_rail_reference on virtual_account_number (environment, rail_reference)
  where rail_reference is not null;
