-- When and as what a collection had failed by its time, if its payer's money came after that.
alter table payment add column expired_at timestamptz, add column expired_as text;

grant update (expired_at, expired_as) on payment to manilla_service;
