-- The logo of a business on its receipts and statements: a PNG or JPEG that the service wrote itself.
-- suits the version before: it leaves the column empty
alter table business add column logo bytea,
  add constraint business_logo_check check (octet_length(logo) <= 409600) not valid;

grant update (logo) on business to manilla_service;
