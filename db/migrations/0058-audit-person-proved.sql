alter table audit_entry
  validate constraint audit_entry_role,
  validate constraint audit_entry_device,
  validate constraint audit_entry_request,
  validate constraint audit_entry_outcome;
