-- A change of a provider's balance of a type that is not known is a mismatch of its own.
-- suits the version before: it opens no such mismatch, and nothing here refuses a kind that it knows.
alter table rail_break
  drop constraint rail_break_kind_check,
  add constraint rail_break_kind_check check (kind in (
    'missing-here', 'unknown-account', 'missing-there', 'unknown-payout', 'unknown-attempt', 'unknown-change', 'amount', 'account',
    'state', 'late-reversal', 'double', 'fee', 'float', 'unsettled', 'stale')) not valid;
