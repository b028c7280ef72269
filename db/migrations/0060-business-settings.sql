-- What a business's people chose for it: in which zone they read times, and whether each of them needs a second factor.
alter table business
  add column time_zone text not null default 'Africa/Lagos',
  add column is_compulsory_factor boolean not null default false;
grant update (name, time_zone, is_compulsory_factor) on business to manilla_service;
