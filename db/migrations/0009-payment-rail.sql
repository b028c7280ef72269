-- The name of the rail that a payment was accepted for: it is put to that one and to no other. Empty: a version that did not
-- note it has written the row, and nobody knows which rail may have it.
alter table payment add column rail text not null default '';
