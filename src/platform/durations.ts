// Durations in milliseconds, and the time zone of Lagos.

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Lagos is this far ahead of UTC, all year. */
export const lagosOffsetMs = 60 * minuteMs
