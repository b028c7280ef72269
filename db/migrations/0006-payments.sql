-- Bank transfers, mobile-money transfers and collections; limits, pauses, and what happened at the rails.

create table payment (
  lane smallint not null,
  tenant_id uuid not null,
  -- The business's own key: unique over all kinds, for ever. It is what makes a request idempotent.
  reference text not null check (length(reference) >= 1 and length(reference) <= 100),
  id uuid not null,
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection')),
  -- Place in the list of its kind, dense from 1: so a page is an index range and the total is the last ordinal.
  ordinal bigint not null check (ordinal > 0),
  status text not null check (status in ('queued', 'PENDING', 'OTP_REQUIRED', 'SUCCESS', 'FAILED', 'REVERSED')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  bank_slug text,
  bank_name text,
  account_number text check (account_number ~ '^[0-9]{10}$'),
  account_name text,
  narration text,
  -- The JSON as it was sent: it is given back as it came.
  metadata text,
  session_id text,
  failure_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  -- The row is the job: when a worker must look at it next. Null: nothing to do.
  due_at timestamptz,
  -- When it first may have left the building. From then on a status query comes before any sending.
  submitted_at timestamptz,
  -- How often the rail was asked without learning the outcome; decides when to ask next.
  asks smallint not null default 0,
  phone_number text check (phone_number ~ '^\+[1-9][0-9]{6,14}$'),
  operator text,
  operator_reference text,
  customer_name text,
  -- How the payer of a collection agrees, as it was known when it was accepted.
  approval text check (approval in ('handset', 'otp')),
  -- From then on no code is taken. Null: none was asked for.
  otp_expires_at timestamptz,
  otp_accepted_at timestamptz,
  otp_hash text check (otp_hash ~ '^[0-9a-f]{64}$'),
  -- How many codes were taken to the operator, and how many of them it called wrong. Between the two lie those that it
  -- is being asked about.
  otp_tries smallint,
  otp_wrong smallint,
  -- When a collection that no rail knows fails.
  expires_at timestamptz,
  -- What a successful collection became.
  deposit_id uuid,
  deposit_reference text,
  -- The rail that the payment was accepted for. It is put to that rail and to no other.
  rail text not null default '',
  -- Which key asked for the payment, so that what a stolen one did can be told from the rest. Null: no key did, or a version
  -- accepted it that did not note it.
  key_id uuid,
  -- What the rail of an unfinished payment said last, as it was noted when the payment was put down. Null: nobody has asked it
  -- yet, or a process has the payment in hand. It decides whether a person may end the payment.
  rail_word text,
  -- Under what reference its rail knows a payment: what a rail tells by itself names nothing else. Empty: its rail tells
  -- of no payments.
  rail_reference uuid,
  -- Where the request that asked for the payment stood in its trace: `traceparent`, and `tracestate` behind a space where there
  -- was one. Whichever process goes on with the payment goes on with the trace. Null: it is not traced.
  trace text,
  -- When a payment succeeded that was returned since: its return is what `completed_at` says. Null for all others, so that the
  -- usual payment does not carry it.
  succeeded_at timestamptz,
  -- Since when a payment waits because its rail's balance is too small for it. Null: it does not.
  parked_at timestamptz,
  -- At how many rails a payment was, one after another.
  attempts smallint not null default 1,
  -- What an earlier submission to its rail came to, where that decides whether an unfinished payment may be sent again, and to
  -- which rail: `unclear`, `refused` with words that the rail does not list as final, or the rail said that it `exists` there.
  submission_answer text,
  primary key (lane, tenant_id, reference),
  constraint payment_check2 check ((status = 'FAILED') = (failure_reason is not null)),
  constraint payment_check4 check (updated_at >= created_at),
  constraint payment_collection check ((kind = 'momo_collection') = (approval is not null
    and expires_at is not null and otp_tries is not null and otp_wrong is not null)),
  constraint payment_deposit check ((kind = 'momo_collection' and status = 'SUCCESS') = (deposit_id is not null)),
  constraint payment_deposit_reference check ((deposit_id is null) = (deposit_reference is null)),
  constraint payment_otp_accepted check ((otp_accepted_at is null) = (otp_hash is null)),
  constraint payment_otp_asked check (status <> 'OTP_REQUIRED' and approval is distinct from 'otp'
    or otp_expires_at is not null),
  -- A code is tried three times, whatever the code does.
  constraint payment_otp_tries check (otp_wrong >= 0 and otp_wrong <= otp_tries and otp_tries <= 3),
  constraint payment_payee check (case when kind = 'bank_transfer' then bank_slug is not null
    and bank_name is not null and account_number is not null and account_name is not null
    and phone_number is null and operator is null else phone_number is not null and operator is not null
    and bank_slug is null and account_number is null end),
  constraint payment_rail_word check (rail_word in ('pending', 'unknown', 'not-found', 'no-rail')),
  constraint payment_submission_answer check (submission_answer in ('unclear', 'refused', 'exists')),
  constraint payment_status_of_kind check (case when kind = 'momo_collection' then status not in ('queued',
    'REVERSED') else status not in ('PENDING', 'OTP_REQUIRED') end),
  -- An unfinished payment is always due at some time.
  constraint payment_unfinished_is_due check ((status not in ('queued', 'PENDING', 'OTP_REQUIRED'))
    or due_at is not null),
  constraint payment_unfinished_or_completed check ((status in ('queued', 'PENDING',
    'OTP_REQUIRED')) = (completed_at is null))
) with (
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2,
  autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5,
  autovacuum_vacuum_insert_threshold = 200000
);

-- Finds the payment that a rail tells of.
create index payment_by_rail_reference on payment (lane, rail_reference) where rail_reference is not null;
-- Lists of one status: what is unfinished as well as what ended badly, so that no list reads what waits for its end in other
-- businesses.
create index payment_by_status on payment (lane, tenant_id, kind, status, ordinal) where status <> 'SUCCESS';
-- Due payments are claimed for each kind and rail, so that those of a rail that hangs are not in the way of the others.
create index payment_due_by_way on payment (lane, kind, rail, due_at) where due_at is not null;
-- Unfinished payments, the oldest first: those that have had no outcome for too long. `asks >= 0` is always true, and hides
-- the index from every statement that does not repeat it.
create index payment_unfinished on payment (lane, created_at, id)
  where status in ('queued', 'PENDING', 'OTP_REQUIRED') and asks >= 0;
-- The condition is always true. It hides the index from every statement that does not repeat it: a planner without
-- statistics would else prefer this smaller index to the primary key, and walk all payments of a tenant to find one.
create unique index payment_ordinal on payment (lane, tenant_id, kind, ordinal) where ordinal > 0;

grant insert, select, update (status, account_name, narration, metadata, session_id, failure_reason, updated_at,
  completed_at, due_at, submitted_at, asks, operator_reference, customer_name, otp_expires_at, otp_accepted_at,
  otp_hash, otp_tries, otp_wrong, deposit_id, deposit_reference, rail, rail_word, rail_reference, succeeded_at,
  parked_at, attempts, submission_answer) on payment to manilla_service;

-- How much a tenant may pay out, in kobo and without fees. No row: as much as it has. Read and written under the tenant's
-- lock, like all that acceptance decides by.
create table payout_limit (
  lane smallint not null,
  tenant_id uuid not null,
  per_payment bigint check (per_payment > 0),
  per_day bigint check (per_day > 0),
  -- The latest day in Lagos on which one was accepted under `per_day`, and how much of that day has not failed since. Of an
  -- earlier day nothing is kept: no decision can come to depend on it.
  day date not null,
  day_amount bigint not null check (day_amount >= 0),
  primary key (lane, tenant_id),
  constraint payout_limit_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id)
) with (fillfactor = 50);

