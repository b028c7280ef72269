-- The amounts of a policy in other currencies than NGN, as JSON: {"GHS":"5000"}. A currency without one needs approval always.
alter table payout_policy add column above_in text;
