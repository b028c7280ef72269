-- manilla: no transaction
-- Which notices speak of a customer's accounts. Few are kept, so this costs no deposit anything. The environment
-- is left out: a planner without statistics would take an index that begins with it for other questions, too.
create index concurrently inbound_notice_of_account on inbound_notice (account_number);