grant insert, select, update (per_payment, per_day, day, day_amount) on payout_limit to manilla_service;

-- Payouts of all businesses or of one are paused, or a rail is stopped, until a person lifts it. A few rows at most, and usually
-- none. A row is deleted by lifting it, so that lifting waits for claims that hold payments back by it.
create table brake (
  environment text not null check (environment in ('staging', 'production')),
  -- Null: all of the environment, also one that is made later.
  business_id uuid,
  -- Null: at all rails.
  rail text check (rail <> ''),
  -- Null: the person who pauses payouts gave none.
  reason text check (length(reason) <= 500 or rail is not null),
  since timestamptz not null,
  -- The person or the service that set it.
  by text not null,
  check (business_id is null or rail is null),
  constraint brake_environment_business_id_rail_key unique nulls not distinct (environment, business_id, rail),
  constraint brake_business_id_fkey foreign key (business_id) references business(id)
);

-- A claim locks the brake that holds a payment back, for which PostgreSQL asks a right to update it.
grant delete, insert, select, update (since) on brake to manilla_service;

-- Which rail has which account at its provider. A mark tells the account apart: its name at the provider, or the digest of its
-- key. A rail has several marks; a mark has one rail.
create table provider_account (
  environment text not null check (environment in ('staging', 'production')),
  mark text not null,
  rail text not null check (rail <> ''),
  known_since timestamptz not null,
  primary key (environment, mark)
);

