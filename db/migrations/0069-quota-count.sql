-- What all processes together have counted against a quota in a minute. Unlogged: a crash forgets the minute, as a restart
-- of a process does. A bucket, a tenant or a network, is known by its hash. The minute leads, so that whoever forgets what is
-- over finds it at the index's beginning.
create unlogged table quota_count (
  minute bigint not null,
  bucket bytea not null,
  used   bigint not null check (used > 0),
  primary key (minute, bucket)
);
grant select, insert, delete, update (used) on quota_count to manilla_service;
