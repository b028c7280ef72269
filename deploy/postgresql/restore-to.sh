#!/bin/sh
# Makes a new data folder with the state of PostgreSQL at a given time, from a copy by base-backup.sh and the WAL files
# of archive-wal.sh. It changes neither of them, and never writes into an existing folder. Run it as the account that
# will run PostgreSQL.
#
#   restore-to.sh BASE_COPY WAL_FOLDER NEW_DATA_FOLDER '2026-11-21 09:59:00+00'
set -eu
umask 077
base=${1:?the copy by base-backup.sh}
archive=${2:?the folder of archive-wal.sh}
data=${3:?the data folder to make}
moment=${4:?the moment, with its offset from UTC, or latest}

if [ -e "$data" ]; then
  echo "$data exists: name a folder that does not." >&2
  exit 1
fi
PATH="$PATH:$(pg_config --bindir)" pg_verifybackup --quiet "$base"
cp -R "$base" "$data"
{
  printf "restore_command = 'cp \"%s/%%f\" \"%%p\"'\n" "$archive"
  # The restored server must not write into the archive of the original server.
  printf "archive_mode = off\n"
  if [ "$moment" != latest ]; then
    printf "recovery_target_time = '%s'\nrecovery_target_action = promote\n" "$moment"
  fi
} >>"$data/postgresql.auto.conf"
touch "$data/recovery.signal"
echo "Start PostgreSQL on $data, in a place that no client reaches. Then: npx manilla doctor, npx manilla ledger verify."
