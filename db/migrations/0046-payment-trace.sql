-- Where the request that asked for the payment stood in its trace: `traceparent`, and `tracestate` behind a space where there
-- was one. Whichever process goes on with the payment goes on with the trace. Null: nobody follows it.
alter table payment add column trace text;
