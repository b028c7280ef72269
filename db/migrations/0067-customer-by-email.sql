-- manilla: no transaction
-- Finds a customer by the address that a person has in hand.
create index concurrently customer_by_email on customer (lane, tenant_id, lower(email), ordinal) where email is not null;
