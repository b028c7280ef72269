-- manilla: no transaction
create index concurrently recipient_due on recipient (lane, due_at);
