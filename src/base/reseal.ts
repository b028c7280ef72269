// Walks all rows of a kind that keep something sealed, a page at a time, and seals anew what another key than that of now
// has sealed.

export type Resealing<Place, Row extends Place, Change> = {
  /** Before the first row. */
  first: Place
  rowsPerPage: number
  read(after: Place, limit: number): Promise<Row[]>
  /** Nothing, where the key of now has sealed it. */
  changesOf(row: Row): Change[]
  how: ResealMode
  write(changes: Change[]): Promise<void>
}

/** `look`: the first page alone, to see whether the keys open what is there. */
export type ResealMode = 'write' | 'count' | 'look'

/** Resolves with how many were not sealed with the key of now. */
export async function resealPages<Place, Row extends Place, Change>(
  resealing: Resealing<Place, Row, Change>,
): Promise<number> {
  const { first, rowsPerPage, read, changesOf, write, how } = resealing
  let after = first
  let found = 0
  for (;;) {
    const rows = await read(after, rowsPerPage)
    const changes = rows.flatMap(changesOf)
    found += changes.length
    if (changes.length > 0 && how === 'write') await write(changes)
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage || how === 'look') return found
    after = last
  }
}
