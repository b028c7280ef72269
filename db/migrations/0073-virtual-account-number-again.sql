-- A number is not an account's for ever any more.
alter table virtual_account
  drop constraint virtual_account_pkey,
  add constraint virtual_account_pkey primary key using index virtual_account_by_number;
