-- A customer who was erased keeps the reference, so that nobody else gets it, and nothing that says who it was.
alter table customer
  drop constraint customer_status_check,
  add constraint customer_status_check check (status in ('ACTIVE', 'ERASED')) not valid,
  add constraint customer_erased check (status <> 'ERASED' or (first_name = 'erased' and last_name = 'erased' and email is null
    and phone_number is null and bvn is null and metadata is null)) not valid;
