-- Only a collection that was paid has been paid late.
-- suits the version before: it writes neither column, and both are null without it.
alter table payment
  add constraint payment_expired check (
    (expired_at is null) = (expired_as is null) and (expired_at is null or (kind = 'momo_collection' and status = 'SUCCESS'))
  ) not valid;
