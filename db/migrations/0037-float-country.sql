-- The country of the wallet that moved, for mobile money. Null: the money is in no wallet of a country, or a version before this
-- column booked it.
alter table float_movement add column country text;
