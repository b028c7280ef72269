-- As payment, in 0040.
alter table event set (
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_vacuum_insert_threshold = 200000);
