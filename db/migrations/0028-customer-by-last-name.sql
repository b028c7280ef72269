-- manilla: no transaction
-- Finds a customer by the beginning of the last name (platform/db/folded-names.ts). The condition is always true and hides
-- the index from statements that do not repeat it.
create index concurrently customer_by_last_name on customer (lane, tenant_id,
  (btrim(regexp_replace(lower(regexp_replace(normalize(last_name || ' ' || first_name, NFD) collate "C", '[\u0300-\u036f]+', '', 'g')), '[[:space:][:punct:]]+', ' ', 'g'))), ordinal)
  where first_name <> '';
