-- When the receiver refused a delivery with a wrong signature, which it was sent for the sake of that. Null: nobody knows whether it
-- would.
alter table webhook_subscription add column forgery_refused_at timestamptz;
grant update (forgery_refused_at) on webhook_subscription to manilla_service;
