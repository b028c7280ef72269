-- manilla: no transaction
-- The kept notices that still name a payer, the oldest first.
create index concurrently inbound_notice_named on inbound_notice (received_at) where sender_account_name <> 'erased';
