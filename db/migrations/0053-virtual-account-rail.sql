-- Which rail holds an account, and by what it knows it where that is not the reference that we gave: whoever opened it closes
-- it. Empty: a version that did not note it has written the row.
alter table virtual_account add column rail text not null default '';
alter table virtual_account add column handle text;
