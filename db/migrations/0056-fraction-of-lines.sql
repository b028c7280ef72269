-- What a provider counts beside whole minor units, in millionths: 26.25 francs are 26 and 250000, 0.4 francs 1 and -600000.
-- suits the version before: it keeps whole units alone, as it did.
alter table rail_line add column fraction integer;
grant update (fraction) on rail_line to manilla_service;
