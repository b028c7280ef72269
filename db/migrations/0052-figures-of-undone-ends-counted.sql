-- The payouts that were returned before. Processes of the version before count no more of them in the hour of their success:
-- when the last of these processes has ended, `manilla figures rebuild` counts what they left out.
insert into hourly_stat (
  lane, tenant_id, hour, kind, currency, outcome, reason, count, amount, fees, took_1s, took_2s, took_5s, took_10s, took_30s,
  took_1m, took_2m, took_5m, took_15m, took_1h, took_6h, took_1d, took_longer
)
select lane, tenant_id, date_trunc('hour', coalesce(succeeded_at, completed_at), 'UTC'), kind, currency, 'success_undone', '',
       count(*), sum(amount), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  from payment where status <> 'SUCCESS' and status = 'REVERSED'
 group by 1, 2, 3, 4, 5
on conflict do nothing;
