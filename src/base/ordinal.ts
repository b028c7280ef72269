// The rows of a list are numbered: dense from 1, under their tenant's lock, and never dated before the one that came
// before. So a page, a total and a range of time are ranges of numbers, at any depth. Pure; the SQL is in
// numbered-list.ts.

/** Where a row stands in its list. */
export type Position = { ordinal: bigint; createdAt: Date }

/** The numbers above `low` up to `high`. */
export type Range = { low: bigint; high: bigint }

/** What is left of a list when the first `offset` are passed over, up to `limit` of them. */
export type Slice = { offset: number; limit: number }

export type PageQuestion = { page: number; limit: number }

/** Made at or after; made before. */
export type TimeRange = { from?: Date | undefined; before?: Date | undefined }

/** The next position: dated no earlier than the last one, whatever the clocks of several processes say. */
export function positionAfter(last: Position | undefined, nowMs: number): Position {
  if (last === undefined) return { ordinal: 1n, createdAt: new Date(nowMs) }
  return { ordinal: last.ordinal + 1n, createdAt: new Date(Math.max(nowMs, last.createdAt.getTime())) }
}

export function sliceOf({ page, limit }: PageQuestion): Slice {
  return { offset: (page - 1) * limit, limit }
}

export function lengthOf({ low, high }: Range): number {
  return high > low ? Number(high - low) : 0
}

/** The numbers of a slice of a range, counted from its high end, because the latest come first. */
export function rangeOfSlice(range: Range, { offset, limit }: Slice): Range {
  const high = range.high - BigInt(Math.min(offset, lengthOf(range)))
  const low = high - BigInt(limit)
  return { high, low: low > range.low ? low : range.low }
}

/** The same numbers in pieces of so many, from the highest on. */
export function* piecesDown({ low, high }: Range, size: bigint): Generator<Range> {
  for (let at = high; at > low; at -= size) yield { high: at, low: at - size > low ? at - size : low }
}
