-- manilla: no transaction
-- No statement looks for due payments of all kinds and rails at once any more, and each index costs every acceptance.
drop index concurrently if exists payment_due;
