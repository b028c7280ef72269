alter table payment validate constraint payment_rail_word;
