-- As in 0036, of what made the event true; its deliveries go on with it.
alter table event add column trace text;
