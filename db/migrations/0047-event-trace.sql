-- As in 0046, of what made the event true; its deliveries go on with it.
alter table event add column trace text;
