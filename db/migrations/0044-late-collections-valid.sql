alter table payment validate constraint payment_expired;
