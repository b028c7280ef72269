// A calendar month in UTC, the unit of archiving.

export type Month = { name: string; since: Date; until: Date }

export function monthOf(time: Date): Month {
  return monthAt(time.getUTCFullYear(), time.getUTCMonth())
}

export function monthAfter({ until }: Month): Month {
  return monthOf(until)
}

/**
 * The end of the months that may be archived if `monthsKept` whole months before the current one stay in the table.
 */
export function archivableUntil(now: Date, monthsKept: number): Date {
  return monthAt(now.getUTCFullYear(), now.getUTCMonth() - monthsKept).since
}

function monthAt(year: number, month: number): Month {
  const since = new Date(Date.UTC(year, month, 1))
  return { name: since.toISOString().slice(0, 7), since, until: new Date(Date.UTC(year, month + 1, 1)) }
}
