-- What a provider takes for itself has a cause of its own, and a change of a country's wallet says which one that is. Null: the
-- provider holds the money of all countries in one place.
-- suits the version before: it writes no other causes, and nothing here refuses one that it knows.
alter table rail_line
  add column country text,
  drop constraint rail_line_cause_check,
  add constraint rail_line_cause_check
    check (cause in ('payout', 'deposit', 'settlement', 'refund', 'fee', 'other')) not valid;

grant update (country) on rail_line to manilla_service;
