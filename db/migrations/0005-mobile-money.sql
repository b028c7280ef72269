-- Mobile money: transfers to a wallet and collections from one are kinds of payments (0002). What only they have stands
-- in columns that are null in bank transfers.

alter table payment
  add column phone_number text check (phone_number ~ '^\+[1-9][0-9]{6,14}$'), -- E.164.
  add column operator text,
  add column operator_reference text,
  add column customer_name text,
  -- How the payer of a collection agrees, as it was known when it was accepted.
  add column approval text check (approval in ('handset', 'otp')),
  -- From then on no code is taken. Null: none was asked for.
  add column otp_expires_at timestamptz,
  add column otp_accepted_at timestamptz,
  add column otp_hash text check (otp_hash ~ '^[0-9a-f]{64}$'), -- Keyed; the code itself is never here.
  -- How many codes were taken to the operator, and how many of them it called wrong. Between the two lie those that it
  -- is being asked about.
  add column otp_tries smallint,
  add column otp_wrong smallint,
  -- When a collection that nobody knows of fails.
  add column expires_at timestamptz,
  -- What a successful collection became.
  add column deposit_id uuid,
  add column deposit_reference text;

alter table payment
  drop constraint payment_check,
  drop constraint payment_check1,
  drop constraint payment_check3,
  drop constraint payment_status_check,
  add constraint payment_status_check
    check (status in ('queued', 'PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED', 'REVERSED')),
  add constraint payment_status_of_kind
    check (case when kind = 'momo_collection' then status not in ('queued', 'REVERSED')
                else status not in ('PENDING', 'OTP_REQUIRED') end),
  add constraint payment_unfinished_or_completed
    check ((status in ('queued', 'PENDING', 'OTP_REQUIRED')) = (completed_at is null)),
  -- An unfinished payment is always somebody's business.
  add constraint payment_unfinished_is_due check (status not in ('queued', 'PENDING', 'OTP_REQUIRED') or due_at is not null),
  add constraint payment_payee
    check (case when kind = 'bank_transfer'
                then bank_slug is not null and bank_name is not null and account_number is not null and account_name is not null
                     and phone_number is null and operator is null
                else phone_number is not null and operator is not null and bank_slug is null and account_number is null end),
  add constraint payment_collection
    check ((kind = 'momo_collection')
           = (approval is not null and expires_at is not null and otp_tries is not null and otp_wrong is not null)),
  add constraint payment_otp_asked
    check ((status <> 'OTP_REQUIRED' and approval is distinct from 'otp') or otp_expires_at is not null),
  add constraint payment_otp_accepted check ((otp_accepted_at is null) = (otp_hash is null)),
  -- A code is tried three times, whatever the code does.
  add constraint payment_otp_tries check (otp_wrong between 0 and otp_tries and otp_tries <= 3),
  add constraint payment_deposit
    check ((kind = 'momo_collection' and status = 'SUCCESS') = (deposit_id is not null)),
  add constraint payment_deposit_reference check ((deposit_id is null) = (deposit_reference is null));

grant update (operator_reference, otp_expires_at, otp_accepted_at, otp_hash, otp_tries, otp_wrong, deposit_id, deposit_reference)
  on payment to manilla_service;
