-- Which keys the stored secrets are sealed with, by fingerprint: a process that lacks one of them does not start.
alter table installation add column secret_keys text[] not null default '{}';
grant update (secret_keys) on installation to manilla_service;
