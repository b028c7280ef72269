-- What kind of actor set the brake. An operator at a terminal takes over the pause of a business, and no person of the business
-- can end it then. Null: a process of the version before set it.
alter table brake add column by_kind text;
grant update (reason, by, by_kind) on brake to manilla_service;
