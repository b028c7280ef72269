-- manilla: no transaction
-- Lists of one status: what is unfinished as well as what ended badly, so that no list reads what waits for its end in other
-- businesses. In place of payment_ended_badly: the version before finds FAILED and REVERSED through this one, too.
create index concurrently payment_by_status on payment (lane, tenant_id, kind, status, ordinal) where status <> 'SUCCESS';
