-- manilla: no transaction
-- In place of virtual_account_opening_due. It is partial on what holds for every row, so that whoever looks an opening up by
-- its key cannot be sent through it: on a table that was analysed while it was empty, that read all openings of the lane for
-- each key.
create index concurrently virtual_account_opening_due_at on virtual_account_opening (lane, due_at) where due_at is not null;
