-- suits the version before: it knows no other currency and leaves the column to its default, which is NGN.
alter table payout_draft add constraint payout_draft_currency_check check (currency ~ '^[A-Z]{3}$') not valid;
