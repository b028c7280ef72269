-- manilla: no transaction
-- payment_by_status holds the same and more, and each index costs every payment that ends badly.
drop index concurrently if exists payment_ended_badly;
