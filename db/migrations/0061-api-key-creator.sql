-- Who made a key, as the audit log calls them. Null: a version that did not note it did.
alter table api_key add column created_by text;
