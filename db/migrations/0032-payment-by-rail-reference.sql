-- manilla: no transaction
-- Finds the payment that a rail tells of.
create index concurrently payment_by_rail_reference on payment (lane, rail_reference) where rail_reference is not null;
