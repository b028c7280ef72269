alter table hourly_stat validate constraint hourly_stat_outcome;
alter table hourly_stat validate constraint hourly_stat_reason;
