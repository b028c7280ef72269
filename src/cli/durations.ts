// Durations as people write them on a command line.

import { InvalidArgumentError } from 'commander'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'

/** `30s`, `10m`, `2h`, `90d` */
export function durationMsOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  const unitMs = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs }[unit]
  if (unitMs !== undefined) return Number(count) * unitMs
  throw new InvalidArgumentError('Use a number and s, m, h or d, such as 10m.')
}
