-- False: none of the business's receipt links shows anything, and none can be made.
alter table business add column has_receipt_links boolean not null default true;
grant update (has_receipt_links) on business to manilla_service;
