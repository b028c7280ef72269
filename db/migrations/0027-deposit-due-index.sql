-- manilla: no transaction
-- Few deposits are PENDING, and fewer for long.
create index concurrently deposit_due on deposit (lane, due_at) where due_at is not null;
