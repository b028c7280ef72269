-- What a key may do, from where and for how long.
alter table api_key
  add column scopes text[], -- Null: whatever there is to do.
  add column allow cidr[], -- Null: from anywhere.
  -- The end that it was made with, which a key in its place is given too. Its `expires_at` may be sooner: rolling ends it.
  add column made_to_expire_at timestamptz,
  add constraint api_key_scopes check (scopes <@ array['read', 'collect', 'payout', 'webhooks', 'sandbox'] and scopes <> '{}') not valid,
  add constraint api_key_allow check (allow <> '{}') not valid;
