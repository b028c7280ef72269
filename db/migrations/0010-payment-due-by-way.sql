-- manilla: no transaction
-- Due payments are claimed for each kind and rail, so that those of a rail that hangs are not in the way of the others. In
-- place of payment_due: the version before finds its due rows through this one, too, and sorts them.
create index concurrently payment_due_by_way on payment (lane, kind, rail, due_at) where due_at is not null;
