-- What was counted as succeeded or failed in an hour and is no longer so: it was returned, or a collection was paid late.
-- suits the version before: each outcome and reason that it writes is allowed as before.
alter table hourly_stat
  drop constraint hourly_stat_outcome_check,
  drop constraint hourly_stat_check,
  add constraint hourly_stat_outcome check (
    outcome in ('accepted', 'succeeded', 'failed', 'returned', 'success_undone', 'failure_undone')
  ) not valid,
  add constraint hourly_stat_reason check (reason = '' or outcome in ('failed', 'failure_undone')) not valid;
