-- A delivery's number in its subscription's part of the log is called what it is, beside `ordinal`, its number in all of
-- the tenant's log.

alter table webhook_delivery rename column place to subscription_ordinal;
alter table webhook_delivery rename constraint webhook_delivery_place_check to webhook_delivery_subscription_ordinal_check;
alter index webhook_delivery_place rename to webhook_delivery_subscription_ordinal;
