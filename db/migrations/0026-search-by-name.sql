-- Users find payments and deposits by names, by parts of references and by amounts. The worker that fills the search index
-- fills these tables too, a second behind the writes.

-- Parts of the references of payments, in lower case: `payout-20260260` and `20260260`. A prefix is a range of bytes.
create table search_word (
  lane smallint not null,
  tenant_id uuid not null,
  word text collate "C" not null check (length(word) >= 1 and length(word) <= 200),
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection')),
  ordinal bigint not null check (ordinal > 0),
  primary key (lane, tenant_id, word, kind, ordinal)
);

grant insert, select on search_word to manilla_service;

-- Which account and phone numbers belong to a name, one row for each order of its words. The payments and deposits of a
-- number are in search_term. So a name that is paid every month has its rows once.
create table search_name (
  lane smallint not null,
  tenant_id uuid not null,
  name text collate "C" not null check (length(name) >= 1 and length(name) <= 200),
  kind text not null check (kind in ('bank_transfer', 'momo_transfer', 'momo_collection', 'deposit')),
  number text not null check (length(number) >= 1 and length(number) <= 200),
  primary key (lane, tenant_id, name, kind, number)
);

grant delete, insert, select on search_name to manilla_service;

-- Through which number of a list the names, references and amounts are indexed. Older versions do not write it, so a list that
-- they indexed is walked once more.
alter table search_progress add column worded bigint not null default 0;

grant update (worded) on search_progress to manilla_service;
