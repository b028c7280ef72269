-- manilla: no transaction
-- What becomes the primary key. Of two that take a number over at once, one is refused.
create unique index concurrently virtual_account_number_by_turn on virtual_account_number (environment, account_number, turn);
