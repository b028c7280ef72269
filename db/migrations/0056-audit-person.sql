-- What the log says of a person's act beside who it was: in which business, as what, by which device, in which request, and how
-- it ended. All null where no person did it.
alter table audit_entry
  add column business_id uuid,
  add column person_id uuid,
  add column role text,
  add column device text,
  add column request_id text,
  add column outcome text;
