-- Drafts that are paid at a time, or every week or month. The rows of a schedule are those of its draft, and each run is a
-- draft of its own.
create table payout_schedule (
  lane smallint not null,
  tenant_id uuid not null,
  draft_id uuid not null,
  repeats text not null check (repeats in ('never', 'weekly', 'monthly')),
  -- The day of the month. In a shorter month it is the last day.
  month_day smallint check (month_day >= 1 and month_day <= 31),
  first_at timestamptz not null,
  -- once: the schedule is approved. each: every run is approved.
  approval text not null check (approval in ('once', 'each')),
  -- late: a run is more than a day late. unreadable: its rows do not say what was approved any more. Both wait for a person.
  state text not null check (state in ('waiting', 'active', 'paused', 'late', 'unreadable', 'ended')),
  -- The next run that has no draft yet.
  next_at timestamptz,
  -- When a worker takes it up.
  due_at timestamptz,
  primary key (lane, tenant_id, draft_id),
  constraint payout_schedule_draft_fkey foreign key (lane, tenant_id, draft_id)
    references payout_draft(lane, tenant_id, id) on delete cascade,
  constraint payout_schedule_monthly_check check ((repeats = 'monthly') = (month_day is not null)),
  constraint payout_schedule_next_check check ((state = 'ended') = (next_at is null)),
  constraint payout_schedule_due_check check (due_at is null or state = 'active')
);

create index payout_schedule_due on payout_schedule (lane, due_at) where due_at is not null;

grant delete, insert, select, update (state, next_at, due_at) on payout_schedule
  to manilla_service;

-- The draft of the schedule. The draft of a schedule names itself.
alter table payout_draft add column schedule_id uuid;
-- When a run is to be paid. It is not sent before.
alter table payout_draft add column run_at timestamptz;
-- Since when a run waits because the balance does not cover it.
alter table payout_draft add column held_since timestamptz;

grant update (schedule_id, run_at, held_since) on payout_draft to manilla_service;
