// Commands that were submitted together, such as the items of a bulk request, wait here in lines of their own, apart from
// the callers who come one by one. The lines take turns, so that ten commands do not wait for the thousand before them.

/** How many commands of one line go before it is the next line's turn. */
const turnMax = 32

export type BulkLines<W> = {
  push(line: W[]): void
  waiting(): number
  /** At most so many, of each line in its order. Who pushed a line may empty it: then it has no turn. */
  take(max: number): W[]
}

export function createBulkLines<W>(): BulkLines<W> {
  const lines: W[][] = []
  return {
    push: (line) => void lines.push(line),
    waiting: () => lines.reduce((sum, line) => sum + line.length, 0),
    take(max) {
      const taken: W[] = []
      for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
        taken.push(...line.splice(0, Math.min(turnMax, max - taken.length)))
        if (line.length > 0) lines.push(line)
        if (taken.length === max) break
      }
      return taken
    },
  }
}
