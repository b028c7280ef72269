#!/bin/sh
# Dumps the database of DATABASE_URL into a new file in FOLDER and prints its name. Payments continue meanwhile.
#
#   DATABASE_URL=postgres://manilla_owner:…@db.internal:5432/manilla dump.sh FOLDER
set -eu
umask 077
folder=${1:?the folder to write to}
: "${DATABASE_URL:?the database, as its owner}"

file="$folder/manilla-$(date -u +%Y%m%dT%H%M%SZ).dump"
unfinished="$file.unfinished"
trap 'rm -f "$unfinished"' EXIT
PGOPTIONS='-c statement_timeout=0' pg_dump --dbname "$DATABASE_URL" --format custom --file "$unfinished"
# Fails if the dump cannot be read to its end.
pg_restore --file /dev/null "$unfinished"
sync "$unfinished"
mv "$unfinished" "$file"
echo "$file"
