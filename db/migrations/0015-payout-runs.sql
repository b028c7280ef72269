-- manilla: no transaction
create index concurrently payout_draft_run on payout_draft (lane, tenant_id, run_at) where run_at is not null;
