// Times on screen are in one time zone, which the navigation names. `startOfDay` and `endOfDay` make the instants that
// requests contain.

const minuteMs = 60_000
const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const zones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** `21 Nov, 23:52:13`, with the year if it is not the current one. */
export function formatTime(iso: string, zone: string, nowMs: number): string {
  const at = partsOf(Date.parse(iso), zone)
  const year = at.year === partsOf(nowMs, zone).year ? '' : ` ${at.year}`
  return `${at.day} ${at.monthName}${year}, ${at.hour}:${at.minute}:${at.second}`
}

/** `21 Nov 2026`. */
export function formatDay(iso: string, zone: string): string {
  const at = partsOf(Date.parse(iso), zone)
  return `${at.day} ${at.monthName} ${at.year}`
}

/** `3 minutes ago`, `in 2 hours`, `just now`. */
export function formatAgo(iso: string, nowMs: number): string {
  const afterMs = Date.parse(iso) - nowMs
  const awayMs = Math.abs(afterMs)
  if (awayMs < 5_000) return 'just now'
  const [size, unit] = unitOf(awayMs)
  const words = new Intl.RelativeTimeFormat('en-GB', { numeric: 'always' })
  return words.format(Math.trunc(afterMs / size), unit)
}

function unitOf(awayMs: number): [number, Intl.RelativeTimeFormatUnit] {
  if (awayMs < minuteMs) return [1000, 'second']
  if (awayMs < hourMs) return [minuteMs, 'minute']
  if (awayMs < 2 * dayMs) return [hourMs, 'hour']
  if (awayMs < 60 * dayMs) return [dayMs, 'day']
  return [30 * dayMs, 'month']
}

/** `4.2 s`, `3 min`, `2 h`: how long something took. */
export function formatDuration(seconds: number | null): string {
  if (seconds === null) return '–'
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

/** The short name of a zone, such as `WAT`, or its offset if English has no name for it. */
export function nameZone(zone: string, nowMs: number): string {
  if (zone === 'Africa/Lagos') return 'WAT'
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
  return format.formatToParts(nowMs).find(({ type }) => type === 'timeZoneName')?.value ?? zone
}

/** `2026-11-21`: the day in the zone. */
export function dateIn(zone: string, ms: number): string {
  const { year, month, day } = partsOf(ms, zone)
  return `${year}-${month}-${day.padStart(2, '0')}`
}

/** The instant at which a day, such as `2026-11-21`, begins in the zone. A Lagos day begins at 23:00 UTC. */
export function startOfDay(date: string, zone: string): string {
  const asUtcMs = Date.parse(`${date}T00:00:00Z`)
  // The offset is read twice, because a change of clocks may lie between the first guess and the start of the day.
  const guessMs = asUtcMs - offsetMs(asUtcMs, zone)
  return new Date(asUtcMs - offsetMs(guessMs, zone)).toISOString()
}

/** The last millisecond of a day in the zone. */
export function endOfDay(date: string, zone: string): string {
  return new Date(Date.parse(startOfDay(stepDay(date, 1), zone)) - 1).toISOString()
}

/** `stepDay('2026-03-01', -1)` is `2026-02-28`. */
export function stepDay(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
}

function offsetMs(ms: number, zone: string): number {
  const { year, month, day, hour, minute, second } = partsOf(ms, zone)
  const shown = Date.parse(`${year}-${month}-${day.padStart(2, '0')}T${hour}:${minute}:${second}Z`)
  return shown - Math.floor(ms / 1000) * 1000
}

type Parts = Record<'year' | 'month' | 'monthName' | 'day' | 'hour' | 'minute' | 'second', string>

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const formats = new Map<string, Intl.DateTimeFormat>()

function partsOf(ms: number, zone: string): Parts {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(zone, format)
  }
  const found = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  const of = (type: Intl.DateTimeFormatPartTypes): string => found.get(type) ?? ''
  const month = of('month')
  return {
    year: of('year'),
    month,
    monthName: months[Number(month) - 1] ?? '',
    day: String(Number(of('day'))),
    hour: of('hour'),
    minute: of('minute'),
    second: of('second'),
  }
}
