#!/bin/sh
# Copies the whole PostgreSQL into a new folder below FOLDER, checks the copy and prints its name. With the WAL files of
# archive-wal.sh, it can be restored to any time after the end of the copy. Run it weekly: the older the copy, the longer
# a restore takes.
#
#   DATABASE_URL=postgres://REPLICATION_ROLE:…@db.internal:5432/postgres base-backup.sh FOLDER
set -eu
umask 077
folder=${1:?the folder to write to}
: "${DATABASE_URL:?PostgreSQL, as a role with replication}"

copy="$folder/base-$(date -u +%Y%m%dT%H%M%SZ)"
trap 'rm -rf "$copy.unfinished"' EXIT
pg_basebackup --dbname "$DATABASE_URL" --pgdata "$copy.unfinished" --wal-method stream --checkpoint fast
PATH="$PATH:$(pg_config --bindir)" pg_verifybackup --quiet "$copy.unfinished"
mv "$copy.unfinished" "$copy"
echo "$copy"
