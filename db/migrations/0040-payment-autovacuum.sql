-- Grows by millions a day, and no statement that is asked often needs its statistics (docs/adr/0020-autovacuum-by-table.md):
-- analysed and vacuumed when a fifth of it has changed, not every ten seconds.
alter table payment set (
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 50000,
  autovacuum_vacuum_scale_factor = 0.2, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_vacuum_insert_threshold = 200000);
