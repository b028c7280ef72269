-- The roles whose people must have a second factor. Null: as is_compulsory_factor says, all roles or none.
alter table business add column compulsory_factor_roles text[];
grant update (compulsory_factor_roles) on business to manilla_service;
