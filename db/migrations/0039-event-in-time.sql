-- manilla: no transaction
-- event_by_time has taken its place.
drop index concurrently if exists event_in_time;
