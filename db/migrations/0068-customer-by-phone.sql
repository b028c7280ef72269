-- manilla: no transaction
-- Finds a customer by the number that a person has in hand.
create index concurrently customer_by_phone on customer (lane, tenant_id, phone_number, ordinal)
  where phone_number is not null;
