-- manilla: no transaction
-- Finds the webhooks that have failed of late, for the letters about them.
create index concurrently webhook_subscription_failing on webhook_subscription (lane, failing_since)
  where failing_since is not null;
