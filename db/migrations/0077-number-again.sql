-- A number is nobody's for ever any more. The version before inserts turn 0 alone, and finds it taken as it did.
alter table virtual_account_number
  drop constraint virtual_account_number_pkey,
  add constraint virtual_account_number_pkey primary key using index virtual_account_number_by_turn;
