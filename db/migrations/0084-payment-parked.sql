-- Since when a payment waits because its rail's balance is too small for it. Null: it does not.
alter table payment add column parked_at timestamptz;
grant update (parked_at) on payment to manilla_service;
