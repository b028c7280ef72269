// Work that must not run beside other work of the same key, one after the other.

export type Turns = {
  /** Undefined when too many wait already. */
  enter<T>(key: string, work: () => Promise<T>): Promise<T> | undefined
}

export function createTurns(waitingMax: number): Turns {
  const lines = new Map<string, { last: Promise<unknown>; count: number }>()
  return {
    enter<T>(key: string, work: () => Promise<T>): Promise<T> | undefined {
      const line = lines.get(key) ?? { last: Promise.resolve(), count: 0 }
      if (line.count >= waitingMax) return undefined
      lines.set(key, line)
      line.count += 1
      const turn = line.last.then(work).finally(() => {
        line.count -= 1
        if (line.count === 0) lines.delete(key)
      })
      line.last = turn.catch(() => undefined)
      return turn
    },
  }
}
