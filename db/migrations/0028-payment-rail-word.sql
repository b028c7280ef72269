-- What the rail of an unfinished payment said last, as it was noted when the payment was put down. Null: nobody has asked it
-- yet, or a process has the payment in hand. It decides whether a person may end the payment.
alter table payment add column rail_word text;
alter table payment add constraint payment_rail_word check (rail_word in ('pending', 'unknown', 'not-found', 'no-rail')) not valid;
grant update (rail_word) on payment to manilla_service;
