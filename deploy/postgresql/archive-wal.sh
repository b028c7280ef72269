#!/bin/sh
# The archive_command of PostgreSQL: stores each finished WAL file, so that the database can be restored to any time.
#
#   archive_mode = on
#   archive_command = '/opt/manilla/deploy/postgresql/archive-wal.sh %p /var/backups/manilla/wal %f'
#   archive_timeout = 60        # so that at most a minute is lost when there is little traffic
#
# Mount the folder from another machine, so that the archive survives the loss of this one.
set -eu
umask 077
source=$1 folder=$2 name=$3

# PostgreSQL sends a file again if it did not learn that the file was stored. An equal file is fine; a different file of
# the same name is an error, and is never overwritten.
if [ -e "$folder/$name" ]; then
  cmp -s "$source" "$folder/$name"
  exit
fi
cp "$source" "$folder/$name.unfinished"
sync "$folder/$name.unfinished"
mv "$folder/$name.unfinished" "$folder/$name"
sync "$folder"
