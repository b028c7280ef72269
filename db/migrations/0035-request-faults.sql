-- The fields of a refused request that were to blame, and why, as JSON: names of fields and our sentences, without what was sent.
-- suits the version before: it leaves the column empty
alter table api_request add column faults text,
  add constraint api_request_faults_check check (length(faults) <= 2048) not valid;
