-- Whose a number was, one after the other, from when on, and under which reference its rail knows the account: some notices
-- of money name nothing else.
alter table virtual_account_number add column turn int not null default 0;
alter table virtual_account_number add column opened_at timestamptz not null default '2000-01-01 00:00:00+00';
alter table virtual_account_number add column rail_reference text;
