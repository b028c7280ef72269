#!/bin/sh
# Creates the database and its roles, once, as an administrator of PostgreSQL. It does the same as the statements in
# docs/runbooks/production.md. It needs OWNER_PASSWORD and APP_PASSWORD; psql's own variables (PGHOST, PGUSER …) choose
# the server.
set -eu
: "${OWNER_PASSWORD:?}" "${APP_PASSWORD:?}"

# The passwords are in the environment, because every user of the machine can read a command line.
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "${PGUSER:-postgres}" --dbname postgres <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
create role manilla_owner login password :'owner_password';
create role manilla_service nologin;
create role manilla_app login password :'app_password' in role manilla_service;
create database manilla owner manilla_owner;
revoke all on database manilla from public;
grant connect on database manilla to manilla_service;
revoke connect on database postgres from public;
revoke connect on database template1 from public;
\connect manilla
revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
SQL
