#!/bin/sh
# The archive_command of PostgreSQL: keeps each finished piece of its log, so that every moment can be restored.
#
#   archive_mode = on
#   archive_command = '/opt/manilla/deploy/postgresql/archive-wal.sh %p /var/backups/manilla/wal %f'
#   archive_timeout = 60        # so that a quiet minute is kept, too
#
# The folder lies on another machine's disk, mounted here: one that burns with the database keeps nothing.
set -eu
umask 077
source=$1 folder=$2 name=$3

# PostgreSQL offers a piece again when it did not hear that it was kept. The same is fine; another one is not overwritten.
if [ -e "$folder/$name" ]; then
  cmp -s "$source" "$folder/$name"
  exit
fi
cp "$source" "$folder/$name.unfinished"
sync "$folder/$name.unfinished"
mv "$folder/$name.unfinished" "$folder/$name"
sync "$folder"
