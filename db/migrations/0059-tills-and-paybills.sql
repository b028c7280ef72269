-- Payouts to the till or paybill of a business, which has a number of 5 to 7 digits in place of a phone number. The account
-- reference is the account at a paybill; a till has none.
-- suits the version before: it writes account numbers of 10 digits for bank transfers alone, phone numbers for all others, and
-- no account references.
alter table payment
  add column account_reference text,
  drop constraint payment_account_number_check,
  drop constraint payment_payee,
  add constraint payment_account_number_check check (account_number ~ '^([0-9]{10}|[0-9]{5,7})$') not valid,
  add constraint payment_account_reference check (account_reference ~ '^[A-Za-z0-9./ -]{1,20}$') not valid,
  add constraint payment_payee check (
    case
      when kind = 'bank_transfer' then bank_slug is not null and bank_name is not null and account_number is not null
        and length(account_number) = 10 and account_name is not null and phone_number is null and operator is null
        and account_reference is null
      when phone_number is null then kind = 'momo_transfer' and operator is not null and bank_slug is null
        and account_number is not null and length(account_number) < 10
      else operator is not null and bank_slug is null and account_number is null and account_reference is null
    end
  ) not valid;
