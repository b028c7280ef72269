-- A rail may give a number again after its account has ended. Money belongs to the account that was open when it was paid, so
-- each says from when on. What a version before wrote had its number first.
alter table virtual_account add column opened_at timestamptz not null default '2000-01-01 00:00:00+00';
