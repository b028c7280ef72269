-- Under what reference its rail knows a payment: what a rail tells by itself names nothing else. Empty: its rail tells
-- of no payments, or a version that did not note it has written the row.
alter table payment add column rail_reference uuid;
