-- Which key asked for the payment, so that what a stolen one did can be told from the rest. Null: no key did, or a version
-- accepted it that did not note it.
alter table payment add column key_id uuid;
