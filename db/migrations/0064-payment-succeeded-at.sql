-- When a payment succeeded that was returned since: its return is what `completed_at` says. Null for all others, so that the
-- usual payment does not carry it.
alter table payment add column succeeded_at timestamptz;
grant update (succeeded_at) on payment to manilla_service;
