// How PDFs write times: in Lagos, whatever zone the reader is in, because they are sent on.

const form = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** `26 Nov 2026, 10:30`. */
export function lagosTime(at: Date): string {
  return form.format(at)
}
