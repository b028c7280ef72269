-- The row is the job: when somebody asks what became of a PENDING deposit. Null: nobody does, because it has ended, was made
-- up by a tester, or waits for a person.
alter table deposit add column due_at timestamptz;
-- The money is there and the books had no room for it: it is credited when a person says so.
alter table deposit add column held boolean not null default false;
grant update (due_at, held) on deposit to manilla_service;
