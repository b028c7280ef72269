-- manilla: no transaction
-- Which notices speak of a customer's accounts. Few are kept, so this costs no deposit anything.
create index concurrently inbound_notice_of_account on inbound_notice (environment, account_number);
