-- manilla: no transaction
-- In place of event_in_time, for the reason of 0036: a look-up by the primary key went through it, and read all events of the
-- tenant for each delivery that was claimed.
create index concurrently event_by_time on event (lane, tenant_id, created_at, id) where created_at is not null;
