-- Which rail is asked for the number of an opening: who goes on with it asks the same one, whatever the routes say by then.
alter table virtual_account_opening add column rail text not null default '';
