alter table payment validate constraint payment_account_number_check;
alter table payment validate constraint payment_account_reference;
alter table payment validate constraint payment_payee;
