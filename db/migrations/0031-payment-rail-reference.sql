-- Under what reference its rail knows a payment: what a rail tells by itself names nothing else. Empty: a version that did
-- not note it has written the row.
alter table payment add column rail_reference uuid;
