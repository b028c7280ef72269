#!/bin/sh
# Restores a dump into a new database, completely or not at all. It never changes an existing database. The roles must
# exist: run roles.sh, or follow docs/runbooks/production.md.
#
#   ADMIN_URL=postgres://postgres:…@db.internal:5432/postgres restore-dump.sh FILE NEW_DATABASE
set -eu
file=${1:?the dump}
database=${2:?the name of the database to make}
: "${ADMIN_URL:?an administrator of PostgreSQL, in its database postgres}"
case $database in
  *[!a-z0-9_]* | '') echo "The name of a database is lower-case letters, digits and _." >&2 && exit 1 ;;
esac

psql="psql --no-psqlrc --quiet --set ON_ERROR_STOP=1"
$psql --dbname "$ADMIN_URL" <<SQL
create database $database owner manilla_owner;
revoke all on database $database from public;
grant connect on database $database to manilla_service;
SQL
# The same address with another database name, which is between the host and the parameters.
url=$(printf %s "$ADMIN_URL" | sed -E "s#^([a-z]+://[^/?]*)(/[^?]*)?#\\1/$database#")
if ! pg_restore --dbname "$url" --exit-on-error --single-transaction "$file"; then
  $psql --dbname "$ADMIN_URL" --command "drop database $database"
  exit 1
fi
# A restored database has no statistics, and the first hours would be slow without them.
$psql --dbname "$url" --command 'analyze'
