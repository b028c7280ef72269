-- Of all amounts of the draft.
alter table payout_draft add column currency text not null default 'NGN';
