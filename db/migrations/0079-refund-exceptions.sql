-- Money that a provider does not send back, or has not for days, waits for a person.
alter table exception drop constraint exception_kind_check;
alter table exception add constraint exception_kind_check check (kind in ('notice-unowned', 'notice-contradicted',
  'notice-stuck', 'deposit-without-room', 'deposit-unsettled', 'refund-refused', 'refund-unsettled', 'payment-stuck',
  'payment-without-rail', 'payment-contradicted', 'return-without-room')) not valid;
