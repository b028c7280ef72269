-- When the bank is asked again whose account it is, or the end of the lease of the process that asks. Recipients that were saved
-- before this column are asked once at the next opportunity.
alter table recipient add column due_at timestamptz not null default 'epoch';
grant update (due_at) on recipient to manilla_service;
