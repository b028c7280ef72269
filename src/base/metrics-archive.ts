// What is measured of months in files. `rows`: movements or events.

import { Gauge, type Registry } from 'prom-client'

export function archiveMetrics(registers: Registry[]) {
  const labelNames = ['rows'] as const
  return {
    archivedUntil: new Gauge({
      name: 'manilla_archive_sealed_until_seconds',
      help: 'Until when rows are sealed in files, as a time in seconds, in the lane that is least far. 0: one has no month that is.',
      labelNames,
      registers,
    }),
    archiveRowsLeft: new Gauge({
      name: 'manilla_archive_rows_left',
      help: 'Rows of sealed months that are not out of their table yet. Where nothing archives, somebody was cut off.',
      labelNames,
      registers,
    }),
    archiveOldest: new Gauge({
      name: 'manilla_archive_oldest_seconds',
      help: 'The time of the oldest row of a month that is not sealed, as a time in seconds, as it was in the last hour.',
      labelNames,
      registers,
    }),
  }
}