grant insert, select on provider_account to manilla_service;

-- When a person last resumed a rail: every process then forgets that the rail refused us.
create table rail_resumption (
  environment text not null check (environment in ('staging', 'production')),
  rail text not null check (rail <> ''),
  resumed_at timestamptz not null,
  primary key (environment, rail)
);

grant insert, select, update (resumed_at) on rail_resumption to manilla_service;

-- The processes that serve rails of RAILS_FILE. Each renews its row every few seconds; one whose row is not renewed is dead.
-- `breakers`: the ports of rails to which it hands nothing at the moment, each with the cause, the detail and since when.
create table rail_process (
  id uuid primary key,
  alive_until timestamptz not null,
  breakers jsonb not null
);

grant delete, insert, select, update (alive_until, breakers) on rail_process to manilla_service;

-- A rail that a payment was accepted for, or moved to, and left again: that rail certainly had not got it. A payment leaves a
-- rail once, and never comes back to it.
create table rail_attempt (
  lane smallint not null,
  tenant_id uuid not null,
  payment_id uuid not null,
  rail text not null check (rail <> ''),
  -- The first rail is number 1.
  attempt smallint not null check (attempt > 0),
  why text not null check (why in ('stopped', 'misconfigured', 'resting', 'float', 'no-rail', 'refused')),
  left_at timestamptz not null,
  primary key (lane, tenant_id, payment_id, rail)
);

grant insert, select on rail_attempt to manilla_service;

-- What a rail answered about a payment, where it was not simply that the payment is under way and then that it is done: that it
-- cannot tell, that it does not know it, that it failed. The same answer again is counted in its row, so however long a rail
-- is silent, a payment has a handful of these.
create table rail_try (
  lane smallint not null,
  tenant_id uuid not null,
  payment_id uuid not null,
  asked text not null check (asked in ('submit', 'status')),
  answered text not null check (answered in ('pending', 'otp-required', 'succeeded', 'failed', 'reversed', 'unknown',
    'not-found')),
  -- In the words of the rail's adapter, which name nobody; of the latest such answer.
  detail text not null check (length(detail) <= 200),
  first_at timestamptz not null,
  last_at timestamptz not null,
  times integer not null check (times > 0),
  -- How long the latest such answer took.
  milliseconds integer not null check (milliseconds >= 0),
  primary key (lane, tenant_id, payment_id, asked, answered)
);

grant insert, select, update (detail, last_at, times, milliseconds) on rail_try to manilla_service;

-- Which payouts of the dashboard need the approval of other people. Without a row, none does.
create table payout_policy (
  lane smallint not null,
  tenant_id uuid not null,
  mode text not null check (mode in ('off', 'above', 'every')),
  -- In kobo of naira: a payout or a file of more than this needs approval.
  above bigint check (above > 0),
  approvers smallint not null check (approvers in (1, 2)),
  changed_at timestamptz not null,
  -- A weaker policy that one owner proposed. It takes effect when another owner confirms it.
  proposed text,
  proposed_by uuid,
  proposed_by_name text check (length(proposed_by_name) <= 200),
  proposed_at timestamptz,
  primary key (lane, tenant_id),
  constraint payout_policy_mode_above_check check ((mode = 'above') = (above is not null)),
  constraint payout_policy_proposal_check check (num_nulls(proposed, proposed_by, proposed_by_name, proposed_at) in (0, 4))
);

grant insert, select, update on payout_policy to manilla_service;

