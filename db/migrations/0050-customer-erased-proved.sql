alter table customer validate constraint customer_status_check;
alter table customer validate constraint customer_erased;
