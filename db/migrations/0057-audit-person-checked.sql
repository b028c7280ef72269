alter table audit_entry
  add constraint audit_entry_role check (length(role) between 1 and 20) not valid,
  add constraint audit_entry_device check (length(device) <= 300) not valid,
  add constraint audit_entry_request check (length(request_id) between 1 and 100) not valid,
  add constraint audit_entry_outcome check (outcome in ('asked', 'done', 'refused', 'failed')) not valid;
