-- manilla: no transaction
create index concurrently audit_entry_business on audit_entry (business_id, number) where business_id is not null;
