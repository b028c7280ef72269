-- A notice of a rail that could not be confirmed for days waits for a person, too. Nobody knows its amount: what it says is
-- not believed, and the rail did not confirm it.
alter table exception drop constraint exception_kind_check;
alter table exception add constraint exception_kind_check check (kind in ('notice-unowned', 'notice-contradicted',
  'notice-stuck', 'deposit-without-room', 'deposit-unsettled', 'payment-stuck', 'payment-without-rail',
  'payment-contradicted', 'return-without-room')) not valid;
alter table exception alter column amount drop not null;