-- Payouts that a person proposes: one from a form, or up to 10,000 from a file.
create table payout_draft (
  lane smallint not null,
  tenant_id uuid not null,
  id uuid not null,
  -- Chosen by the page that sends it, so that a second click makes no second draft.
  key text not null check (length(key) >= 8 and length(key) <= 64),
  title text not null check (length(title) >= 1 and length(title) <= 100),
  status text not null check (status in ('editing', 'waiting', 'approved', 'done', 'rejected')),
  maker_id uuid not null,
  maker_name text not null check (length(maker_name) <= 200),
  maker_email text not null check (length(maker_email) <= 200),
  created_at timestamptz not null,
  submitted_at timestamptz,
  expires_at timestamptz,
  -- What the approvers approve: the hash of all rows as they were submitted.
  content_hash bytea check (octet_length(content_hash) = 32),
  approvals_needed smallint check (approvals_needed >= 0 and approvals_needed <= 2),
  rows integer not null check (rows >= 0 and rows <= 10000),
  total bigint not null default 0 check (total >= 0),
  fees bigint not null default 0 check (fees >= 0),
  decided_at timestamptz,
  rejected_by text check (length(rejected_by) <= 200),
  reason text check (length(reason) <= 500),
  completed_at timestamptz,
  -- The draft whose failed rows this one repeats.
  retry_of uuid,
  -- When a worker takes it up, to resolve names or to send what was approved.
  due_at timestamptz,
  primary key (lane, tenant_id, id),
  unique (lane, tenant_id, key),
  constraint payout_draft_lane_tenant_id_fkey foreign key (lane, tenant_id) references tenant(lane, id),
  constraint payout_draft_submitted_check check (
    status = 'editing' or num_nulls(submitted_at, expires_at, content_hash, approvals_needed) = 0),
  constraint payout_draft_decided_check check ((status in ('approved', 'done', 'rejected')) = (decided_at is not null))
);

create index payout_draft_due on payout_draft (lane, due_at) where due_at is not null;

grant delete, insert, select, update (title, status, submitted_at, expires_at, content_hash, approvals_needed, rows,
  total, fees, decided_at, rejected_by, reason, completed_at, due_at) on payout_draft to manilla_service;

create table payout_draft_row (
  lane smallint not null,
  tenant_id uuid not null,
  draft_id uuid not null,
  number integer not null check (number >= 1),
  -- The cells as the person wrote them, as a JSON object of texts.
  cells text not null check (length(cells) <= 20000),
  kind text not null check (kind in ('bank', 'wallet')),
  -- What was understood of the cells. Null: it cannot be read.
  amount bigint check (amount > 0),
  institution text,
  account_number text,
  account_name text,
  narration text,
  reference text check (length(reference) >= 1 and length(reference) <= 100),
  -- A JSON array of what is wrong with which cell. Null: the row can be paid.
  errors text,
  -- The answer of the bank or operator to whose account this is.
  resolution text not null check (resolution in ('due', 'resolved', 'not-found', 'unavailable', 'none')),
  resolved_name text,
  -- Null: it has not been put to the payments module.
  outcome text check (outcome in ('accepted', 'refused')),
  refusal text check (length(refusal) <= 500),
  -- The draft that this row was copied to, because it had failed.
  retried_in uuid,
  primary key (lane, tenant_id, draft_id, number),
  unique (lane, tenant_id, draft_id, reference),
  constraint payout_draft_row_draft_fkey foreign key (lane, tenant_id, draft_id)
    references payout_draft(lane, tenant_id, id) on delete cascade
);

grant delete, insert, select, update (cells, kind, amount, institution, account_number, account_name, narration,
  reference, errors, resolution, resolved_name, outcome, refusal, retried_in) on payout_draft_row to manilla_service;

create table payout_approval (
  lane smallint not null,
  tenant_id uuid not null,
  draft_id uuid not null,
  person_id uuid not null,
  person_name text not null check (length(person_name) <= 200),
  -- The person who proposed it, who can never approve it.
  maker_id uuid not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  created_at timestamptz not null,
  primary key (lane, tenant_id, draft_id, person_id),
  constraint payout_approval_maker_check check (person_id <> maker_id),
  constraint payout_approval_draft_fkey foreign key (lane, tenant_id, draft_id)
    references payout_draft(lane, tenant_id, id) on delete cascade
);

grant delete, insert, select on payout_approval to manilla_service;
