-- The same of a movement. Null: 0.
-- suits the version before: it books whole units alone, as it did.
alter table float_movement add column fraction integer;
